// What a page shows of a conversation: what was written in it, and what went out to its chat, newest first.
import type { InboundEvent } from "../core/events.ts";
import type { Address, ConversationId, ListenerId } from "../core/words.ts";
import { type OutboxRow, toRow } from "./outbox-row.ts";
import { lit, type Op, query } from "./query.ts";

export interface Page {
  /** Ms since 1970: only what is older. */
  readonly before: number;
  readonly limit: number;
}

export interface SaidRow {
  readonly id: number;
  readonly listener: ListenerId;
  readonly caller: string | null;
  /** It has not begun yet. */
  readonly waits: boolean;
  readonly receivedAt: number;
  readonly event: InboundEvent;
}

const said = query((db, p: { conversation: string; before: number; limit: number }) =>
  db
    .selectFrom("inbox")
    .select(["id", "listener", "caller", "kind", "state", "receivedAt", "bodyJson"])
    .where("conversation", "=", p.conversation)
    .where("receivedAt", "<", p.before)
    .where("kind", "in", [lit("prompt"), lit("answer"), lit("command")])
    .where("bodyJson", "is not", null)
    .orderBy("receivedAt", "desc")
    .orderBy("id", "desc")
    .limit(p.limit),
);

/** Prompts, answers to questions and commands, as they were written. */
export function* saidIn(conversation: ConversationId, page: Page): Op<SaidRow[]> {
  const rows = yield* said({ conversation, ...page });
  return rows.map(({ bodyJson, kind, state, ...row }) => ({
    ...row,
    waits: state === "accepted" && kind === "prompt",
    event: JSON.parse(bodyJson ?? "null") as InboundEvent,
  }));
}

export interface PostedRow extends OutboxRow {
  /** Of its turn; null: it is of none, or of one that is forgotten. */
  readonly conversation: ConversationId | null;
}

type InChat = { listener: string; chat: string; thread: string; before: number; limit: number };

const posted = query((db, p: InChat) =>
  db
    .selectFrom("outbox")
    .leftJoin("turns", "turns.id", "outbox.turn")
    .selectAll("outbox")
    .select("turns.conversation")
    .where("outbox.listener", "=", p.listener)
    .where("outbox.chat", "=", p.chat)
    .where("outbox.createdAt", "<", p.before)
    .where((eb) => eb(eb.fn.coalesce("outbox.thread", eb.val("")), "=", p.thread))
    .orderBy("outbox.createdAt", "desc")
    .orderBy("outbox.id", "desc")
    .limit(p.limit),
);

/** Everything that went there, whomever it was for. */
export function* postedTo({ listener, chat, thread = "" }: Address, page: Page): Op<PostedRow[]> {
  return (yield* posted({ listener, chat, thread, ...page })).map(toPosted);
}

const ofTasks = query((db, p: { conversation: string; before: number; limit: number }) =>
  db
    .selectFrom("tasks")
    .innerJoin("turns", "turns.task", "tasks.id")
    .innerJoin("outbox", "outbox.turn", "turns.id")
    .selectAll("outbox")
    .select("turns.conversation")
    .where("tasks.conversation", "=", p.conversation)
    .where("outbox.createdAt", "<", p.before)
    .orderBy("outbox.createdAt", "desc")
    .orderBy("outbox.id", "desc")
    .limit(p.limit),
);
const cardsOfTasks = query((db, p: { conversation: string; before: number; limit: number }) =>
  db
    .selectFrom("tasks")
    .innerJoin("questions", "questions.task", "tasks.id")
    .innerJoin("cards", "cards.question", "questions.id")
    .innerJoin("outbox", "outbox.id", "cards.outbox")
    .selectAll("outbox")
    .select("questions.conversation")
    .where("tasks.conversation", "=", p.conversation)
    .where("outbox.createdAt", "<", p.before)
    .orderBy("outbox.createdAt", "desc")
    .orderBy("outbox.id", "desc")
    .limit(p.limit),
);

/** Answers and cards of one conversation, wherever its cards went: what a person has of a group without what others have of it. */
export function* postedFor(conversation: ConversationId, page: Page): Op<PostedRow[]> {
  const answers = yield* ofTasks({ conversation, ...page });
  const cards = yield* cardsOfTasks({ conversation, ...page });
  return [...answers, ...cards].map(toPosted);
}

const notices = query(
  (db, p: { listener: string; chat: string; from: number; before: number; limit: number }) =>
    db
      .selectFrom("outbox")
      .selectAll()
      .where("listener", "=", p.listener)
      .where("chat", "=", p.chat)
      .where("createdAt", "<", p.before)
      .where("createdAt", ">=", p.from)
      .where("turn", "is", null)
      .where("question", "is", null)
      .orderBy("createdAt", "desc")
      .limit(p.limit),
);

/** Short answers of the gateway itself in a chat. */
export function* noticesTo(
  { listener, chat }: Address,
  page: Page & { readonly from: number },
): Op<PostedRow[]> {
  const rows = yield* notices({ listener, chat, ...page });
  return rows.map((row) => toPosted({ ...row, conversation: null }));
}

function toPosted(row: Parameters<typeof toRow>[0] & { conversation: string | null }): PostedRow {
  return { ...toRow(row), conversation: row.conversation };
}

const line = query((db, _: Record<string, never>) =>
  db
    .selectFrom("inbox")
    .select((eb) => ["conversation", eb.fn.min("id").as("first")])
    .where("state", "!=", lit("done"))
    .where("state", "=", "accepted")
    .where("kind", "=", "prompt")
    .groupBy("conversation")
    .orderBy("first"),
);

/** Conversations with prompts that have not begun, the one that waits longest first. */
export function* waitingLine(): Op<string[]> {
  return (yield* line({})).flatMap(({ conversation }) => conversation ?? []);
}
