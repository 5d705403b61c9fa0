// The operations without a gateway: this process holds the state's lock meanwhile.

import { ensureState, type Place } from "../config/paths.ts";
import { systemClock } from "../core/clock.ts";
import { takeLock } from "../store/lock.ts";
import type { Store } from "../store/store.ts";
import type { Outcome } from "./context.ts";

/** "busy": a gateway holds the lock. */
export async function runDirectly(
  place: Place,
  name: string,
  input: unknown,
): Promise<Outcome<unknown> | undefined | "busy"> {
  ensureState(place.paths);
  const lock = takeLock(place.paths.lock);
  if (!lock) return "busy";
  let opened: Promise<Store> | undefined;
  const open = async () => (await import("../store/sqlite.ts")).openSqlite(place.paths.database);
  try {
    const { runOperation } = await import("./operations.ts");
    const store = () => {
      opened ??= open();
      return opened;
    };
    return await runOperation(
      { place, clock: systemClock, running: undefined, store },
      name,
      input,
    );
  } finally {
    await (await opened)?.close();
    lock.release();
  }
}
