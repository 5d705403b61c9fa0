// Failed attempts per sender, and leaky counts per key (a listener's attempts, a caller's tasks).
import { type Op, query } from "./query.ts";

export interface Attempts {
  readonly failures: number;
  readonly blockedUntil: number;
}

const find = query((db, p: { key: string }) =>
  db.selectFrom("attempts").select(["failures", "blockedUntil"]).where("key", "=", p.key),
);
const save = query((db, p: { key: string; failures: number; blockedUntil: number; at: number }) =>
  db
    .insertInto("attempts")
    .values({ key: p.key, failures: p.failures, blockedUntil: p.blockedUntil, at: p.at })
    .onConflict((conflict) =>
      conflict.column("key").doUpdateSet((eb) => ({
        failures: eb.ref("excluded.failures"),
        blockedUntil: eb.ref("excluded.blockedUntil"),
        at: eb.ref("excluded.at"),
      })),
    ),
);
const drop = query((db, p: { key: string }) => db.deleteFrom("attempts").where("key", "=", p.key));

export function* attemptsOf(key: string): Op<Attempts | undefined> {
  return (yield* find({ key }))[0];
}

export function* saveAttempts(key: string, attempts: Attempts, at: number): Op<void> {
  yield* save({ key, ...attempts, at });
}

export function* forgetAttempts(key: string): Op<void> {
  yield* drop({ key });
}

export interface Bucket {
  /** What is in it: tokens left, or tasks spent in the window. */
  readonly tokens: number;
  /** When it was last changed, or its window began. */
  readonly at: number;
}

const findBucket = query((db, p: { key: string }) =>
  db.selectFrom("buckets").select(["tokens", "at"]).where("key", "=", p.key),
);
const saveBucketRow = query((db, p: { key: string; tokens: number; at: number }) =>
  db
    .insertInto("buckets")
    .values({ key: p.key, tokens: p.tokens, at: p.at })
    .onConflict((conflict) =>
      conflict.column("key").doUpdateSet((eb) => ({
        tokens: eb.ref("excluded.tokens"),
        at: eb.ref("excluded.at"),
      })),
    ),
);

export function* bucketOf(key: string): Op<Bucket | undefined> {
  return (yield* findBucket({ key }))[0];
}

export function* saveBucket(key: string, bucket: Bucket): Op<void> {
  yield* saveBucketRow({ key, ...bucket });
}

const bucketsIn = query((db, p: { from: string; to: string; since: number; limit: number }) =>
  db
    .selectFrom("buckets")
    .selectAll()
    .where("key", ">=", p.from)
    .where("key", "<", p.to)
    .where("at", ">", p.since)
    .limit(p.limit),
);

/** Buckets whose key begins with this word and a space. */
export function* bucketsOf(
  word: string,
  since: number,
  limit: number,
): Op<(Bucket & { readonly key: string })[]> {
  // "!" is the character after the space.
  return yield* bucketsIn({ from: `${word} `, to: `${word}!`, since, limit });
}
