// Formatted text to pieces; loaded when the first one comes, since the parser takes long to load.
import { blockPieces } from "./blocks.ts";
import { linksOf } from "./inline.ts";
import { parseMarkdown } from "./markdown.ts";
import type { Piece } from "./pieces.ts";

export function parsedPieces(text: string): Piece[] {
  const blocks = parseMarkdown(text);
  return blockPieces(blocks, linksOf(blocks));
}
