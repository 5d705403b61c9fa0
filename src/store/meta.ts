// Single values of the state: the epoch.
import { sql } from "kysely";
import { type Op, query } from "./query.ts";

const raise = query((db, _: Record<string, never>) =>
  db
    .insertInto("meta")
    .values({ key: "epoch", value: "1" })
    .onConflict((conflict) =>
      conflict
        .column("key")
        .doUpdateSet({ value: sql<string>`cast(cast(meta.value as integer) + 1 as text)` }),
    )
    .returning("value"),
);

export function* nextEpoch(): Op<number> {
  const [row] = yield* raise({});
  return Number(row?.value);
}
