// What a command answers: a mere text is for the sender alone, wherever they are.
import type { Markdown } from "../core/words.ts";
import type { Op } from "../store/query.ts";

/** What the whole group should know. */
export interface Openly {
  readonly text: Markdown;
  readonly aside: false;
  /** Done in the transaction that says so. */
  readonly also?: () => Op<void>;
}

export type Reply = Markdown | Openly;

export function openly(text: Markdown, also?: () => Op<void>): Openly {
  return { text, aside: false, ...(also ? { also } : {}) };
}
