// The channel web behind the real guard, with visitors that the test chooses.

import type { Visitor } from "../../src/access/visitor.ts";
import { type Clock, systemClock } from "../../src/core/clock.ts";
import type { Role } from "../../src/core/words.ts";
import type { GuardedRoute } from "../../src/http/guard/route.ts";
import { openServer } from "../../src/http/server.ts";
import { createWeb, type Web, type WebPorts } from "../../src/http/web/channel.ts";
import { memoryLog } from "./agent-rig.ts";
import { anyPort } from "./server-options.ts";
import { openPage, type Page, requester } from "./web-page.ts";

export interface WebServer {
  /** The one that answers now. */
  readonly web: Web;
  readonly url: string;
  readonly log: ReturnType<typeof memoryLog>;
  /** Cookies and tokens that count, and who is behind them. */
  readonly sessions: Map<string, Visitor>;
  /** A page of this session, which is made if it is not there. */
  page(session: string, pairing?: string): Page;
  request(session: string): ReturnType<typeof requester>;
  /** The same in a new process: what was in memory is gone. */
  again(): Web;
  stop(): Promise<void>;
}

export interface WebServerOptions {
  /** For uploads; removed by the caller. */
  readonly folder: string;
  readonly clock?: Clock;
  readonly ports?: Partial<WebPorts>;
}

export function visitorOf(pairing: string, session: string, role: Role = "owner"): Visitor {
  const caller = { id: `p:${pairing}`, pairing, role, name: `name of ${pairing}` };
  return { caller, by: "session", operator: false, session, expiresAt: Date.now() + 60_000 };
}

export async function serveWeb(options: WebServerOptions): Promise<WebServer> {
  const sessions = new Map<string, Visitor>();
  const log = memoryLog();
  const pages = new Set<Page>();
  const named = { cookie: "" };
  const make = () => createWeb({ ...portsOf(options, { log, sessions, named }), ...options.ports });
  let web = make();
  const server = await openServer({
    ...anyPort,
    routes: web.routes().map((route) => delegated(route, () => web)),
    visitors: {
      byCookie: async (value) => sessions.get(value),
      byToken: async (token) => sessions.get(token),
    },
    log,
  });
  named.cookie = server.cookieName;
  const as = (session: string) => ({ url: server.url, cookie: `${named.cookie}=${session}` });
  return {
    get web() {
      return web;
    },
    url: server.url,
    log,
    sessions,
    page(session, pairing = "ana") {
      if (!sessions.has(session)) sessions.set(session, visitorOf(pairing, session));
      const page = openPage(as(session));
      pages.add(page);
      return page;
    },
    request: (session) => requester(as(session)),
    again() {
      web = make();
      for (const page of pages) page.drop();
      return web;
    },
    async stop() {
      for (const page of pages) page.close();
      await server.stop();
    },
  };
}

function portsOf(
  { folder, clock = systemClock }: WebServerOptions,
  it: Pick<WebServer, "log" | "sessions"> & { readonly named: { readonly cookie: string } },
): WebPorts {
  return {
    log: it.log,
    clock,
    files: folder,
    cookieName: () => it.named.cookie,
    about: () => ({ agent: { name: "echo", asks: true }, sandbox: "local" }),
    stillCounts: async ({ session }) => it.sessions.has(session ?? ""),
    visitors: {
      signIn: async () => "refused",
      exchange: async () => "refused",
      signOut: async (cookie) => void it.sessions.delete(cookie),
    },
  };
}

/** The server stays, as the address does; behind it is the gateway that runs now. */
function delegated(route: GuardedRoute, web: () => Web): GuardedRoute {
  const same = ({ method, path }: GuardedRoute) => method === route.method && path === route.path;
  const handle = (...args: unknown[]) => {
    const current = web().routes().find(same);
    if (!current) throw new Error(`No route ${route.path}`);
    return (current.handle as (...args: unknown[]) => Promise<Response>)(...args);
  };
  return { ...route, handle } as GuardedRoute;
}
