// A server elsewhere: counts every connection, request and datagram that reaches it.
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";

export interface Recorder {
  readonly origin: string;
  /** Host and port, of TCP and UDP alike. */
  readonly peer: string;
  /** What arrived so far: paths of requests, `connection`, `datagram`. */
  readonly seen: string[];
  /** Resolves once something has been seen that begins with each of these. */
  until(...wanted: string[]): Promise<void>;
}

/** `pages`: what it serves by path; it answers all else with nothing. */
export async function startRecorder(
  t: TestContext,
  pages: ReadonlyMap<string, string> = new Map(),
): Promise<Recorder> {
  const seen: string[] = [];
  const watchers = new Set<() => void>();
  const note = (what: string) => {
    seen.push(what);
    for (const watcher of watchers) watcher();
  };
  const server = createServer(({ url = "" }, response) => {
    note(url);
    const page = pages.get(url);
    response.writeHead(page === undefined ? 204 : 200, { "content-type": "text/html" });
    response.end(page);
  });
  server.on("connection", () => note("connection"));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const datagrams = createSocket("udp4").on("message", () => note("datagram"));
  datagrams.bind(port, "127.0.0.1");
  await once(datagrams, "listening");
  t.after(() => {
    datagrams.close();
    server.close();
    server.closeAllConnections();
  });
  return {
    origin: `http://127.0.0.1:${port}`,
    peer: `127.0.0.1:${port}`,
    seen,
    until: (...wanted) =>
      new Promise((resolve) => {
        const look = () => {
          const missing = wanted.filter((one) => !seen.some((what) => what.startsWith(one)));
          if (missing.length > 0) return;
          watchers.delete(look);
          resolve();
        };
        watchers.add(look);
        look();
      }),
  };
}
