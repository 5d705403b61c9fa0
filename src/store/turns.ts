// Turns: one prompt each. running -> stopping -> ended; `effects` is what decides whether it may run again.
import type { ConversationId, Role, TaskId, TurnId } from "../core/words.ts";
import { lit, type Op, query } from "./query.ts";

export type TurnState = "running" | "stopping" | "ended";

export interface Turn {
  readonly id: TurnId;
  readonly task: TaskId;
  readonly conversation: ConversationId;
  readonly caller: string;
  readonly role: Role;
  readonly state: TurnState;
  /** Its agent asks before it changes things. */
  readonly asks: boolean;
  /** Something was allowed, or seen to change, in it. */
  readonly effects: boolean;
  readonly epoch: number;
  readonly run: number;
  readonly startedAt: number;
}

export type NewTurn = Omit<Turn, "state" | "effects" | "run">;

const insert = query(
  (
    db,
    p: {
      id: string;
      task: string;
      conversation: string;
      caller: string;
      role: string;
      asks: number;
      epoch: number;
      startedAt: number;
    },
  ) =>
    db.insertInto("turns").values({
      id: p.id,
      task: p.task,
      conversation: p.conversation,
      caller: p.caller,
      role: p.role,
      state: "running",
      asks: p.asks,
      effects: 0,
      epoch: p.epoch,
      run: 1,
      end: null,
      startedAt: p.startedAt,
      endedAt: null,
    }),
);

export function* addTurn(turn: NewTurn): Op<void> {
  yield* insert({ ...turn, asks: turn.asks ? 1 : 0 });
}

const end = query((db, p: { id: string; end: string; at: number }) =>
  db
    .updateTable("turns")
    .set({ state: "ended", end: p.end, endedAt: p.at })
    .where("id", "=", p.id)
    .where("state", "!=", lit("ended"))
    .returning("state"),
);

/** False when it was ended already. */
export function* endTurn(id: TurnId, how: string, at: number): Op<boolean> {
  return (yield* end({ id, end: how, at })).length > 0;
}

const effects = query((db, p: { id: string }) =>
  db.updateTable("turns").set({ effects: 1 }).where("id", "=", p.id),
);

export function* setEffects(id: TurnId): Op<void> {
  yield* effects({ id });
}

const asking = query((db, _: Record<string, never>) =>
  db.updateTable("turns").set({ asks: 1 }).where("state", "!=", lit("ended")),
);

/** Their agent has just been seen to ask. */
export function* markTurnsAsking(): Op<void> {
  yield* asking({});
}

const stop = query((db, p: { conversation: string; caller: string }) =>
  db
    .updateTable("turns")
    .set({ state: "stopping" })
    .where("conversation", "=", p.conversation)
    .where("caller", "=", p.caller)
    .where("state", "!=", lit("ended"))
    .where("state", "=", "running")
    .returning("id"),
);
const stopOne = query((db, p: { id: string }) =>
  db
    .updateTable("turns")
    .set({ state: "stopping" })
    .where("id", "=", p.id)
    .where("state", "!=", lit("ended"))
    .where("state", "=", "running")
    .returning("id"),
);
const stopAll = query((db, p: { caller: string }) =>
  db
    .updateTable("turns")
    .set({ state: "stopping" })
    .where("caller", "=", p.caller)
    .where("state", "!=", lit("ended"))
    .where("state", "=", "running")
    .returning("id"),
);
/** running -> stopping for the turns of this caller in this conversation; their ids. */
export function* stopTurns(conversation: ConversationId, caller: string): Op<TurnId[]> {
  return (yield* stop({ conversation, caller })).map((row) => row.id);
}

export function* stopTurn(id: TurnId): Op<boolean> {
  return (yield* stopOne({ id })).length > 0;
}

export function* stopTurnsOfCaller(caller: string): Op<TurnId[]> {
  return (yield* stopAll({ caller })).map((row) => row.id);
}

const open = query((db, _: Record<string, never>) =>
  db.selectFrom("turns").selectAll().where("state", "!=", lit("ended")).orderBy("startedAt"),
);

/** Every turn that has not ended, oldest first. */
export function* openTurns(): Op<Turn[]> {
  return (yield* open({})).map(toTurn);
}

const count = query((db, _: Record<string, never>) =>
  db
    .selectFrom("turns")
    .select((eb) => eb.fn.countAll<number>().as("n"))
    .where("state", "!=", lit("ended")),
);

export function* countOpenTurns(): Op<number> {
  return (yield* count({}))[0]?.n ?? 0;
}

const byId = query((db, p: { id: string }) =>
  db.selectFrom("turns").selectAll().where("id", "=", p.id),
);

export function* findTurn(id: TurnId): Op<Turn | undefined> {
  const [row] = yield* byId({ id });
  return row && toTurn(row);
}

const ofTask = query((db, p: { task: string }) =>
  db.selectFrom("turns").selectAll().where("task", "=", p.task).orderBy("startedAt", "desc"),
);

export function* turnsOfTask(task: TaskId): Op<Turn[]> {
  return (yield* ofTask({ task })).map(toTurn);
}

const again = query((db, p: { id: string; epoch: number }) =>
  db
    .updateTable("turns")
    .set((eb) => ({ epoch: p.epoch, run: eb("run", "+", 1) }))
    .where("id", "=", p.id),
);

/** The run after a crash: raised before any code looks at the event again. */
export function* runAgain(id: TurnId, epoch: number): Op<void> {
  yield* again({ id, epoch });
}

const back = query((db, p: { id: string }) =>
  db
    .updateTable("turns")
    .set((eb) => ({ run: eb("run", "-", 1) }))
    .where("id", "=", p.id)
    .where("effects", "=", 0)
    .where("state", "!=", lit("ended"))
    .where("state", "=", "running"),
);

/** A drain gives the run back: the next gateway may take it as if it had not begun. */
export function* giveRunBack(id: TurnId): Op<void> {
  yield* back({ id });
}

interface Row extends Omit<Turn, "asks" | "effects" | "role" | "state"> {
  asks: number;
  effects: number;
  role: string;
  state: string;
}

function toTurn(row: Row): Turn {
  return {
    ...row,
    role: row.role as Role,
    state: row.state as TurnState,
    asks: row.asks === 1,
    effects: row.effects === 1,
  };
}
