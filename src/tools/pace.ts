// How fast the messages of one sandbox are taken, over all its connections: whoever is faster waits.
import { setImmediate as breathe, setTimeout as wait } from "node:timers/promises";

export interface Pace {
  /** Resolves when the next one may be taken. `bytes`: its size, as a large one takes longer. */
  next(bytes?: number): Promise<void>;
  /** Nothing is left to be waited for: a new one would be no more generous. */
  isFresh(): boolean;
}

const everyMs = 20;
/** That many at once are no flood. */
const burst = 200;
const bytesOfOne = 16 * 1024;

export function createPace(): Pace {
  let due = Number.NEGATIVE_INFINITY;
  const earliest = () => performance.now() - burst * everyMs;
  return {
    async next(bytes = 0) {
      due = Math.max(due, earliest()) + everyMs * (1 + bytes / bytesOfOne);
      const ahead = due - performance.now();
      // Others have their turn between any two messages.
      await (ahead > 0 ? wait(ahead) : breathe());
    },
    isFresh: () => due <= earliest(),
  };
}
