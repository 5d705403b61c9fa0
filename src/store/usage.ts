// What was used of the model: one row per day, caller and task, only ever added to.
import { type Kysely, sql } from "kysely";
import { noUsage, plus, type Usage, usageNames } from "../core/usage.ts";
import type { TaskId } from "../core/words.ts";
import { type Op, query } from "./query.ts";
import type { Tables } from "./schema.ts";

export interface UsageOf {
  /** When the day began, UTC. */
  readonly day: number;
  readonly caller: string;
  /** Empty: no task of ours was at work. */
  readonly task: TaskId | "";
}

const add = query((db, p: UsageOf & Usage & Readonly<Record<string, unknown>>) =>
  db
    .insertInto("usage")
    .values({
      day: p.day,
      caller: p.caller,
      task: p.task,
      requests: p.requests,
      bytesIn: p.bytesIn,
      bytesOut: p.bytesOut,
      inputTokens: p.inputTokens,
      outputTokens: p.outputTokens,
      uncounted: p.uncounted,
      guessedTokens: p.guessedTokens,
    })
    .onConflict((conflict) =>
      conflict.columns(["day", "caller", "task"]).doUpdateSet(
        Object.fromEntries(
          usageNames.map((name) => {
            return [name, sql`${sql.ref(`usage.${name}`)} + ${sql.ref(`excluded.${name}`)}`];
          }),
        ),
      ),
    ),
);

export function* addUsage(of: UsageOf, usage: Usage): Op<void> {
  yield* add({ ...of, ...usage });
}

const sums = (db: Kysely<Tables>) =>
  db
    .selectFrom("usage")
    .select(({ fn }) => usageNames.map((name) => fn.sum<number>(name).as(name)));

const ofTask = query((db, p: { task: string }) =>
  sums(db).select("task").where("task", "=", p.task).groupBy("task"),
);
const ofDay = query((db, p: { day: number }) =>
  sums(db).select("caller").where("day", "=", p.day).groupBy("caller"),
);
const ofLatest = query((db, p: { limit: number }) =>
  sums(db)
    .select("task")
    .where("task", "in", (eb) =>
      eb.selectFrom("tasks").select("tasks.id").orderBy("createdAt", "desc").limit(p.limit),
    )
    .groupBy("task"),
);

/** Of all days. */
export function* usageOfTask(task: TaskId): Op<Usage> {
  const [row] = yield* ofTask({ task });
  return row ? toUsage(row) : noUsage;
}

export function* usageOfCallers(day: number): Op<Map<string, Usage>> {
  const rows = yield* ofDay({ day });
  return new Map(rows.map((row) => [row.caller, toUsage(row)]));
}

/** Of the newest tasks, as listTasks gives them; those that used nothing are not in it. */
export function* usageOfTasks(limit: number): Op<Map<TaskId, Usage>> {
  const rows = yield* ofLatest({ limit });
  return new Map(rows.map((row) => [row.task, toUsage(row)]));
}

function toUsage(row: Usage): Usage {
  return plus(noUsage, row);
}
