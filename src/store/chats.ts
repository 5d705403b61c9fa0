// Group chats that an owner opened to the agent.
import { type Op, query } from "./query.ts";

const find = query((db, p: { listener: string; chat: string }) =>
  db
    .selectFrom("chats")
    .select("enabled")
    .where("listener", "=", p.listener)
    .where("chat", "=", p.chat),
);

export function* isEnabled(listener: string, chat: string): Op<boolean> {
  return (yield* find({ listener, chat }))[0]?.enabled === 1;
}

const named = query((db, p: { listener: string; chat: string }) =>
  db
    .selectFrom("chats")
    .select("title")
    .where("listener", "=", p.listener)
    .where("chat", "=", p.chat),
);

/** What the platform calls it; empty when that is not known. */
export function* chatTitle(listener: string, chat: string): Op<string> {
  return (yield* named({ listener, chat }))[0]?.title ?? "";
}

const upsert = query(
  (db, p: { listener: string; chat: string; title: string; enabled: number; changedAt: number }) =>
    db
      .insertInto("chats")
      .values({
        listener: p.listener,
        chat: p.chat,
        title: p.title,
        enabled: p.enabled,
        shared: 0,
        changedAt: p.changedAt,
      })
      .onConflict((conflict) =>
        conflict.columns(["listener", "chat"]).doUpdateSet((eb) => ({
          enabled: eb.ref("excluded.enabled"),
          changedAt: eb.ref("excluded.changedAt"),
        })),
      ),
);

export interface ChatSwitch {
  readonly listener: string;
  readonly chat: string;
  readonly title: string;
  readonly enabled: boolean;
  readonly at: number;
}

export function* setEnabled({ enabled, at, ...chat }: ChatSwitch): Op<void> {
  yield* upsert({ ...chat, enabled: enabled ? 1 : 0, changedAt: at });
}

/** The chat has a new id: what an owner opened stays open there, and the old id is closed. */
export function* moveChat(move: {
  listener: string;
  from: string;
  to: string;
  at: number;
}): Op<void> {
  const { listener, from, to, at } = move;
  if (!(yield* isEnabled(listener, from))) return;
  yield* setEnabled({ listener, chat: to, title: "", enabled: true, at });
  yield* setEnabled({ listener, chat: from, title: "", enabled: false, at });
}
