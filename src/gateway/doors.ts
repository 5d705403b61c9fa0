// The doors of a gateway: the control socket, and the HTTP server when it was asked for.
import { setTimeout as sleep } from "node:timers/promises";
import { identifyToken } from "../access/identify.ts";
import { hashToken } from "../access/pairings.ts";
import type { Running } from "../admin/running.ts";
import type { Open } from "../bus/listeners.ts";
import type { Config } from "../config/config.ts";
import { systemClock } from "../core/clock.ts";
import type { Store } from "../store/store.ts";
import type { Wiring } from "./wiring.ts";

export /** The control socket, and the TCP server when it was asked for; loaded once the listeners, which people wait for, are heard. */
async function openDoors(
  { config, store, spine }: Wiring,
  { running, terminal }: { running: Running; terminal: Open },
): Promise<Doors> {
  const { paths, log, listen } = config;
  const aSecond = sleep(1000, undefined, { ref: false });
  await Promise.race([spine.listeners.started(), aSecond]);
  const [{ openControl }, { runOperation }] = await Promise.all([
    import("../http/control.ts"),
    import("../admin/operations.ts"),
  ]);
  const context = { place: config, clock: systemClock, running, store: async () => store };
  const control = await openControl({
    path: paths.socket,
    record: paths.socketRecord,
    runtimeDir: paths.runtimeDir,
    log,
    routes: terminal.listener.routes?.() ?? [],
    admin: (name, input) => runOperation(context, name, input),
  });
  const closing = (error: unknown) => control.stop().then(() => Promise.reject(error));
  const server = listen && (await openHttp({ config, store, running, listen }).catch(closing));
  return {
    async stop() {
      await server?.stop();
      await control.stop();
    },
  };
}

async function openHttp(it: {
  config: Config;
  store: Store;
  running: Running;
  listen: { readonly host: string; readonly port: number };
}) {
  const { openServer } = await import("../http/server.ts");
  const server = await openServer({
    ...it.listen,
    log: it.config.log,
    async isOwner(token) {
      const known = await it.store.run(() => identifyToken(hashToken(token)));
      return known?.kind === "local";
    },
    health: () => ({ listeners: it.running.listeners() }),
  });
  it.config.log.info({ url: server.url }, "Listening");
  return server;
}

export interface Doors {
  stop(): Promise<void>;
}
