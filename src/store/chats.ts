// Group chats: what they are called, and which of them an owner opened to the agent, or made people share one conversation in.
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

const opened = query((db, p: { listener: string; chat: string }) =>
  db
    .selectFrom("chats")
    .select("changedAt")
    .where("listener", "=", p.listener)
    .where("chat", "=", p.chat)
    .where("enabled", "=", 1),
);

/** When an owner opened it, or it moved here; undefined: it is not open. */
export function* openSince(listener: string, chat: string): Op<number | undefined> {
  return (yield* opened({ listener, chat }))[0]?.changedAt;
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

const naming = query(
  (db, p: { listener: string; chat: string; title: string; changedAt: number }) =>
    db
      .insertInto("chats")
      .values({
        listener: p.listener,
        chat: p.chat,
        title: p.title,
        enabled: 0,
        shared: 0,
        changedAt: p.changedAt,
      })
      .onConflict((conflict) =>
        conflict
          .columns(["listener", "chat"])
          .doUpdateSet((eb) => ({ title: eb.ref("excluded.title") })),
      ),
);

const titleMost = 200;

/** What the platform calls it, where it says so; that opens nothing. */
export function* nameChat(it: {
  readonly listener: string;
  readonly chat: string;
  readonly title?: string | undefined;
  readonly at: number;
}): Op<void> {
  const { listener, chat, title, at } = it;
  if (title) yield* naming({ listener, chat, title: title.slice(0, titleMost), changedAt: at });
}

const upsert = query(
  (db, p: { listener: string; chat: string; enabled: number; changedAt: number }) =>
    db
      .insertInto("chats")
      .values({
        listener: p.listener,
        chat: p.chat,
        title: "",
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
  readonly enabled: boolean;
  readonly at: number;
}

export function* setEnabled({ enabled, at, ...chat }: ChatSwitch): Op<void> {
  yield* upsert({ ...chat, enabled: enabled ? 1 : 0, changedAt: at });
}

const together = query((db, p: { listener: string; chat: string }) =>
  db
    .selectFrom("chats")
    .select("shared")
    .where("listener", "=", p.listener)
    .where("chat", "=", p.chat),
);

/** Everybody who is paired there continues one conversation. */
export function* isSharedChat(listener: string, chat: string): Op<boolean> {
  return (yield* together({ listener, chat }))[0]?.shared === 1;
}

const share = query((db, p: { listener: string; chat: string; shared: number; at: number }) =>
  db
    .updateTable("chats")
    .set({ shared: p.shared, changedAt: p.at })
    .where("listener", "=", p.listener)
    .where("chat", "=", p.chat),
);

/** Of a chat that is, or was, open. */
export function* setShared(it: {
  readonly listener: string;
  readonly chat: string;
  readonly shared: boolean;
  readonly at: number;
}): Op<void> {
  yield* share({ ...it, shared: it.shared ? 1 : 0 });
}

/** The chat has a new id: what an owner opened stays open there, and the old id is closed. */
export function* moveChat(move: {
  listener: string;
  from: string;
  to: string;
  at: number;
}): Op<void> {
  const { listener, from, to, at } = move;
  yield* nameChat({ listener, chat: to, title: yield* chatTitle(listener, from), at });
  if (!(yield* isEnabled(listener, from))) return;
  yield* setEnabled({ listener, chat: to, enabled: true, at });
  yield* setShared({ listener, chat: to, shared: yield* isSharedChat(listener, from), at });
  yield* setShared({ listener, chat: from, shared: false, at });
  yield* setEnabled({ listener, chat: from, enabled: false, at });
}
