// Hands a mail on piece by piece: other work gets its turn in between, and no line is so long that hashing it takes minutes.
import { setImmediate } from "node:timers/promises";

/** What mailauth holds back until a line ends is scanned again with every piece; mail servers break lines far below this. */
const longestLine = 64 * 1024;
const size = 64 * 1024;

/** Throws, in words for an operator, when a line is longer. */
export async function* inPieces(whole: Buffer | AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let open = 0;
  for await (const chunk of Buffer.isBuffer(whole) ? [whole] : whole) {
    for (let at = 0; at < chunk.length; at += size) {
      const piece = chunk.subarray(at, at + size);
      open = openLine(piece, open);
      yield piece;
      await setImmediate();
    }
  }
}

/** How much of a line the piece leaves open. */
function openLine(piece: Buffer, before: number): number {
  let start = -before;
  for (;;) {
    const end = piece.indexOf(10, Math.max(0, start));
    if ((end < 0 ? piece.length : end) - start > longestLine) {
      throw new Error("a line of the mail is longer than 64 KB");
    }
    if (end < 0) return piece.length - start;
    start = end + 1;
  }
}
