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
  /** What runs waits for people, who take their time: its place is another's until the function that this gives is called. */
  stepAside(): () => void;
  /** Nothing new begins. */
  close(): void;
  /** Resolves when what runs has ended. */
  idle(): Promise<void>;
}

/** So many places more: what waits holds an agent all the same. */
const asideMost = 16;

export function createLanes(concurrency: number, onError: (error: unknown) => void): Lanes {
  const places = new PQueue({ concurrency });
  const tails = new Map<ConversationId, Promise<void>>();
  let closed = false;
  let most = concurrency;
  let aside = 0;
  const adapt = () => {
    places.concurrency = most + Math.min(aside, asideMost);
  };

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
      most = turns;
      adapt();
    },
    stepAside() {
      aside += 1;
      adapt();
      let back = false;
      return () => {
        if (back) return;
        back = true;
        aside -= 1;
        adapt();
      };
    },
    close() {
      closed = true;
    },
    idle: () => places.onIdle(),
  };
}
