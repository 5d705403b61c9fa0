// The last bytes of a stream as text: everything is read, little is kept.
import type { Readable } from "node:stream";

export function createTail(stream: Readable, limit: number): () => string {
  let kept: Buffer[] = [];
  let size = 0;
  stream.on("data", (chunk: Buffer) => {
    kept.push(chunk);
    size += chunk.byteLength;
    // Joined only now and then, so that a flood of small pieces costs little.
    if (size <= 2 * limit && kept.length < 1024) return;
    const tail = Buffer.from(Buffer.concat(kept).subarray(-limit));
    kept = [tail];
    size = tail.byteLength;
  });
  stream.on("error", () => {});
  return () => Buffer.concat(kept).subarray(-limit).toString("utf8");
}
