// Conversations: one per direct chat, or per (chat, thread, caller) in a group; holds the ACP session.
import type { Address, ConversationId } from "../core/words.ts";
import { type Op, query } from "./query.ts";

export interface Conversation {
  readonly id: ConversationId;
  readonly address: Address;
  readonly kind: "direct" | "group";
  readonly caller: string;
  readonly session: string | null;
  /** What the next prompt should carry (a reason of a denial). */
  readonly note: string | null;
}

const byKey = query((db, p: { key: string }) =>
  db.selectFrom("conversations").selectAll().where("key", "=", p.key),
);
const byId = query((db, p: { id: string }) =>
  db.selectFrom("conversations").selectAll().where("id", "=", p.id),
);
const insert = query(
  (
    db,
    p: {
      id: string;
      key: string;
      listener: string;
      chat: string;
      thread: string | null;
      kind: string;
      caller: string;
      at: number;
    },
  ) =>
    db.insertInto("conversations").values({
      id: p.id,
      key: p.key,
      listener: p.listener,
      chat: p.chat,
      thread: p.thread,
      kind: p.kind,
      caller: p.caller,
      session: null,
      note: null,
      createdAt: p.at,
      lastAt: p.at,
    }),
);

export interface Place {
  readonly address: Address;
  readonly kind: "direct" | "group";
  readonly caller: string;
}

function keyOf({ address, caller }: Place): string {
  return JSON.stringify([address.listener, address.chat, address.thread ?? "", caller]);
}

/** The conversation of this place, made with `id` when there is none. */
export function* ensureConversation(place: Place, id: string, at: number): Op<Conversation> {
  const key = keyOf(place);
  const [row] = yield* byKey({ key });
  if (row) return toConversation(row);
  const { address, kind, caller } = place;
  const thread = address.thread ?? null;
  yield* insert({
    id,
    key,
    listener: address.listener,
    chat: address.chat,
    thread,
    kind,
    caller,
    at,
  });
  return { id, address, kind, caller, session: null, note: null };
}

export function* findConversation(id: ConversationId): Op<Conversation | undefined> {
  const [row] = yield* byId({ id });
  return row && toConversation(row);
}

const session = query((db, p: { id: string; session: string | null }) =>
  db.updateTable("conversations").set({ session: p.session }).where("id", "=", p.id),
);

export function* setSession(id: ConversationId, value: string | null): Op<void> {
  yield* session({ id, session: value });
}

const note = query((db, p: { id: string; note: string | null }) =>
  db.updateTable("conversations").set({ note: p.note }).where("id", "=", p.id),
);

export function* setNote(id: ConversationId, value: string | null): Op<void> {
  yield* note({ id, note: value });
}

const moved = query((db, p: { listener: string; from: string }) =>
  db
    .selectFrom("conversations")
    .selectAll()
    .where("listener", "=", p.listener)
    .where("chat", "=", p.from),
);
const move = query((db, p: { id: string; key: string; chat: string }) =>
  db.updateTable("conversations").set({ key: p.key, chat: p.chat }).where("id", "=", p.id),
);

/** A chat got a new id: its conversations go on there. */
export function* moveConversations(listener: string, from: string, to: string): Op<void> {
  for (const row of yield* moved({ listener, from })) {
    const place = toConversation(row);
    const key = keyOf({ ...place, address: { ...place.address, chat: to } });
    const [taken] = yield* byKey({ key });
    if (!taken) yield* move({ id: row.id, key, chat: to });
  }
}

interface Row {
  id: string;
  listener: string;
  chat: string;
  thread: string | null;
  kind: string;
  caller: string;
  session: string | null;
  note: string | null;
}

function toConversation(row: Row): Conversation {
  const { id, listener, chat, thread, caller } = row;
  return {
    id,
    address: { listener, chat, ...(thread === null ? {} : { thread }) },
    kind: row.kind === "group" ? "group" : "direct",
    caller,
    session: row.session,
    note: row.note,
  };
}
