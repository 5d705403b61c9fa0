// Single values of the state: the epoch, and which agents have been seen to ask.
import { sql } from "kysely";
import { type Op, query } from "./query.ts";
import { markTurnsAsking } from "./turns.ts";

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

const get = query((db, p: { key: string }) =>
  db.selectFrom("meta").select("value").where("key", "=", p.key),
);
const put = query((db, p: { key: string; value: string }) =>
  db
    .insertInto("meta")
    .values({ key: p.key, value: p.value })
    .onConflict((conflict) =>
      conflict.column("key").doUpdateSet((eb) => ({ value: eb.ref("excluded.value") })),
    ),
);

/** This agent, by its command line, has asked before it changed something. */
export function* hasAsked(command: string): Op<boolean> {
  return (yield* get({ key: `asked ${command}` })).length > 0;
}

/** From here on, and for what it is doing now. */
export function* markAsked(command: string): Op<void> {
  yield* put({ key: `asked ${command}`, value: "1" });
  yield* markTurnsAsking();
}
