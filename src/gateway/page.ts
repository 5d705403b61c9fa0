// The page of a gateway: its channel, what it shows and decides, and the server before it.
import { existsSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { linkGuesser } from "../access/sessions.ts";
import { createVisitors } from "../access/visitors.ts";
import type { Running } from "../admin/running.ts";
import type { Open } from "../bus/listeners.ts";
import type { HttpChoice } from "../config/config.ts";
import { codeKey } from "../config/secrets.ts";
import type { Settings } from "../config/settings.ts";
import { turnSettings } from "../config/turn-settings.ts";
import { systemClock } from "../core/clock.ts";
import type { PairingId } from "../core/words.ts";
import type { GuardedRoute } from "../http/guard/route.ts";
import type { Server } from "../http/server.ts";
import { createWeb, type Web } from "../http/web/channel.ts";
import type { Wiring } from "./wiring.ts";

type Served = Settings["http"] & HttpChoice;

export interface Page {
  readonly open: Open;
  /** Rejects with a message for the operator when it cannot listen where it should. */
  serve(running: Running): Promise<void>;
  /** The settings changed: served where they say now, or as before with what is wrong. */
  apply(running: Running): Promise<string | undefined>;
  /** Its open pages are over: the pairing or its right to them is gone. */
  endSessions(pairing?: PairingId): void;
  stop(): Promise<void>;
}

export function createPage(wiring: Wiring): Page {
  const { config, live, store, agent, spine } = wiring;
  const { log, paths } = config;
  const visitors = createVisitors({ run: store.run, clock: systemClock, key: codeKey(paths) });
  const served: { by?: Server; as?: Served; watch?: { stop(): void } } = {};
  const web = createWeb({
    log,
    clock: systemClock,
    files: paths.uploads,
    visitors,
    stillCounts: visitors.stillCounts,
    cookieName: () => served.by?.cookieName ?? "sallyport",
    about: () => ({
      agent: { name: agent.name, asks: agent.asks },
      sandbox: config.sandbox.is,
    }),
  });
  const wantedNow = (): Served => ({ ...live.settings.http, ...config.http(live.settings) });
  const serve = async (running: Running, as: Served) => {
    const { openServer } = await import("../http/server.ts");
    const { watchChanges } = await import("../admin/views/watch.ts");
    const routes = await routesOf(wiring, web, running);
    served.by = await openServer({ ...as, log, visitors, routes });
    served.as = as;
    served.watch ??= watchChanges({
      store,
      log,
      open: web.viewers,
      changed: web.changed,
      listeners: () => JSON.stringify(spine.listeners.all().map(heard)),
    });
    live.pageUrl = served.by.url;
  };
  const close = async () => {
    await served.by?.stop();
    delete served.by;
    delete live.pageUrl;
  };
  return {
    open: { channel: web.channel, listener: web.listener },
    serve: (running) => serve(running, wantedNow()),
    async apply(running) {
      const { as: before } = served;
      const wanted = wantedNow();
      if (!before || isDeepStrictEqual(before, wanted)) return undefined;
      await close();
      try {
        await serve(running, wanted);
        return undefined;
      } catch (error) {
        await serve(running, before);
        return error instanceof Error ? error.message : String(error);
      }
    },
    endSessions: web.endSessions,
    async stop() {
      served.watch?.stop();
      await close();
    },
  };
}

/** What of its health is news: that it is alive is none. */
function heard({ listener }: Open): unknown[] {
  const { state, lastEvent, lastError } = listener.health();
  return [listener.id, state, lastEvent, lastError];
}

/** Loaded when the page is served: people on other channels do not wait for it. */
async function routesOf(wiring: Wiring, web: Web, running: Running): Promise<GuardedRoute[]> {
  const { config, live, store, spine } = wiring;
  const [api, hitl, files, page, { healthRoute }, { hookRoute }, { createViews }, questions, made] =
    await Promise.all([
      import("../http/web/api.ts"),
      import("../http/web/hitl.ts"),
      import("../http/files/routes.ts"),
      import("../http/page/assets.ts"),
      import("../http/health.ts"),
      import("../http/hook.ts"),
      import("../admin/views/views.ts"),
      import("../admin/hitl.ts"),
      import("../admin/files.ts"),
    ]);
  const views = createViews({
    store,
    clock: systemClock,
    channelOf: (id) => spine.listeners.get(id)?.channel.name,
    isKept: ({ path }) => existsSync(path),
    listeners: running.listeners,
    budgets: () => turnSettings(live.settings),
  });
  const basics = { store, clock: systemClock, key: codeKey(config.paths) };
  return [
    ...web.routes(),
    ...api.apiRoutes({ ...views, stopTask: running.stopTask, decideAs: running.decideAs }),
    ...hitl.hitlRoutes(
      questions.createHitl({ ...basics, decideAs: running.decideAs, guesser: linkGuesser }),
    ),
    ...files.createFileRoutes(made.createFiles({ ...basics, folder: config.paths.files })),
    ...page.pageRoutes(),
    healthRoute(() => ({ listeners: running.listeners() })),
    hookRoute((id) =>
      Object.hasOwn(live.settings.channels, id) ? spine.listeners.get(id)?.listener : undefined,
    ),
  ];
}
