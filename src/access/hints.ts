// What is said once a day at most: hints to people we do not serve, and news that anybody can cause.
import type { Sender } from "../core/words.ts";
import { hintedAt, saveHint } from "../store/hints.ts";
import type { Op } from "../store/query.ts";

const day = 86_400_000;

/** True when this sender may be given the hint now; it counts as given. Hints about different things do not count together. */
export function* takeHint(
  { listener, account }: Pick<Sender, "listener" | "account">,
  now: number,
  about = "",
): Op<boolean> {
  return yield* take([`a:${listener}:${account}`, about].filter(Boolean).join(" "), now);
}

/** The same for what may be said again after an hour. */
export function* takeHourly(what: string, now: number): Op<boolean> {
  return yield* take(what, now, day / 24);
}

/** True so many times a day, for all senders together. */
export function* takeOneOf(most: number, what: string, now: number): Op<boolean> {
  for (let n = 1; n <= most; n += 1) if (yield* take(`${what} ${n}`, now)) return true;
  return false;
}

function* take(key: string, now: number, every = day): Op<boolean> {
  const last = yield* hintedAt(key);
  // A clock that went back far counts as a new day.
  if (last !== undefined && Math.abs(now - last) < every) return false;
  yield* saveHint(key, now);
  return true;
}
