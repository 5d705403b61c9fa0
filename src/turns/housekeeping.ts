// Housekeeping: what is too old goes in small steps; listeners are looked at for silence.
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import { forgetBefore, forgetMarks } from "../store/retention.ts";
import type { Store } from "../store/store.ts";
import { forgetFiles, inboxes } from "./places.ts";
import { forgetIdle } from "./share.ts";

export interface HousekeepingPorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly homes: string;
  removeHome(home: string): Promise<boolean>;
  readonly files: string;
  retentionDays(): number;
  /** Looks at the listeners. */
  look(): Promise<void>;
}

const day = 86_400_000;
const lookEvery = 30_000;
const forgetEvery = 3_600_000;
/** A step is a commit of its own, with room for others behind it. */
const step = { rows: 200, pause: 50 };

export function startHousekeeping(ports: HousekeepingPorts): { stop(): void } {
  const stopped = new AbortController();
  const guard = (what: string, job: () => Promise<unknown>) => () => {
    job().catch((error) => {
      if (!stopped.signal.aborted) ports.log.error({ error }, what);
    });
  };
  const timers = [
    setInterval(guard("Could not look at the listeners", ports.look), lookEvery),
    setInterval(
      guard("Could not remove what is too old", async () => {
        await forgetOld(ports, stopped.signal);
        await forgetIdle(ports, beforeOf(ports));
      }),
      forgetEvery,
    ),
  ];
  for (const timer of timers) timer.unref();
  return {
    stop() {
      stopped.abort();
      for (const timer of timers) clearInterval(timer);
    },
  };
}

function beforeOf({ clock, retentionDays }: Pick<HousekeepingPorts, "clock" | "retentionDays">) {
  return clock.now() - retentionDays() * day;
}

export async function forgetOld(
  ports: Omit<HousekeepingPorts, "look" | "log" | "removeHome">,
  signal: AbortSignal,
): Promise<{ rows: number; files: number }> {
  const before = beforeOf(ports);
  let rows = 0;
  for (;;) {
    const gone =
      (await ports.store.run(() => forgetBefore(before, step.rows))) ||
      (await ports.store.run(() => forgetMarks(ports.clock.now(), step.rows)));
    rows += gone;
    if (gone === 0 || signal.aborted) break;
    await sleep(step.pause, undefined, { ref: false, signal });
  }
  let files = await forgetFiles(ports.files, before);
  for (const inbox of await inboxes(ports.homes)) files += await forgetFiles(inbox, before);
  return { rows, files };
}
