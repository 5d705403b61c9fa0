// Tasks: one piece of work a caller started, in A2A's states.
import type { ConversationId, TaskId, TaskState } from "../core/words.ts";
import { type Op, query } from "./query.ts";

export interface Task {
  readonly id: TaskId;
  readonly conversation: ConversationId;
  readonly caller: string;
  readonly callerName: string;
  /** The first words of the request. */
  readonly title: string;
  readonly state: TaskState;
  readonly reason: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export type NewTask = Pick<Task, "id" | "conversation" | "caller" | "callerName" | "title"> & {
  readonly at: number;
};

const insert = query((db, p: NewTask & Readonly<Record<string, unknown>>) =>
  db.insertInto("tasks").values({
    id: p.id,
    conversation: p.conversation,
    caller: p.caller,
    callerName: p.callerName,
    title: p.title,
    state: "working",
    reason: null,
    createdAt: p.at,
    updatedAt: p.at,
  }),
);

export function* addTask(task: NewTask): Op<void> {
  yield* insert({ ...task });
}

const update = query((db, p: { id: string; state: string; reason: string | null; at: number }) =>
  db
    .updateTable("tasks")
    .set({ state: p.state, reason: p.reason, updatedAt: p.at })
    .where("id", "=", p.id),
);

export interface TaskChange {
  readonly id: TaskId;
  readonly state: TaskState;
  readonly at: number;
  readonly reason?: string | null;
}

export function* setTaskState({ reason = null, ...change }: TaskChange): Op<void> {
  yield* update({ ...change, reason });
}

const byId = query((db, p: { id: string }) =>
  db.selectFrom("tasks").selectAll().where("id", "=", p.id),
);

export function* findTask(id: TaskId): Op<Task | undefined> {
  const [row] = yield* byId({ id });
  return row && toTask(row);
}

const recent = query((db, p: { limit: number }) =>
  db.selectFrom("tasks").selectAll().orderBy("createdAt", "desc").limit(p.limit),
);
const ofCaller = query((db, p: { caller: string; limit: number }) =>
  db
    .selectFrom("tasks")
    .selectAll()
    .where("caller", "=", p.caller)
    .orderBy("createdAt", "desc")
    .limit(p.limit),
);

/** Newest first; of one caller, or of all. */
export function* listTasks(limit: number, caller?: string): Op<Task[]> {
  const rows = caller === undefined ? yield* recent({ limit }) : yield* ofCaller({ caller, limit });
  return rows.map(toTask);
}

const inConversation = query((db, p: { conversation: string; limit: number }) =>
  db
    .selectFrom("tasks")
    .selectAll()
    .where("conversation", "=", p.conversation)
    .orderBy("createdAt", "desc")
    .limit(p.limit),
);

/** Newest first. */
export function* listTasksIn(conversation: ConversationId, limit: number): Op<Task[]> {
  return (yield* inConversation({ conversation, limit })).map(toTask);
}

export function* latestTaskIn(conversation: ConversationId): Op<Task | undefined> {
  return (yield* listTasksIn(conversation, 1))[0];
}

function toTask(row: Omit<Task, "state"> & { state: string }): Task {
  return { ...row, state: row.state as TaskState };
}
