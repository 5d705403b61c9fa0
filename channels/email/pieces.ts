// Hands a mail on piece by piece: other work gets its turn in between, and no line is so long that hashing it takes minutes.
import { setImmediate } from "node:timers/promises";

/** What mailauth holds back until a line ends is scanned again with every piece; mail servers break lines far below this. */
const longestLine = 64 * 1024;
const size = 64 * 1024;
/** Each takes time to hash, and an empty one as much as a full one: 25 MB of them are a minute of everybody's. */
const mostLines = 1_000_000;

/** Throws, in words for an operator, when a line is longer, or there are more of them. */
export async function* inPieces(whole: Buffer | AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const lines: Lines = { open: 0, count: 0 };
  for await (const chunk of Buffer.isBuffer(whole) ? [whole] : whole) {
    for (let at = 0; at < chunk.length; at += size) {
      const piece = chunk.subarray(at, at + size);
      follow(piece, lines);
      if (lines.count > mostLines) throw new Error("the mail has more than a million lines");
      yield piece;
      await setImmediate();
    }
  }
}

interface Lines {
  /** Bytes of the line that is not at its end yet. */
  open: number;
  count: number;
}

function follow(piece: Buffer, lines: Lines): void {
  let start = -lines.open;
  for (;;) {
    const end = piece.indexOf(10, Math.max(0, start));
    if ((end < 0 ? piece.length : end) - start > longestLine) {
      throw new Error("a line of the mail is longer than 64 KB");
    }
    if (end < 0) break;
    lines.count += 1;
    start = end + 1;
  }
  lines.open = piece.length - start;
}
