// Docker's one stream of output, taken apart into stdout and stderr: a slow reader holds the container up, not our memory.
import { PassThrough, Writable } from "node:stream";

const headerBytes = 8;
const stderrStream = 2;

/** Each frame: a byte that says which stream, three of nothing, four of length; then that many bytes. */
export function splitOutput(source: NodeJS.ReadableStream) {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  let header = Buffer.alloc(0);
  let into = stdout;
  let left = 0;

  const take = (chunk: Buffer): void => {
    let rest = chunk;
    while (rest.length > 0) {
      if (left > 0) {
        const part = rest.subarray(0, left);
        into.write(part);
        left -= part.length;
        rest = rest.subarray(part.length);
        continue;
      }
      const missing = headerBytes - header.length;
      header = Buffer.concat([header, rest.subarray(0, missing)]);
      rest = rest.subarray(missing);
      if (header.length < headerBytes) return;
      into = header[0] === stderrStream ? stderr : stdout;
      left = header.readUInt32BE(4);
      header = Buffer.alloc(0);
    }
  };
  const drained = (next: () => void) => {
    const full = [stdout, stderr].find((stream) => stream.writableNeedDrain);
    if (full === undefined || full.destroyed) return next();
    const on = () => {
      full.off("drain", on).off("close", on);
      next();
    };
    full.once("drain", on).once("close", on);
  };
  const finish = () => {
    stdout.end();
    stderr.end();
  };
  const splitter = new Writable({
    write(chunk: Buffer, _encoding, next) {
      take(chunk);
      drained(next);
    },
  });
  stdout.on("error", () => {});
  // The end may come as an end, an error or a plain close.
  source.once("error", () => splitter.end());
  source.once("close", () => splitter.end());
  splitter.once("finish", finish).once("error", finish);
  source.pipe(splitter);
  return { stdout, stderr };
}
