// The doors of a gateway: the control socket, and the page.
import { setTimeout as sleep } from "node:timers/promises";
import type { Running } from "../admin/running.ts";
import type { Open } from "../bus/listeners.ts";
import { systemClock } from "../core/clock.ts";
import type { Page } from "./page.ts";
import type { Wiring } from "./wiring.ts";

export interface Doors {
  stop(): Promise<void>;
}

/** Loaded once the listeners, which people wait for, are heard. */
export async function openDoors(
  { config, store, spine }: Wiring,
  { running, terminal, page }: { running: Running; terminal: Open; page: Page },
): Promise<Doors> {
  const { paths, log } = config;
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
  const stop = async () => {
    await page.stop();
    await control.stop();
  };
  try {
    await page.serve(running);
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
}
