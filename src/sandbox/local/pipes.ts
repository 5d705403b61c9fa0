// A child's pipes as web streams: like Node's own adapters, but for bytes only and with less work per chunk.
import type { Readable, Writable } from "node:stream";

/** Chunks that wait for the reader before the child is held up. */
const waiting = 16;

export function readablePipe(source: Readable): ReadableStream<Uint8Array> {
  let open = true;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const finish = () => {
          if (open) controller.close();
          open = false;
        };
        source.on("data", (chunk: Buffer) => {
          if (!open) return;
          controller.enqueue(chunk);
          if ((controller.desiredSize ?? 0) <= 0) source.pause();
        });
        source.once("end", finish);
        source.once("close", finish);
        source.on("error", finish);
      },
      pull() {
        source.resume();
      },
      cancel() {
        open = false;
        source.destroy();
      },
    },
    { highWaterMark: waiting },
  );
}

export function writablePipe(sink: Writable): WritableStream<Uint8Array> {
  // A broken pipe is reported by the write that hits it.
  sink.on("error", () => {});
  return new WritableStream<Uint8Array>({
    write: (chunk) =>
      new Promise((resolve, reject) => {
        sink.write(chunk, (error) => (error ? reject(error) : resolve()));
      }),
    close: () => new Promise((resolve) => sink.end(resolve)),
    abort() {
      sink.destroy();
    },
  });
}
