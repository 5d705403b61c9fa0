// Joins two sockets, each way until its end; what breaks one breaks the other.
import type { Duplex } from "node:stream";

export function pair(one: Duplex, other: Duplex): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.on("error", () => to.destroy());
    // After an orderly end the other may still have something to write.
    from.on("close", () => {
      if (!from.readableEnded) to.destroy();
    });
    from.pipe(to);
  }
}
