// Marks of messages that were seen: whoever repeats one is not heard.
import type { ListenerId } from "../core/words.ts";
import { type Op, query } from "./query.ts";

const find = query((db, p: { listener: string; mark: string; after: number }) =>
  db
    .selectFrom("marks")
    .select("mark")
    .where("listener", "=", p.listener)
    .where("mark", "=", p.mark)
    .where("at", ">", p.after),
);
const save = query((db, p: { listener: string; mark: string; at: number }) =>
  db
    .insertInto("marks")
    .values({ listener: p.listener, mark: p.mark, at: p.at })
    .onConflict((conflict) =>
      conflict.columns(["listener", "mark"]).doUpdateSet((eb) => ({ at: eb.ref("excluded.at") })),
    ),
);

export interface Marked {
  readonly listener: ListenerId;
  readonly marks: readonly string[];
}

/** One of them was seen since. */
export function* isMarked({ listener, marks }: Marked, after: number): Op<boolean> {
  for (const mark of marks) if ((yield* find({ listener, mark, after })).length > 0) return true;
  return false;
}

export function* keepMarks({ listener, marks }: Marked, at: number): Op<void> {
  for (const mark of marks) yield* save({ listener, mark, at });
}
