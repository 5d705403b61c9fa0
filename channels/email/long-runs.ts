// Attachments are long runs of Base64, which the MIME parser takes line by line; so it is given a short word for each.
import { randomBytes } from "node:crypto";

export interface Lightened {
  readonly raw: Uint8Array;
  /** A text that one of the words stands in is not the text that was sent. */
  isIn(text: string): boolean;
  /** What was decoded, with what the words stand for. */
  restored(content: Uint8Array): Uint8Array;
}

interface Run {
  readonly from: number;
  readonly to: number;
}

/** Shorter ones cost next to nothing. */
const shortest = 64 * 1024;

/** No boundary and no header line can be part of a run: they hold other characters. */
export function lightened(raw: Uint8Array): Lightened {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  const nonce = randomBytes(12).toString("hex");
  const runs = runsIn(bytes);
  // 36 characters: a whole number of Base64 units.
  const words = runs.map((_, index) => `run-${nonce}${String(index).padStart(8, "0")}`);
  const pieces: Uint8Array[] = [];
  let at = 0;
  for (const [index, { from, to }] of runs.entries()) {
    const word = Buffer.from(words[index] ?? "").toString("base64");
    pieces.push(bytes.subarray(at, from), Buffer.from(`${word}\r\n`));
    at = to;
  }
  pieces.push(bytes.subarray(at));
  return {
    raw: runs.length === 0 ? raw : Buffer.concat(pieces),
    isIn: (text) => words.some((word) => text.includes(word)),
    restored(content) {
      if (runs.length === 0) return content;
      let whole = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
      for (const [index, { from, to }] of runs.entries()) {
        const word = words[index] ?? "";
        const decoded = whole.indexOf(word);
        if (decoded >= 0) {
          const run = Buffer.from(bytes.toString("latin1", from, to), "base64");
          whole = spliced(whole, { at: decoded, length: word.length, run });
          continue;
        }
        // Sent as it is: not as Base64.
        const line = Buffer.from(word).toString("base64");
        const plain = whole.indexOf(line);
        if (plain < 0) continue;
        const run = bytes.subarray(from, to - 1);
        whole = spliced(whole, { at: plain, length: line.length, run });
      }
      return whole;
    },
  };
}

function spliced(
  whole: Buffer,
  { at, length, run }: { readonly at: number; readonly length: number; readonly run: Buffer },
): Buffer<ArrayBuffer> {
  return Buffer.concat([whole.subarray(0, at), run, whole.subarray(at + length)]);
}

/** Lines of one length, all of Base64. */
function runsIn(bytes: Buffer): Run[] {
  const runs: Run[] = [];
  let from = 0;
  let width = 0;
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(10, at);
    const next = end < 0 ? bytes.length : end + 1;
    const length = next - at;
    if (end >= 0 && isBase64(bytes, at, next)) {
      if (length !== width) {
        note(runs, { from, to: at });
        from = at;
        width = length;
      }
    } else {
      note(runs, { from, to: at });
      from = next;
      width = 0;
    }
    at = next;
  }
  return runs;
}

function note(runs: Run[], run: Run): void {
  if (run.to - run.from >= shortest) runs.push(run);
}

/** A whole number of units, and the line break. */
function isBase64(bytes: Buffer, from: number, next: number): boolean {
  const end = bytes[next - 2] === 13 ? next - 2 : next - 1;
  if (end - from < 40 || (end - from) % 4 !== 0) return false;
  for (let at = from; at < end; at++) if (inBase64[bytes[at] ?? 0] !== 1) return false;
  return true;
}

const inBase64 = Uint8Array.from({ length: 256 }, (_, code) =>
  /[A-Za-z0-9+/]/.test(String.fromCharCode(code)) ? 1 : 0,
);
