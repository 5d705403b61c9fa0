// What wrong codes cost: a growing wait for their sender, and a narrow door for all of a listener that failed before.
import type { ListenerId, Sender } from "../core/words.ts";
import {
  attemptsOf,
  bucketOf,
  forgetAttempts,
  saveAttempts,
  saveBucket,
} from "../store/attempts.ts";
import type { Op } from "../store/query.ts";

const longest = 3_600_000;
const burst = 20;
/** Senders that failed share one attempt in this many ms. */
const pace = 1000;

/** False: the attempt does not count, right or wrong. A sender's first one always does. */
export function* mayTry(sender: Sender, now: number): Op<boolean> {
  const before = yield* attemptsOf(keyOf(sender));
  if (!before) return true;
  const left = before.blockedUntil - now;
  // More than was ever set: the clock went back, and that blocks nobody for longer.
  if (left > 0 && left <= waitAfter(before.failures)) return false;
  return yield* passDoor(sender.listener, now);
}

export function* countFailure(sender: Sender, now: number): Op<void> {
  const key = keyOf(sender);
  const failures = ((yield* attemptsOf(key))?.failures ?? 0) + 1;
  yield* saveAttempts(key, { failures, blockedUntil: now + waitAfter(failures) }, now);
}

export function* forgetFailures(sender: Sender): Op<void> {
  yield* forgetAttempts(keyOf(sender));
}

function keyOf({ listener, account }: Sender): string {
  return `code a:${listener}:${account}`;
}

/** Three are free; then 30 s, doubling to an hour. */
function waitAfter(failures: number): number {
  return failures < 3 ? 0 : Math.min(longest, 30_000 * 2 ** (failures - 3));
}

function* passDoor(listener: ListenerId, now: number): Op<boolean> {
  const key = `codes ${listener}`;
  const before = yield* bucketOf(key);
  // None yet, or one of a clock that was ahead: it begins full.
  const { tokens, at } = before && before.at <= now ? before : { tokens: burst, at: now };
  const earned = Math.floor((now - at) / pace);
  const filled = Math.min(burst, tokens + earned);
  if (filled < 1) return false;
  yield* saveBucket(key, { tokens: filled - 1, at: at + earned * pace });
  return true;
}
