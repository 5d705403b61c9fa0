// A server behind the guard, with a small route of each kind and three visitors.

import { EventEmitter, once } from "node:events";
import type { Visitor } from "../../src/access/visitor.ts";
import type { Log } from "../../src/core/log.ts";
import type { GuardedRoute } from "../../src/http/guard/route.ts";
import { openServer, type Server, type ServerOptions } from "../../src/http/server.ts";
import type { RawRequest } from "./http-raw.ts";
import { anyPort } from "./server-options.ts";

export interface HttpRig extends Server {
  /** What was logged as an error. */
  readonly errors: string[];
  /** Paths whose handler was called. */
  readonly served: string[];
  /** Resolves once `/wait` holds so many. */
  waiting(count: number): Promise<void>;
  /** Lets go what `/wait` holds. */
  release(): void;
}

export const cookies = { person: "s-person", operator: "s-operator" };
export const token = "a2p_program";

export async function httpRig(options: Partial<ServerOptions> = {}): Promise<HttpRig> {
  const [errors, served]: [string[], string[]] = [[], []];
  const held = new Set<() => void>();
  const arrivals = new EventEmitter();
  const release = () => {
    for (const go of held) go();
    held.clear();
  };
  const server = await openServer({
    ...anyPort,
    log: logInto(errors),
    visitors: {
      byCookie: async (value) =>
        value === cookies.person
          ? visitor("session", false)
          : value === cookies.operator
            ? visitor("session", true)
            : undefined,
      byToken: async (value) => (value === token ? visitor("token", false) : undefined),
    },
    ...options,
    routes: options.routes ?? routes({ served, held, arrivals }),
  });
  return {
    ...server,
    errors,
    served,
    async waiting(count) {
      while (held.size < count) await once(arrivals, "one");
    },
    release,
    async stop() {
      release();
      await server.stop();
    },
  };
}

function visitor(by: "session" | "token", operator: boolean): Visitor {
  return {
    caller: { id: `p:${by}`, pairing: null, role: operator ? "owner" : "authenticated", name: by },
    by,
    operator,
    session: by === "session" ? "one" : null,
    expiresAt: null,
  };
}

interface Watched {
  readonly served: string[];
  readonly held: Set<() => void>;
  readonly arrivals: EventEmitter;
}

function routes({ served, held, arrivals }: Watched): GuardedRoute[] {
  const told = async (request: Request, from: { params: object }) => {
    served.push(new URL(request.url).pathname);
    const bytes = (await request.arrayBuffer()).byteLength;
    return Response.json({ ...from, bytes });
  };
  const wait = () =>
    new Promise<Response>((resolve) => {
      held.add(() => resolve(Response.json({ waited: true })));
      arrivals.emit("one");
    });
  return [
    { method: "GET", path: "/", access: "public", body: "none", handle: told },
    { method: "GET", path: "/wait", access: "public", body: "none", handle: wait },
    { method: "POST", path: "/sign-in", access: "public", body: "json", handle: told },
    { method: "POST", path: "/in/:id", access: "public", body: "raw", handle: told },
    { method: "GET", path: "/api/me", access: "caller", body: "none", handle: told },
    { method: "POST", path: "/api/messages", access: "caller", body: "json", handle: told },
    { method: "POST", path: "/api/files", access: "caller", body: "file", handle: told },
    { method: "POST", path: "/api/tasks/:id/stop", access: "caller", body: "none", handle: told },
    { method: "GET", path: "/api/operator", access: "operator", body: "none", handle: told },
    { method: "POST", path: "/api/operator/:id", access: "operator", body: "json", handle: told },
  ];
}

export const rigRoutes: readonly GuardedRoute[] = routes({
  served: [],
  held: new Set(),
  arrivals: new EventEmitter(),
});

/** A request that this route takes. */
export function goodRequest(route: GuardedRoute, { port, cookieName }: Server): RawRequest {
  const headers: [string, string][] = [["Host", `127.0.0.1:${port}`]];
  if (route.access !== "public")
    headers.push(["Cookie", `other=1; ${cookieName}=${cookies.operator}`]);
  if (route.method === "POST") headers.push(["Origin", `http://127.0.0.1:${port}`]);
  const body = { none: "", json: '{"text":"hello"}', raw: "a=b&c", file: "bytes" }[route.body];
  if (route.body === "json") headers.push(["Content-Type", "application/json"]);
  if (route.body === "raw") headers.push(["Content-Type", "application/x-www-form-urlencoded"]);
  if (route.body === "file") headers.push(["Content-Type", "application/octet-stream"]);
  if (body !== "") headers.push(["Content-Length", String(body.length)]);
  const target = route.path.replace("/:id", "/one");
  return { method: route.method, target, headers, body };
}

function logInto(errors: string[]): Log {
  const nothing = () => {};
  return {
    debug: nothing,
    info: nothing,
    warn: nothing,
    error: (fields, message) => void errors.push(`${message} ${String(fields.error)}`),
  };
}
