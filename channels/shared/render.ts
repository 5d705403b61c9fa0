// From Markdown to the messages of a channel: what is the same for all of them.
import type { Part } from "../../src/core/channel.ts";
import { type Piece, prose, textOf } from "./pieces.ts";
import { type Measure, split } from "./split.ts";

export interface Dialect extends Measure {
  /** The pieces of one message in the channel's own markup. */
  write(pieces: readonly Piece[]): string;
  /** How the same reads without markup; absent: its mere text. */
  plain?(pieces: readonly Piece[]): string;
}

/** What Markdown reads: marks anywhere, and at the start of a line what begins a block. */
const significant =
  /[\\`*_[\]<|]|~~|&[#\w]+;|^(?: {4}|\t| *(?:>|#|[-+](?:\s|$)|\d{1,9}[.)](?:\s|$)|[-=]+ *$))| {2}$/m;

/** Text without any of that goes out as it is, and the parser is not even loaded. */
export function render(markdown: string, dialect: Dialect): Part[] | Promise<Part[]> {
  const text = sendable(markdown);
  if (!significant.test(text)) return partsOf(prose(text, []), dialect);
  return import("./parsed.ts").then(({ parsedPieces }) => partsOf(parsedPieces(text), dialect));
}

function partsOf(pieces: readonly Piece[], dialect: Dialect): Part[] {
  return split(pieces, dialect).map((message) => {
    const plain = dialect.plain?.(message) ?? textOf(message);
    const formatted = message.some(({ marks }) => marks.length > 0);
    return formatted ? { plain, body: dialect.write(message) } : { plain };
  });
}

/** Halves of characters and control characters can be sent nowhere. */
function sendable(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .replace(/\p{Surrogate}/gu, "\uFFFD")
    .replace(/[^\P{Cc}\n\t]/gu, "");
}
