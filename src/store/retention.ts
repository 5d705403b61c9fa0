// Retention: what is older than the limit goes, a few rows at a time, so that nothing waits for it.
import type { Compilable, Kysely } from "kysely";
import { type Op, query } from "./query.ts";
import type { Tables } from "./schema.ts";

interface Step {
  readonly before: number;
  readonly rows: number;
}
type Sweep = (step: Step) => Op<readonly unknown[]>;

const sweep = (
  build: (db: Kysely<Tables>, p: Step & Readonly<Record<string, unknown>>) => Compilable<unknown>,
): Sweep => {
  const run = query(build);
  return (step) => run({ ...step });
};

/** Children before their parents; what is not finished stays, however old. */
const sweeps: readonly Sweep[] = [
  sweep((db, p) =>
    db
      .deleteFrom("buttons")
      .where("token", "in", (eb) =>
        eb.selectFrom("buttons").select("token").where("createdAt", "<", p.before).limit(p.rows),
      )
      .returning("token"),
  ),
  sweep((db, p) =>
    db
      .deleteFrom("cards")
      .where("id", "in", (eb) =>
        eb
          .selectFrom("cards")
          .innerJoin("questions", "questions.id", "cards.question")
          .select("cards.id")
          .where("questions.createdAt", "<", p.before)
          .where("questions.state", "!=", "pending")
          .limit(p.rows),
      )
      .returning("id"),
  ),
  sweep((db, p) =>
    db
      .deleteFrom("questions")
      .where("id", "in", (eb) =>
        eb
          .selectFrom("questions")
          .select("id")
          .where("createdAt", "<", p.before)
          .where("state", "!=", "pending")
          .limit(p.rows),
      )
      .returning("id"),
  ),
  sweep((db, p) =>
    db
      .deleteFrom("outbox")
      .where("id", "in", (eb) =>
        eb
          .selectFrom("outbox")
          .select("id")
          .where("createdAt", "<", p.before)
          .where("state", "in", ["sent", "failed", "ambiguous"])
          .limit(p.rows),
      )
      .returning("id"),
  ),
  sweep((db, p) =>
    db
      .deleteFrom("inbox")
      .where("id", "in", (eb) =>
        eb
          .selectFrom("inbox")
          .select("id")
          .where("receivedAt", "<", p.before)
          .where("state", "=", "done")
          .limit(p.rows),
      )
      .returning("id"),
  ),
  sweep((db, p) =>
    db
      .deleteFrom("grants")
      .where("task", "in", (eb) =>
        eb.selectFrom("grants").select("task").where("at", "<", p.before).limit(p.rows),
      )
      .returning("task"),
  ),
  sweep((db, p) =>
    db
      .deleteFrom("turns")
      .where("id", "in", (eb) =>
        eb
          .selectFrom("turns")
          .select("id")
          .where("startedAt", "<", p.before)
          .where("state", "=", "ended")
          .limit(p.rows),
      )
      .returning("id"),
  ),
  sweep((db, p) =>
    db
      .deleteFrom("tasks")
      .where("id", "in", (eb) =>
        eb
          .selectFrom("tasks")
          .select("id")
          .where("createdAt", "<", p.before)
          .where("state", "in", ["completed", "failed", "canceled", "rejected"])
          .limit(p.rows),
      )
      .returning("id"),
  ),
  sweep((db, p) =>
    db
      .deleteFrom("audit")
      .where("id", "in", (eb) =>
        eb.selectFrom("audit").select("id").where("at", "<", p.before).limit(p.rows),
      )
      .returning("id"),
  ),
  sweep((db, p) =>
    db
      .deleteFrom("usage")
      .where("id", "in", (eb) =>
        eb.selectFrom("usage").select("id").where("day", "<", p.before).limit(p.rows),
      )
      .returning("id"),
  ),
  sweep((db, p) =>
    db
      .deleteFrom("codes")
      .where("hmac", "in", (eb) =>
        eb.selectFrom("codes").select("hmac").where("expiresAt", "<", p.before).limit(p.rows),
      )
      .returning("hmac"),
  ),
  ...(["links", "sessions"] as const).map((table) =>
    sweep((db, p) =>
      db
        .deleteFrom(table)
        .where("hash", "in", (eb) =>
          eb.selectFrom(table).select("hash").where("expiresAt", "<", p.before).limit(p.rows),
        )
        .returning("hash"),
    ),
  ),
  // Names of chats that are not open: anybody may have added us there.
  sweep((db, p) =>
    db
      .deleteFrom("chats")
      .where(({ eb, refTuple, selectFrom }) =>
        eb(
          refTuple("listener", "chat"),
          "in",
          selectFrom("chats")
            .select(["listener", "chat"])
            .where("enabled", "=", 0)
            .where("shared", "=", 0)
            .where("changedAt", "<", p.before)
            .limit(p.rows)
            .$asTuple("listener", "chat"),
        ),
      )
      .returning("chat"),
  ),
  // What strangers leave behind: one small row each.
  ...(["attempts", "buckets", "hints"] as const).map((table) =>
    sweep((db, p) =>
      db
        .deleteFrom(table)
        .where("key", "in", (eb) =>
          eb.selectFrom(table).select("key").where("at", "<", p.before).limit(p.rows),
        )
        .returning("key"),
    ),
  ),
];

const marks = sweep((db, p) =>
  db
    .deleteFrom("marks")
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple("listener", "mark"),
        "in",
        selectFrom("marks")
          .select(["listener", "mark"])
          .where("at", "<", p.before)
          .limit(p.rows)
          .$asTuple("listener", "mark"),
      ),
    )
    .returning("mark"),
);

/** How long it is known that a message was seen, however long all else is kept. */
export const marksKept = 30 * 86_400_000;

/** One small step; how many rows went. */
export function* forgetMarks(now: number, rows: number): Op<number> {
  return (yield* marks({ before: now - marksKept, rows })).length;
}

/** One small step; how many rows went. Zero: nothing old is left. */
export function* forgetBefore(before: number, rows: number): Op<number> {
  for (const step of sweeps) {
    const gone = yield* step({ before, rows });
    if (gone.length > 0) return gone.length;
  }
  return 0;
}
