// A line to the real Docker that can be cut and mended, as when Docker is stopped and started again.
import { once } from "node:events";
import { rmSync } from "node:fs";
import { createConnection, createServer, type Server, type Socket } from "node:net";

export interface DockerLine {
  cut(): Promise<void>;
  mend(): Promise<void>;
}

export async function openLine(path: string, to: string): Promise<DockerLine> {
  let server: Server | undefined;
  const open = new Set<Socket>();

  const join = (near: Socket) => {
    const far = createConnection(to);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one);
      one.on("error", () => {});
      one.on("close", () => {
        open.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  };
  const line: DockerLine = {
    async cut() {
      server?.close();
      for (const socket of open) socket.destroy();
      rmSync(path, { force: true });
    },
    async mend() {
      server = createServer({ allowHalfOpen: true }, join).listen(path);
      await once(server, "listening");
    },
  };
  await line.mend();
  return line;
}
