// The outbox: one row per part, written before the first send; pending -> sending -> sent, failed or ambiguous.
import type { Button, Only, OutFile } from "../core/channel.ts";
import type { MessageRef } from "../core/events.ts";
import type { Address, TurnId } from "../core/words.ts";
import { type OutboxKind, type OutboxRow, type OutboxState, toRow } from "./outbox-row.ts";
import { lit, type Op, query } from "./query.ts";

export interface NewPart {
  readonly kind: OutboxKind;
  readonly state: "pending" | "sending";
  readonly turn?: TurnId | null;
  readonly question?: string | null;
  readonly seq?: number;
  readonly to: Address;
  readonly body?: string;
  readonly plain: string;
  readonly buttons?: readonly Button[];
  readonly file?: OutFile;
  readonly replyTo?: MessageRef;
  /** Shown to this account of the chat alone. */
  readonly only?: Only;
  /** Its file goes with the message of this row, and is never sent by itself. */
  readonly goesWith?: number;
  readonly at: number;
}

interface Insert extends Readonly<Record<string, unknown>> {
  kind: string;
  state: string;
  turn: string | null;
  question: string | null;
  seq: number;
  listener: string;
  chat: string;
  thread: string | null;
  body: string | null;
  plain: string;
  buttonsJson: string | null;
  fileJson: string | null;
  replyToJson: string | null;
  onlyJson: string | null;
  along: number | null;
  attempts: number;
  createdAt: number;
}

const insert = query((db, p: Insert) =>
  db
    .insertInto("outbox")
    .values({
      kind: p.kind,
      state: p.state,
      turn: p.turn,
      question: p.question,
      seq: p.seq,
      listener: p.listener,
      chat: p.chat,
      thread: p.thread,
      body: p.body,
      plain: p.plain,
      buttonsJson: p.buttonsJson,
      fileJson: p.fileJson,
      replyToJson: p.replyToJson,
      onlyJson: p.onlyJson,
      along: p.along,
      refJson: null,
      attempts: p.attempts,
      error: null,
      createdAt: p.createdAt,
      sentAt: null,
    })
    .returning("id"),
);

export function* addPart(part: NewPart): Op<OutboxRow> {
  const { turn = null, question = null, seq = 0, buttons = [], file, replyTo, only, to } = part;
  const attempts = part.state === "sending" ? 1 : 0;
  const [row] = yield* insert({
    kind: part.kind,
    state: part.state,
    turn,
    question,
    seq,
    listener: to.listener,
    chat: to.chat,
    thread: to.thread ?? null,
    body: part.body ?? null,
    plain: part.plain,
    buttonsJson: buttons.length > 0 ? JSON.stringify(buttons) : null,
    fileJson: file ? JSON.stringify(file) : null,
    replyToJson: replyTo ? JSON.stringify(replyTo) : null,
    onlyJson: only ? JSON.stringify(only) : null,
    along: part.goesWith ?? null,
    attempts,
    createdAt: part.at,
  });
  return {
    id: row?.id ?? 0,
    kind: part.kind,
    state: part.state,
    turn,
    question,
    seq,
    to,
    ...(part.body === undefined ? {} : { body: part.body }),
    plain: part.plain,
    buttons,
    file: file ?? null,
    replyTo: replyTo ?? null,
    only: only ?? null,
    ref: null,
    attempts,
    createdAt: part.at,
  };
}

const state = query((db, p: { id: number; state: string; error: string | null }) =>
  db.updateTable("outbox").set({ state: p.state, error: p.error }).where("id", "=", p.id),
);

export function* setOutboxState(id: number, value: OutboxState, error?: string): Op<void> {
  yield* state({ id, state: value, error: error ?? null });
}

const begin = query((db, p: { id: number }) =>
  db
    .updateTable("outbox")
    .set((eb) => ({ state: "sending", attempts: eb("attempts", "+", 1) }))
    .where("id", "=", p.id)
    .where("state", "in", [lit("pending"), lit("sending")])
    .returningAll(),
);

/** Committed before the socket is written; undefined when nothing is to be sent any more. */
export function* beginSend(id: number): Op<OutboxRow | undefined> {
  const [row] = yield* begin({ id });
  return row && toRow(row);
}

const sent = query((db, p: { id: number; refJson: string; at: number }) =>
  db
    .updateTable("outbox")
    .set((eb) => ({
      state: eb.case().when("state", "=", "sending").then("sent").else(eb.ref("state")).end(),
      refJson: p.refJson,
      sentAt: p.at,
      error: null,
    }))
    .where("id", "=", p.id),
);

/** It is there. A row that was asked to change meanwhile stays pending, now as an edit. */
export function* markSent(id: number, ref: MessageRef, at: number): Op<void> {
  yield* sent({ id, refJson: JSON.stringify(ref), at });
}

const rewrite = query(
  (
    db,
    p: {
      id: number;
      state: string;
      body: string | null;
      plain: string;
      buttonsJson: string | null;
    },
  ) =>
    db
      .updateTable("outbox")
      .set({ state: p.state, body: p.body, plain: p.plain, buttonsJson: p.buttonsJson })
      .where("id", "=", p.id)
      .returningAll(),
);

/** A message that exists gets new text: it goes out again as an edit. */
export function* rewritePart(p: {
  id: number;
  state: "pending" | "sending";
  body?: string;
  plain: string;
  buttons?: readonly Button[];
}): Op<OutboxRow | undefined> {
  const { buttons = [], body = null, ...rest } = p;
  const change = { ...rest, body };
  const buttonsJson = buttons.length > 0 ? JSON.stringify(buttons) : null;
  const [row] = yield* rewrite({ ...change, buttonsJson });
  return row && toRow(row);
}

const refresh = query((db, p: { question: string }) =>
  db
    .updateTable("outbox")
    .set({ state: "pending" })
    .where("question", "=", p.question)
    .where("kind", "=", "card")
    .where("state", "in", ["pending", "sent", "sending"])
    .returningAll(),
);

/** Every copy of a question's card is to be shown anew. */
export function* refreshCards(question: string): Op<OutboxRow[]> {
  return (yield* refresh({ question })).map(toRow);
}

const ofTurn = query((db, p: { turn: string }) =>
  db
    .selectFrom("outbox")
    .selectAll()
    .where("turn", "=", p.turn)
    .where("kind", "=", "reply")
    .orderBy("seq"),
);

export function* repliesOf(turn: TurnId): Op<OutboxRow[]> {
  return (yield* ofTurn({ turn })).map(toRow);
}

const notices = query((db, p: { turn: string }) =>
  db
    .selectFrom("outbox")
    .select("id")
    .where("turn", "=", p.turn)
    .where("kind", "=", "notice")
    .where("fileJson", "is", null)
    .limit(1),
);

/** Its people were told before the end that it goes on. */
export function* hasNotice(turn: TurnId): Op<boolean> {
  return (yield* notices({ turn })).length > 0;
}

const open = query((db, _: Record<string, never>) =>
  db
    .selectFrom("outbox")
    .selectAll()
    .where("state", "in", [lit("pending"), lit("sending")])
    .where("along", "is", null)
    .orderBy("id"),
);

/** Without what goes along with another. */
export function* undelivered(): Op<OutboxRow[]> {
  return (yield* open({})).map(toRow);
}

const byId = query((db, p: { id: number }) =>
  db.selectFrom("outbox").selectAll().where("id", "=", p.id),
);

export function* findPart(id: number): Op<OutboxRow | undefined> {
  const [row] = yield* byId({ id });
  return row && toRow(row);
}

const move = query((db, p: { listener: string; from: string; to: string }) =>
  db
    .updateTable("outbox")
    .set({ chat: p.to })
    .where("listener", "=", p.listener)
    .where("chat", "=", p.from)
    .where("state", "in", [lit("pending"), lit("sending")]),
);

const postAnew = query((db, p: { question: string; chat: string; to: string }) =>
  db
    .updateTable("outbox")
    .set({ chat: p.to, state: "pending", refJson: null, replyToJson: null })
    .where("question", "=", p.question)
    .where("chat", "=", p.chat)
    .where("kind", "=", "card")
    .where("state", "=", "sent")
    .returningAll(),
);

/** Gives the cards of the open questions: their messages stay behind, so they are shown anew. */
export function* moveOutbox(
  listener: string,
  { from, to }: { from: string; to: string },
  open: readonly string[],
): Op<OutboxRow[]> {
  yield* move({ listener, from, to });
  const rows: OutboxRow[] = [];
  for (const question of open)
    rows.push(...(yield* postAnew({ question, chat: from, to })).map(toRow));
  return rows;
}
