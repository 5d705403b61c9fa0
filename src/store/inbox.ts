// The inbox: every event once; accepted -> started -> done.
import type { ListenerId, Role } from "../core/words.ts";
import { type InboxEntry, type InboxOutcome, toEntry } from "./inbox-row.ts";
import { lit, type Op, query } from "./query.ts";

export interface NewEntry {
  readonly listener: ListenerId;
  readonly key: string;
  readonly kind: string;
  readonly state: "accepted" | "started" | "done";
  readonly outcome: InboxOutcome | null;
  readonly caller: string | null;
  readonly role: Role | null;
  readonly conversation: string | null;
  readonly turn: string | null;
  readonly album: string | null;
  /** null: only the id is kept. */
  readonly body: unknown;
  readonly at: number;
  readonly receivedAt: number;
}

const byKey = query((db, p: { listener: string; key: string }) =>
  db.selectFrom("inbox").select("id").where("listener", "=", p.listener).where("key", "=", p.key),
);

export function* isKnown(listener: ListenerId, key: string): Op<boolean> {
  return (yield* byKey({ listener, key })).length > 0;
}

const whole = query((db, p: { listener: string; key: string }) =>
  db
    .selectFrom("inbox")
    .selectAll()
    .where("listener", "=", p.listener)
    .where("key", "=", p.key)
    .where("bodyJson", "is not", null),
);

/** What is kept of the event that came in under this key. */
export function* findByKey(listener: ListenerId, key: string): Op<InboxEntry | undefined> {
  const [row] = yield* whole({ listener, key });
  return row && toEntry(row);
}

const insert = query(
  (
    db,
    p: {
      listener: string;
      key: string;
      kind: string;
      state: string;
      outcome: string | null;
      caller: string | null;
      role: string | null;
      conversation: string | null;
      turn: string | null;
      album: string | null;
      bodyJson: string | null;
      at: number;
      receivedAt: number;
    },
  ) =>
    db
      .insertInto("inbox")
      .values({
        listener: p.listener,
        key: p.key,
        kind: p.kind,
        state: p.state,
        outcome: p.outcome,
        caller: p.caller,
        role: p.role,
        conversation: p.conversation,
        turn: p.turn,
        album: p.album,
        bodyJson: p.bodyJson,
        at: p.at,
        receivedAt: p.receivedAt,
      })
      .returning("id"),
);

export function* addEntry({ body, ...entry }: NewEntry): Op<number> {
  const [row] = yield* insert({
    ...entry,
    bodyJson: body === null ? null : JSON.stringify(body),
  });
  return row?.id ?? 0;
}

const openIn = query((db, p: { conversation: string }) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom("inbox")
        .select("id")
        .where("conversation", "=", p.conversation)
        .where("state", "!=", lit("done"))
        .where("kind", "=", "prompt")
        .limit(21)
        .as("open"),
    )
    .select((eb) => eb.fn.countAll<number>().as("n")),
);

/** Prompts of this conversation that are not done; counts to 21. */
export function* countOpen(conversation: string): Op<number> {
  return (yield* openIn({ conversation }))[0]?.n ?? 0;
}

const anonymous = query((db, p: { listener: string }) =>
  db
    .selectFrom("inbox")
    .select("id")
    .where("listener", "=", p.listener)
    .where("role", "=", "anonymous")
    .where("kind", "=", "prompt")
    .where("state", "!=", lit("done")),
);

/** Prompts of people we do not know that are not done. */
export function* countAnonymous(listener: ListenerId): Op<number> {
  return (yield* anonymous({ listener })).length;
}

const waiting = query((db, p: { conversation: string; limit: number }) =>
  db
    .selectFrom("inbox")
    .selectAll()
    .where("conversation", "=", p.conversation)
    .where("state", "!=", lit("done"))
    .where("state", "=", "accepted")
    .where("kind", "=", "prompt")
    .orderBy("id")
    .limit(p.limit),
);

export function* waitingPrompts(conversation: string, limit: number): Op<InboxEntry[]> {
  return (yield* waiting({ conversation, limit })).map(toEntry);
}

const ofTurn = query((db, p: { turn: string }) =>
  db.selectFrom("inbox").selectAll().where("turn", "=", p.turn).orderBy("id"),
);

export function* promptsOfTurn(turn: string): Op<InboxEntry[]> {
  return (yield* ofTurn({ turn })).map(toEntry);
}

const start = query((db, p: { id: number; turn: string }) =>
  db.updateTable("inbox").set({ state: "started", turn: p.turn }).where("id", "=", p.id),
);

export function* startEntry(id: number, turn: string): Op<void> {
  yield* start({ id, turn });
}

const finishOne = query((db, p: { id: number; outcome: string }) =>
  db.updateTable("inbox").set({ state: "done", outcome: p.outcome }).where("id", "=", p.id),
);

export function* finishEntry(id: number, outcome: InboxOutcome): Op<void> {
  yield* finishOne({ id, outcome });
}

const finishTurn = query((db, p: { turn: string; outcome: string }) =>
  db.updateTable("inbox").set({ state: "done", outcome: p.outcome }).where("turn", "=", p.turn),
);

export function* finishTurnEntries(turn: string, outcome: InboxOutcome): Op<void> {
  yield* finishTurn({ turn, outcome });
}

const cancelWaiting = query((db, p: { conversation: string; caller: string; before: number }) =>
  db
    .updateTable("inbox")
    .set({ state: "done", outcome: "cancelled" })
    .where("conversation", "=", p.conversation)
    .where("caller", "=", p.caller)
    .where("state", "!=", lit("done"))
    .where("state", "=", "accepted")
    .where("kind", "=", "prompt")
    .where("id", "<", p.before)
    .returning("id"),
);

/** Takes back a caller's prompts of a conversation that did not start; how many. */
export function* cancelWaitingPrompts(p: {
  conversation: string;
  caller: string;
  before: number;
}): Op<number> {
  return (yield* cancelWaiting(p)).length;
}

const cancelIn = query((db, p: { conversation: string }) =>
  db
    .updateTable("inbox")
    .set({ state: "done", outcome: "cancelled" })
    .where("conversation", "=", p.conversation)
    .where("state", "!=", lit("done"))
    .where("state", "=", "accepted")
    .where("kind", "=", "prompt")
    .returning("id"),
);

/** Takes back every prompt of a conversation that did not start; how many. */
export function* cancelAllWaiting(conversation: string): Op<number> {
  return (yield* cancelIn({ conversation })).length;
}

const cancelOfCaller = query((db, p: { caller: string }) =>
  db
    .updateTable("inbox")
    .set({ state: "done", outcome: "cancelled" })
    .where("caller", "=", p.caller)
    .where("state", "!=", lit("done"))
    .where("state", "=", "accepted"),
);

/** A caller lost its right: nothing of theirs that waits will run. */
export function* cancelCallerEntries(caller: string): Op<void> {
  yield* cancelOfCaller({ caller });
}

const accepted = query((db, p: { kind: string }) =>
  db
    .selectFrom("inbox")
    .selectAll()
    .where("state", "!=", lit("done"))
    .where("state", "=", "accepted")
    .where("kind", "!=", p.kind)
    .orderBy("id"),
);

/** Commands, presses and answers that a dead gateway had accepted and not handled. */
export function* unhandledEntries(): Op<InboxEntry[]> {
  return (yield* accepted({ kind: "prompt" })).map(toEntry);
}

const lanes = query((db, _: Record<string, never>) =>
  db
    .selectFrom("inbox")
    .select("conversation")
    .distinct()
    .where("state", "!=", lit("done"))
    .where("state", "=", "accepted")
    .where("kind", "=", "prompt"),
);

export function* waitingConversations(): Op<string[]> {
  return (yield* lanes({})).flatMap((row) => (row.conversation ? [row.conversation] : []));
}

const reported = query((db, p: { conversation: string; caller: string }) =>
  db
    .selectFrom("inbox")
    .innerJoin("buttons", "buttons.inbox", "inbox.id")
    .select("inbox.id")
    .where("inbox.conversation", "=", p.conversation)
    .where("inbox.caller", "=", p.caller)
    .where("inbox.outcome", "=", "reported")
    .orderBy("inbox.id", "desc")
    .limit(1),
);

/** The newest prompt here that was reported after a crash and not retried since. */
export function* lastReported(conversation: string, caller: string): Op<number | undefined> {
  return (yield* reported({ conversation, caller }))[0]?.id;
}

const one = query((db, p: { id: number }) =>
  db.selectFrom("inbox").selectAll().where("id", "=", p.id),
);

export function* findEntry(id: number): Op<InboxEntry | undefined> {
  const [row] = yield* one({ id });
  return row && toEntry(row);
}
