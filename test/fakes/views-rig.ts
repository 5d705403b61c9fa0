// A whole middle with the views, the watcher, links to questions, and the real server before them; people come in with their name as cookie.

import type { TestContext } from "node:test";
import type { Visitor } from "../../src/access/visitor.ts";
import { createHitl, hitlToken } from "../../src/admin/hitl.ts";
import { createViews, type Views } from "../../src/admin/views/views.ts";
import { systemClock } from "../../src/core/clock.ts";
import type { Caller } from "../../src/core/words.ts";
import type { GuardedRoute } from "../../src/http/guard/route.ts";
import { openServer, type Server } from "../../src/http/server.ts";
import { apiRoutes } from "../../src/http/web/api.ts";
import { hitlRoutes } from "../../src/http/web/hitl.ts";
import { findPairing } from "../../src/store/pairings.ts";
import { createOperate } from "../../src/turns/operate.ts";
import { anyPort } from "./server-options.ts";
import { type Spine, type SpineOptions, startSpine } from "./spine.ts";

export interface ViewsRig extends Spine {
  readonly views: Views;
  readonly url: string;
  caller(name: string): Promise<Caller>;
  get(name: string | undefined, path: string): Promise<Answer>;
  post(name: string | undefined, path: string, body?: unknown): Promise<Answer>;
}

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: each test knows what it asked for
  readonly body: any;
}

const key = Buffer.alloc(32, 9);
const nobody: Caller = { id: "a:desk:9", pairing: null, role: "anonymous", name: "nobody" };

export async function viewsRig(t: TestContext, options: SpineOptions = {}): Promise<ViewsRig> {
  const link = (card: string) => `https://gate.example/hitl/${hitlToken(key, card)}`;
  const spine = await startSpine(t, { hitlUrl: link, ...options });
  const { store, gateway } = spine;
  const operate = createOperate(gateway.ports, gateway.receiver);
  const hitl = createHitl({
    store,
    key,
    clock: systemClock,
    decideAs: operate.decideAs,
    guesser: (address) => ({ listener: "web", account: address, name: "" }),
  });
  const views = viewsOf(spine);
  const caller = async (name: string): Promise<Caller> => {
    const pairing = await store.run(() => findPairing(name));
    if (!pairing) return nobody;
    return { id: `p:${pairing.id}`, pairing: pairing.id, role: pairing.role, name };
  };
  const { stopTask, decideAs } = operate;
  const server = await serve(spine, caller, [
    ...apiRoutes({ ...views, stopTask, decideAs }),
    ...hitlRoutes(hitl),
  ]);
  t.after(() => server.stop());
  return { ...spine, views, caller, url: server.url, ...client(server) };
}

function viewsOf({ store, gateway }: Spine): Views {
  const all = () => gateway.listeners.all();
  return createViews({
    store,
    clock: systemClock,
    channelOf: (id) => gateway.listeners.get(id)?.channel.name,
    isKept: () => true,
    listeners: () =>
      all().map(({ channel, listener }) => ({
        id: listener.id,
        kind: channel.name,
        health: listener.health(),
      })),
    budgets: () => ({ listenerTasksPerHour: 20, callerTasksPerHour: 5 }),
  });
}

function serve(
  { log }: Spine,
  caller: ViewsRig["caller"],
  routes: readonly GuardedRoute[],
): Promise<Server> {
  return openServer({
    ...anyPort,
    log,
    visitors: {
      byCookie: async (name) => visitorOf(await caller(name)),
      byToken: async () => undefined,
    },
    routes,
  });
}

function client({ url, cookieName }: Server): Pick<ViewsRig, "get" | "post"> {
  const ask = async (name: string | undefined, path: string, init: RequestInit) => {
    const cookie = name === undefined ? {} : { cookie: `${cookieName}=${name}` };
    const headers = { ...init.headers, origin: url, ...cookie };
    const response = await fetch(`${url}${path}`, { ...init, headers });
    return { status: response.status, body: await response.json() };
  };
  const json = { "content-type": "application/json" };
  return {
    get: (name, path) => ask(name, path, {}),
    post: (name, path, body) =>
      ask(name, path, {
        method: "POST",
        ...(body === undefined ? {} : { body: JSON.stringify(body), headers: json }),
      }),
  };
}

/** Owners of these tests came by a link of this machine. */
function visitorOf(caller: Caller): Visitor | undefined {
  if (caller.pairing === null) return undefined;
  const operator = caller.role === "owner";
  return { caller, by: "session", operator, session: caller.name, expiresAt: null };
}
