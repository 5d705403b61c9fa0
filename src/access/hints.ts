// At most one hint per sender and day.
import type { Sender } from "../core/words.ts";
import { hintedAt, saveHint } from "../store/hints.ts";
import type { Op } from "../store/query.ts";

const day = 86_400_000;

/** True when this sender may be given the hint now; it counts as given. */
export function* takeHint({ listener, account }: Sender, now: number): Op<boolean> {
  const key = `a:${listener}:${account}`;
  const last = yield* hintedAt(key);
  // A clock that went back far counts as a new day.
  if (last !== undefined && Math.abs(now - last) < day) return false;
  yield* saveHint(key, now);
  return true;
}
