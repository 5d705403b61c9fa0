// When a stranger was last given the hint.
import { type Op, query } from "./query.ts";

const find = query((db, p: { key: string }) =>
  db.selectFrom("hints").select("at").where("key", "=", p.key),
);
const save = query((db, p: { key: string; at: number }) =>
  db
    .insertInto("hints")
    .values({ key: p.key, at: p.at })
    .onConflict((conflict) =>
      conflict.column("key").doUpdateSet((eb) => ({ at: eb.ref("excluded.at") })),
    ),
);

export function* hintedAt(key: string): Op<number | undefined> {
  return (yield* find({ key }))[0]?.at;
}

export function* saveHint(key: string, at: number): Op<void> {
  yield* save({ key, at });
}
