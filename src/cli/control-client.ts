// Speaks to a running gateway over its control socket.
import { request as httpRequest, type IncomingMessage } from "node:http";

export interface Reply {
  readonly status: number;
  readonly body: unknown;
}

export interface Call {
  readonly method?: "GET" | "POST";
  readonly path: string;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** Rejects when no gateway answers there. */
export async function call(socket: string, asked: Call): Promise<Reply> {
  const response = await open(socket, asked);
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString("utf8");
  return { status: response.statusCode ?? 0, body: text === "" ? undefined : JSON.parse(text) };
}

/** Resolves once the head of the answer is here. */
function open(
  socket: string,
  { method = "POST", path, body, signal }: Call,
): Promise<IncomingMessage> {
  const text = method === "POST" ? JSON.stringify(body ?? {}) : undefined;
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      socketPath: socket,
      method,
      path,
      ...(signal ? { signal } : {}),
      headers: {
        host: "localhost",
        ...(text === undefined
          ? {}
          : { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
      },
    });
    request.on("response", resolve);
    request.on("error", reject);
    request.end(text);
  });
}

export interface ServerEvent {
  /** Of this event or, without `data`, where the stream stands. */
  readonly id: string | undefined;
  readonly data: string | undefined;
}

/** Server-sent events until the other side closes; calls `opened` once it is listening. */
export async function* events(
  socket: string,
  asked: Pick<Call, "path" | "signal">,
): AsyncGenerator<ServerEvent, void> {
  const response = await open(socket, { ...asked, method: "GET" });
  if (response.statusCode !== 200) {
    response.destroy();
    throw new Error(`The gateway answered ${response.statusCode}`);
  }
  response.setEncoding("utf8");
  let rest = "";
  for await (const chunk of response) {
    const blocks = (rest + chunk).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const field = (name: string) =>
        block
          .split("\n")
          .find((line) => line.startsWith(`${name}: `))
          ?.slice(name.length + 2);
      yield { id: field("id"), data: field("data") };
    }
  }
}
