// Text with marks, in pieces that say where it may be cut. Every dialect writes the same pieces in its own way.

export type Mark =
  | { readonly is: "bold" | "italic" | "strike" | "code" | "quote" }
  | { readonly is: "pre"; readonly language: string }
  | { readonly is: "link"; readonly url: string };

/** How good a place it is to cut before a piece: the higher, the better. */
export const cuts = { any: 1, word: 2, sentence: 3, line: 4, item: 5, block: 6 } as const;
export type Cut = (typeof cuts)[keyof typeof cuts];

export interface Piece {
  readonly text: string;
  /** Outermost first; the same object in two pieces that touch is one span. */
  readonly marks: readonly Mark[];
  readonly cut: Cut;
  /** White space that means nothing at the edge of a message. */
  readonly blank: boolean;
}

const words = /\n+|[^\S\n]+|\S+/g;
const sentenceEnd = /[.!?…。！？]["'”’)\]]*$/;

/** Prose: white space is where it may be cut, and goes when it is. `indent` begins every further line. */
export function prose(text: string, marks: readonly Mark[], indent = ""): Piece[] {
  const pieces: Piece[] = [];
  let before = "";
  for (const [word] of text.matchAll(words)) {
    const blank = word.trim() === "";
    const newline = word.startsWith("\n");
    const line = word.length > 1 ? cuts.block : cuts.line;
    const gap = newline ? line : sentenceEnd.test(before) ? cuts.sentence : cuts.word;
    const shown = newline ? word + indent : word;
    pieces.push({ text: shown, marks, cut: blank ? gap : cuts.any, blank });
    before = word;
  }
  return pieces;
}

/** Code: only the line break at a cut goes; all other white space means something. */
export function verbatim(text: string, marks: readonly Mark[]): Piece[] {
  const pieces: Piece[] = [];
  for (const [word] of text.matchAll(/\n|[^\S\n]+|\S+/g)) {
    const newline = word === "\n";
    const cut = newline ? cuts.line : word.trim() === "" ? cuts.word : cuts.any;
    pieces.push({ text: word, marks, cut, blank: newline });
  }
  return pieces;
}

export function gap(text: string, cut: Cut, marks: readonly Mark[] = []): Piece {
  return { text, marks, cut, blank: true };
}

export function textOf(pieces: readonly Piece[]): string {
  return pieces.map(({ text }) => text).join("");
}
