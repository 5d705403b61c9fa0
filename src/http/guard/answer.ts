// What every answer carries, and how an answer goes out.
import type { FastifyReply } from "fastify";
import type { Refusal } from "./table.ts";

/** A page sets its own where it needs others. */
export const strictHeaders: Readonly<Record<string, string>> = {
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

export interface Told extends Pick<Refusal, "status" | "say"> {
  readonly headers?: Readonly<Record<string, string>>;
}

/** How long a caller may go on sending a body that is refused: cut off at once, many would not see why. */
const lingerMs = 500;

export function refuse(reply: FastifyReply, { status, say, headers = {} }: Told): FastifyReply {
  const problem = { problem: say };
  const all = { ...strictHeaders, ...headers };
  if (!isUnread(reply)) return reply.headers(all).code(status).send(problem);
  const { raw, request } = reply.hijack();
  const text = JSON.stringify(problem);
  raw.writeHead(status, {
    ...all,
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(text),
    connection: "close",
  });
  raw.write(text);
  const end = () => {
    clearTimeout(timer);
    raw.end();
  };
  const timer = setTimeout(end, lingerMs);
  request.raw.once("end", end).once("close", end).on("error", end).resume();
  return reply;
}

/** An answer of ours on a connection that never became a request. */
export function rawRefusal({ status, say }: Pick<Refusal, "status" | "say">): string {
  const body = JSON.stringify({ problem: say });
  const headers = {
    ...strictHeaders,
    "content-type": "application/json; charset=utf-8",
    "content-length": String(Buffer.byteLength(body)),
    connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return `HTTP/1.1 ${status} Refused\r\n${lines.join("\r\n")}\r\n\r\n${body}`;
}

export async function send(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  if (isUnread(reply)) reply.header("connection", "close");
  reply.headers(strictHeaders).code(response.status);
  for (const [name, value] of response.headers)
    if (name !== "set-cookie") reply.header(name, value);
  const cookies = response.headers.getSetCookie();
  if (cookies.length > 0) reply.header("set-cookie", cookies);
  if (response.body === null) return reply.send();
  // Small and whole already: with its length it is one write.
  if (isJson(response)) return reply.send(Buffer.from(await response.arrayBuffer()));
  if (isEvents(response)) reply.raw.socket?.setTimeout(0);
  return reply.send(response.body);
}

export function isEvents({ headers }: Response): boolean {
  return (headers.get("content-type") ?? "").startsWith("text/event-stream");
}

function isJson({ headers }: Response): boolean {
  return (headers.get("content-type") ?? "").startsWith("application/json");
}

/** Of a body; the next request on this connection would begin amid it. */
function isUnread({ request }: FastifyReply): boolean {
  const { complete, headers } = request.raw;
  const hasBody =
    headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
  return hasBody && !complete;
}
