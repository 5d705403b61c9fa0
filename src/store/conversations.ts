// Conversations: one per direct chat, per (chat, thread, caller) in a group, or per (chat, thread) that is shared; holds the ACP session.
import type { Address, Caller, ConversationId } from "../core/words.ts";
import { type Op, query } from "./query.ts";

export interface Conversation {
  readonly id: ConversationId;
  readonly address: Address;
  readonly kind: "direct" | "group";
  /** `everybody`: all who are paired in its chat continue it. */
  readonly caller: string;
  readonly session: string | null;
  /** What the next prompt should carry (a reason of a denial). */
  readonly note: string | null;
}

/** No caller's id: those begin with `p:` or `a:`. */
export const everybody = "everybody";

export function isShared({ caller }: Pick<Conversation, "caller">): boolean {
  return caller === everybody;
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

function keyOf(place: Omit<Place, "kind">): string {
  return JSON.stringify(keyParts(place));
}

/** Behind these stands its own id in the key of one that was set aside. */
function keyParts({ address, caller }: Omit<Place, "kind">): string[] {
  return [address.listener, address.chat, address.thread ?? "", caller];
}

const touch = query((db, p: { id: string; at: number }) =>
  db.updateTable("conversations").set({ lastAt: p.at }).where("id", "=", p.id),
);

/** The conversation of this place, made with `id` when there is none. Something is said in it now. */
export function* ensureConversation(place: Place, id: string, at: number): Op<Conversation> {
  const key = keyOf(place);
  const [row] = yield* byKey({ key });
  if (row && row.lastAt < at) yield* touch({ id: row.id, at });
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

export interface Listed extends Conversation {
  /** Its place leads to it. Else another one is there now, and this one was set aside. */
  readonly current: boolean;
  readonly createdAt: number;
  /** When somebody last wrote in it. */
  readonly lastAt: number;
}

const newest = query((db, p: { limit: number }) =>
  db.selectFrom("conversations").selectAll().orderBy("lastAt", "desc").limit(p.limit),
);
const newestOf = query((db, p: { caller: string; limit: number }) =>
  db
    .selectFrom("conversations")
    .selectAll()
    .where("caller", "=", p.caller)
    .orderBy("lastAt", "desc")
    .limit(p.limit),
);

/** Newest first; of one caller, or of all. */
export function* listConversations(limit: number, caller?: string): Op<Listed[]> {
  const rows = caller === undefined ? yield* newest({ limit }) : yield* newestOf({ caller, limit });
  return rows.map(toListed);
}

export function* findListed(id: ConversationId): Op<Listed | undefined> {
  const [row] = yield* byId({ id });
  return row && toListed(row);
}

export function* findConversationAt(place: Omit<Place, "kind">): Op<Listed | undefined> {
  const [row] = yield* byKey({ key: keyOf(place) });
  return row && toListed(row);
}

/** Beside what is shared: what they began in this place by themselves, which goes on. */
export function* ownBeside(
  conversation: Conversation,
  { id }: Pick<Caller, "id">,
): Op<Conversation | undefined> {
  if (!isShared(conversation)) return undefined;
  return yield* findConversationAt({ address: conversation.address, caller: id });
}

const within = query((db, p: { from: string; to: string }) =>
  db.selectFrom("conversations").selectAll().where("key", ">=", p.from).where("key", "<", p.to),
);

/** Of everybody who ever wrote there. Of no thread given: of the chat itself. */
export function* conversationsAt({ listener, chat, thread = "" }: Address): Op<Listed[]> {
  const start = `${JSON.stringify([listener, chat, thread]).slice(0, -1)},`;
  // A caller's quote follows: all keys between it and the next character.
  return (yield* within({ from: `${start}"`, to: `${start}#` })).map(toListed);
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

const setPlace = query(
  (
    db,
    p: {
      id: string;
      key: string;
      listener: string;
      chat: string;
      thread: string | null;
      kind: string;
    },
  ) =>
    db
      .updateTable("conversations")
      .set({ key: p.key, listener: p.listener, chat: p.chat, thread: p.thread, kind: p.kind })
      .where("id", "=", p.id),
);
const setKey = query((db, p: { id: string; key: string }) =>
  db.updateTable("conversations").set({ key: p.key }).where("id", "=", p.id),
);

/** Its place leads to it no more: the next message there begins another one. */
export function* setConversationAside(conversation: Conversation): Op<void> {
  const { id } = conversation;
  yield* setKey({ id, key: JSON.stringify([...keyParts(conversation), id]) });
}

/** It goes on at this place; what is there must have been set aside. */
export function* moveConversation(id: ConversationId, place: Place): Op<void> {
  const { listener, chat, thread = null } = place.address;
  yield* setPlace({ id, key: keyOf(place), listener, chat, thread, kind: place.kind });
}

const inChat = query((db, p: { listener: string; chat: string }) =>
  db
    .selectFrom("conversations")
    .selectAll()
    .where("listener", "=", p.listener)
    .where("chat", "=", p.chat),
);

/** Of everybody, in all threads of a chat, also what was set aside. */
export function* conversationsIn(listener: string, chat: string): Op<Listed[]> {
  return (yield* inChat({ listener, chat })).map(toListed);
}

const sharedBefore = query((db, p: { caller: string; before: number }) =>
  db
    .selectFrom("conversations")
    .selectAll()
    .where("caller", "=", p.caller)
    .where("lastAt", "<", p.before),
);

/** Shared ones in which nobody wrote since. */
export function* sharedAndIdle(before: number): Op<Listed[]> {
  const rows = yield* sharedBefore({ caller: everybody, before });
  return rows.map(toListed).filter(({ current }) => current);
}

const move = query((db, p: { id: string; key: string; chat: string }) =>
  db.updateTable("conversations").set({ key: p.key, chat: p.chat }).where("id", "=", p.id),
);

/** A chat got a new id: its conversations go on there. */
export function* moveConversations(listener: string, from: string, to: string): Op<void> {
  for (const row of yield* inChat({ listener, chat: from })) {
    // What was set aside stays so.
    const parts = (JSON.parse(row.key) as string[]).with(1, to);
    const [taken] = yield* byKey({ key: JSON.stringify(parts) });
    const key = JSON.stringify(taken ? [...parts, row.id] : parts);
    yield* move({ id: row.id, key, chat: to });
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

function toListed(row: Row & { key: string; createdAt: number; lastAt: number }): Listed {
  const conversation = toConversation(row);
  const { key, createdAt, lastAt } = row;
  return { ...conversation, current: key === keyOf(conversation), createdAt, lastAt };
}
