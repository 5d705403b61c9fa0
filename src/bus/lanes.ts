// Lanes: prompts of one conversation run one after the other, conversations side by side, up to a cap for the whole gateway.
import PQueue from "p-queue";
import type { ConversationId } from "../core/words.ts";

export interface Lanes {
  /** Runs `work` when the lane and a place are free; true when it began at once. */
  enter(conversation: ConversationId, work: () => Promise<void>): boolean;
  /** How many conversations wait for a place. */
  waiting(): number;
  readonly running: number;
  setConcurrency(turns: number): void;
  /** Nothing new begins. */
  close(): void;
  /** Resolves when what runs has ended. */
  idle(): Promise<void>;
}

export function createLanes(concurrency: number, onError: (error: unknown) => void): Lanes {
  const places = new PQueue({ concurrency });
  const tails = new Map<ConversationId, Promise<void>>();
  let closed = false;

  const run = (work: () => Promise<void>) =>
    places.add(async () => {
      if (!closed) await work();
    });
  return {
    enter(conversation, work) {
      const tail = tails.get(conversation);
      const free = tail === undefined && places.pending < places.concurrency;
      const mine = (tail ? tail.then(() => run(work)) : run(work)).catch(onError).then(() => {
        if (tails.get(conversation) === mine) tails.delete(conversation);
      });
      tails.set(conversation, mine);
      return free;
    },
    waiting: () => places.size,
    get running() {
      return places.pending;
    },
    setConcurrency(turns) {
      places.concurrency = turns;
    },
    close() {
      closed = true;
    },
    idle: () => places.onIdle(),
  };
}
