// The guard at work: asks the table about each request, reads its body within bounds, and calls the handler.
import { isIP } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Visitor } from "../../access/visitor.ts";
import type { Log } from "../../core/log.ts";
import { isLoopback } from "../../core/loopback.ts";
import { callerAddress, plainAddress } from "./address.ts";
import { isEvents, refuse, send } from "./answer.ts";
import { type Asked, credentialsOf, mostBytes, type Rules } from "./asked.ts";
import { jsonText, type Passing, passOn, readAll } from "./body.ts";
import type { Connections } from "./connections.ts";
import type { Crowd } from "./crowd.ts";
import { type BodyTrouble, bodyRows } from "./later.ts";
import type { Limits } from "./limits.ts";
import type { From } from "./route.ts";
import type { Site } from "./site.ts";
import { firstRefusal, lateRows, type Row } from "./table.ts";

export interface Visitors {
  byCookie(value: string, from: { readonly local: boolean }): Promise<Visitor | undefined>;
  byToken(token: string, from: { readonly local: boolean }): Promise<Visitor | undefined>;
}

/** A route of any kind, as the guard runs it. `visitor` is there on all but public ones. */
export interface Mounted extends Rules {
  readonly method: "GET" | "POST";
  readonly path: string;
  handle(request: Request, from: From & { readonly visitor?: Visitor }): Promise<Response>;
}

export interface GuardOptions {
  readonly site: Site;
  readonly limits: Limits;
  readonly crowd: Crowd;
  readonly connections: Connections;
  readonly visitors: Visitors;
  readonly log: Log;
  /** Methods of this path. */
  allowed(path: string): readonly string[];
}

export interface Passed {
  readonly from: From & { readonly visitor?: Visitor };
  /** The visitor as they are by now, when the body took its time. */
  again(): Promise<Row | { readonly visitor?: Visitor }>;
}

export interface Guard {
  /** Undefined when it was refused, and that was answered. */
  admit(
    request: FastifyRequest,
    reply: FastifyReply,
    route: Mounted | undefined,
  ): Promise<Passed | undefined>;
  serve(
    request: FastifyRequest,
    reply: FastifyReply,
    it: { route: Mounted; passed: Passed },
  ): Promise<FastifyReply>;
  /** Ends streams of events: they have no end of their own. */
  endStreams(): void;
}

export function cookieNameFor(port: number): string {
  return `sallyport_${port}`;
}

export function createGuard(options: GuardOptions): Guard {
  const { limits, log } = options;
  const streams = new Map<AbortController, FastifyReply>();
  return {
    async admit(request, reply, route) {
      const asked = ask(options, request, { reply, route });
      const row = await firstRefusal(asked);
      if (row) {
        if (row.name === "crowded-server" || row.name === "crowded-address") asked.place.leave();
        log.debug({ refused: row.name, method: request.method, route: route?.path }, "Refused");
        refuse(reply, { ...row, headers: headersOf(row, asked.allowed) });
        return undefined;
      }
      const visitor = route?.access === "public" ? undefined : await asked.visitor();
      if (visitor) asked.place.known();
      return {
        from: fromOf(request, asked, visitor),
        again: () => askAgain(options, request, asked),
      };
    },
    async serve(request, reply, { route, passed }) {
      const gone = new AbortController();
      options.connections.over(reply.raw, () => {
        if (!reply.raw.writableFinished) gone.abort();
      });
      if (request.headers.expect !== undefined) reply.raw.writeContinue();
      const body = await bodyOf(request, route, limits);
      if (typeof body === "string") return body === "gone" ? reply : refuse(reply, bodyRows[body]);
      const late = route.access !== "public" && route.body === "json" ? await passed.again() : {};
      if ("status" in late) return refuse(reply, { ...late, headers: headersOf(late) });
      const from = { ...passed.from, ...late };
      const broken = () => {
        const trouble = body.passing?.trouble();
        return trouble === undefined || trouble === "gone" ? undefined : bodyRows[trouble];
      };
      try {
        const response = await route.handle(toRequest(request, { from, body, gone }), from);
        const row = broken();
        if (row) return refuse(reply, row);
        if (isEvents(response)) {
          streams.set(gone, reply);
          options.connections.over(reply.raw, () => streams.delete(gone));
        }
        return await send(reply, response);
      } catch (error) {
        const row = broken();
        if (row) return refuse(reply, row);
        if (gone.signal.aborted) return reply;
        log.error({ route: route.path, error }, "A request failed");
        return refuse(reply, failed);
      }
    },
    endStreams() {
      for (const [stream, { raw }] of streams) {
        stream.abort();
        // Its last words are on their way by then.
        setImmediate(() => raw.destroy());
      }
    },
  };
}

export const failed = {
  status: 500,
  say: "The gateway could not do it; its log says why.",
} as const;

function ask(
  { site, limits, crowd, connections, visitors, allowed }: GuardOptions,
  request: FastifyRequest,
  { reply, route }: { reply: FastifyReply; route: Mounted | undefined },
): Asked {
  const { raw } = request;
  const { headers, socket } = raw;
  const target = raw.url ?? "";
  const end = { localAddress: socket.localAddress, localPort: socket.localPort };
  const place = crowd.enter(addressOf(request));
  connections.over(reply.raw, place.leave);
  const origin = () =>
    site.origin(headers.host ?? "", request.protocol === "https" ? "https" : "http");
  return {
    method: raw.method ?? "",
    target,
    headers,
    rawHeaders: raw.rawHeaders,
    route,
    allowed: route ? [] : allowed(target.split("?", 1)[0] ?? ""),
    limits,
    end,
    site,
    place,
    origin,
    visitor: visitorOnce(visitors, request),
  };
}

function visitorOnce(visitors: Visitors, request: FastifyRequest): Asked["visitor"] {
  const { headers, socket } = request.raw;
  const lookUp = async () => {
    const credentials = credentialsOf(headers, cookieNameFor(socket.localPort ?? 0));
    if (!credentials) return undefined;
    const from = { local: isLocal(request) };
    return credentials.by === "session"
      ? await visitors.byCookie(credentials.value, from)
      : await visitors.byToken(credentials.value, from);
  };
  let found: Promise<Visitor | undefined> | undefined;
  return () => {
    found ??= lookUp();
    return found;
  };
}

/** A removal or another role that came amid the body counts for it. */
async function askAgain({ visitors }: GuardOptions, request: FastifyRequest, asked: Asked) {
  const now = { ...asked, visitor: visitorOnce(visitors, request) };
  const row = await firstRefusal(now, lateRows);
  if (row) return row;
  const visitor = await now.visitor();
  return visitor ? { visitor } : {};
}

function headersOf(row: Row, allowed: readonly string[] = []): Record<string, string> {
  if (row.name === "method") return { allow: allowed.join(", ") };
  if (row.name === "nobody") return { "www-authenticate": "Bearer" };
  return row.status === 503 || row.status === 429 ? { "retry-after": "1" } : {};
}

function fromOf(request: FastifyRequest, asked: Asked, visitor: Visitor | undefined) {
  return {
    address: addressOf(request),
    local: isLocal(request),
    origin: asked.origin(),
    params: (request.params ?? {}) as Record<string, string>,
    ...(visitor ? { visitor } : {}),
  };
}

/** What a trusted proxy calls its caller may be no address at all: then the proxy is the caller. */
function addressOf({ ip, raw }: FastifyRequest): string {
  return callerAddress(isIP(plainAddress(ip)) === 0 ? (raw.socket.remoteAddress ?? "") : ip);
}

const forwarding = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip"];

/** From this machine to its loopback address, as far as can be seen: no sign of a proxy or of a page of elsewhere. */
function isLocal({ raw }: FastifyRequest): boolean {
  const { headers, socket } = raw;
  const name = (headers.host ?? "").toLowerCase().replace(/:\d+$/, "");
  const { origin } = headers;
  return (
    isLoopback(plainAddress(socket.remoteAddress ?? "")) &&
    (name === "[::1]" || isLoopback(name)) &&
    (origin === undefined || origin === `http://${headers.host?.toLowerCase()}`) &&
    forwarding.every((one) => headers[one] === undefined)
  );
}

interface Body {
  readonly init: {
    readonly body?: string | Buffer<ArrayBuffer> | ReadableStream;
    readonly duplex?: "half";
  };
  readonly passing?: Passing;
}

async function bodyOf(
  { raw }: FastifyRequest,
  route: Mounted,
  limits: Limits,
): Promise<Body | BodyTrouble | "gone"> {
  const most = mostBytes(route, limits);
  if (route.body === "none" || route.method === "GET") return { init: {} };
  if (route.body === "file") {
    const passing = passOn(raw, { most, ms: limits.fileIdleMs });
    return { init: { body: passing.stream, duplex: "half" }, passing };
  }
  const ms = route.access === "public" ? limits.publicBodyMs : limits.bodyMs;
  const bytes = await readAll(raw, { most, ms });
  if (typeof bytes === "string") return bytes;
  if (route.body === "raw") return { init: { body: Buffer.from(bytes) } };
  const text = jsonText(bytes);
  return text === undefined ? "not-json" : { init: { body: text } };
}

function toRequest(
  { raw }: FastifyRequest,
  { from, body, gone }: { from: From; body: Body; gone: AbortController },
): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(raw.headers))
    if (value !== undefined) headers.set(name, String(value));
  return new Request(`${from.origin}${raw.url}`, {
    method: raw.method ?? "GET",
    headers,
    signal: gone.signal,
    ...body.init,
  });
}
