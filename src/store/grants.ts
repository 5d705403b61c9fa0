// Grants: "allow for this task", for a tool kind and its exact target; they end with the task.
import type { TaskId } from "../core/words.ts";
import { type Op, query } from "./query.ts";

interface Grant {
  readonly task: TaskId;
  readonly kind: string;
  readonly target: string;
}

const find = query((db, p: Grant & Readonly<Record<string, unknown>>) =>
  db
    .selectFrom("grants")
    .select("byCaller")
    .where("task", "=", p.task)
    .where("kind", "=", p.kind)
    .where("target", "=", p.target),
);

export function* findGrant(grant: Grant): Op<{ by: string } | undefined> {
  const [row] = yield* find({ ...grant });
  return row && { by: row.byCaller };
}

const insert = query(
  (db, p: Grant & { by: string; at: number } & Readonly<Record<string, unknown>>) =>
    db
      .insertInto("grants")
      .values({ task: p.task, kind: p.kind, target: p.target, byCaller: p.by, at: p.at })
      .onConflict((conflict) => conflict.doNothing()),
);

export function* addGrant(grant: Grant, by: string, at: number): Op<void> {
  yield* insert({ ...grant, by, at });
}
