// The first line of a connection, which has to come soon and be short; what follows it stays in the stream.
import type { Duplex } from "node:stream";

const newline = 0x0a;
const mostBytes = 200;

/** "none": it did not come in time or was too long. "gone": the other end left first. */
export type SecretLine = { readonly secret: string } | "none" | "gone";

export function readSecret(connection: Duplex, withinMs: number): Promise<SecretLine> {
  return new Promise((resolve) => {
    let line = Buffer.alloc(0);
    const settle = (line: SecretLine) => {
      clearTimeout(timer);
      connection.pause();
      connection.off("data", take).off("end", leave).off("close", leave);
      resolve(line);
    };
    const giveUp = () => settle("none");
    const leave = () => settle("gone");
    const take = (chunk: Buffer) => {
      line = Buffer.concat([line, chunk.subarray(0, mostBytes + 1)]);
      const end = line.indexOf(newline);
      if (end > mostBytes || (end === -1 && line.length > mostBytes)) return giveUp();
      if (end === -1) return;
      const before = line.length - Math.min(chunk.length, mostBytes + 1);
      settle({ secret: line.toString("utf8", 0, end).replace(/\r$/, "") });
      connection.unshift(chunk.subarray(end + 1 - before));
    };
    const timer = setTimeout(giveUp, withinMs);
    connection.on("data", take).once("end", leave).once("close", leave);
  });
}
