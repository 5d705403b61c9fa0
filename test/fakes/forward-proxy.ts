// A forward proxy on this machine, for targets on this machine: passes plain HTTP on, tunnels the rest, and counts.
import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  type ServerResponse,
  request as send,
} from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";

export interface ForwardProxy {
  readonly url: string;
  /** host:port of each request and tunnel that was asked for. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

export async function startForwardProxy(): Promise<ForwardProxy> {
  const asked: string[] = [];
  const open = new Set<Socket>();
  const server = createServer((request, response) => passOn(asked, request, response));
  server.on("connect", (request, client: Socket) => {
    const wanted = request.url ?? "";
    asked.push(wanted);
    const port = Number(wanted.split(":").at(-1));
    const target = connect(port, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      client.pipe(target).pipe(client);
    });
    for (const end of [client, target]) {
      open.add(end);
      end.on("error", () => end.destroy());
      end.on("close", () => {
        open.delete(end);
        client.destroy();
        target.destroy();
      });
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async close() {
      for (const socket of open) socket.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function passOn(asked: string[], request: IncomingMessage, response: ServerResponse): void {
  const { host, port, pathname, search } = new URL(request.url ?? "");
  asked.push(host);
  const { method, headers } = request;
  const onward = send(
    { host: "127.0.0.1", port, method, headers, path: pathname + search },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    },
  );
  onward.on("error", () => response.destroy());
  response.on("close", () => onward.destroy());
  request.pipe(onward);
}
