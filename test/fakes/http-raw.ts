// HTTP as bytes on a socket: sends what no client library would, and reads what comes back.
import { once } from "node:events";
import { connect, type Socket } from "node:net";

export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  /** `problem` of a JSON body. */
  readonly problem: string | undefined;
}

export interface RawRequest {
  method: string;
  target: string;
  headers: [string, string][];
  body: string;
}

export function written({ method, target, headers, body }: RawRequest): string {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${target} HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
}

export function without(request: RawRequest, name: string): RawRequest {
  return { ...request, headers: request.headers.filter(([one]) => one !== name) };
}

/** Sends the pieces, and gives all that came back by when the server closed. */
export async function exchange(
  port: number,
  ...pieces: readonly (string | Buffer)[]
): Promise<string> {
  const socket = await open(port);
  const all = closed(socket);
  for (const piece of pieces) if (socket.writable) socket.write(piece, "latin1");
  return all;
}

export async function open(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  await once(socket, "connect");
  return socket;
}

/** All that comes until the connection is closed, also by a reset. */
export function closed(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    socket.on("data", (piece) => pieces.push(piece));
    socket.once("close", () => resolve(Buffer.concat(pieces).toString("latin1")));
    socket.once("end", () => socket.end());
  });
}

/** One request on its own connection, which is left once the answer is there. */
export async function ask(port: number, request: RawRequest): Promise<Answer> {
  const headers: [string, string][] = [...request.headers, ["Connection", "close"]];
  const socket = await open(port);
  let text = "";
  socket.on("data", (piece) => {
    text += piece.toString("latin1");
    const { status, headers, body } = parsed(text);
    if (status > 0 && body.length === Number(headers.get("content-length"))) socket.destroy();
  });
  const over = closed(socket);
  socket.write(written({ ...request, headers }), "latin1");
  return parsed(await over);
}

/** The first answer in what came back; status 0 when nothing did. */
export function parsed(text: string): Answer {
  const [head = "", ...rest] = text
    .replace(/^(?:HTTP\/1\.1 100 [\s\S]*?\r\n\r\n)+/, "")
    .split("\r\n\r\n");
  const [first = "", ...lines] = head.split("\r\n");
  const headers = new Map(
    lines.map((line) => {
      const [name = "", ...value] = line.split(":");
      return [name.toLowerCase(), value.join(":").trim()] as const;
    }),
  );
  const body = rest.join("\r\n\r\n");
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1] ?? 0),
    headers,
    body,
    problem: /^\{"problem":"(.*)"\}/.exec(body)?.[1],
  };
}
