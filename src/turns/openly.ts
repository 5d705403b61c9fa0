// What a command answers: a mere text is for the sender alone, wherever they are.
import type { Markdown } from "../core/words.ts";

/** What the whole group should know. */
export interface Openly {
  readonly text: Markdown;
  readonly aside: false;
}

export type Reply = Markdown | Openly;

export function openly(text: Markdown): Openly {
  return { text, aside: false };
}
