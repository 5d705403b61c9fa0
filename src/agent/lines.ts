// Bytes to lines of text, with a bound on one line. Decodes whole lines, so a character split over two chunks is safe.
import { Trouble } from "./trouble.ts";

const newline = 0x0a;

export function createLines(limit: number, onLine: (line: string) => void) {
  let parts: Uint8Array[] = [];
  let size = 0;

  const keep = (part: Uint8Array) => {
    size += part.byteLength;
    if (size > limit) {
      throw new Trouble(`The agent sent a single message over ${Math.round(limit / 1048576)} MB.`);
    }
    if (part.byteLength > 0) parts.push(part);
  };
  const finish = () => {
    const bytes = parts.length === 1 ? parts[0] : Buffer.concat(parts);
    parts = [];
    size = 0;
    if (bytes === undefined) return;
    onLine(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8"));
  };

  return {
    push(chunk: Uint8Array): void {
      let from = 0;
      for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, from)) {
        keep(chunk.subarray(from, at));
        finish();
        from = at + 1;
      }
      keep(chunk.subarray(from));
    },
    /** The last line may come without its newline. */
    end(): void {
      finish();
    },
  };
}
