// A full disk: an answer that cannot be written is late, not lost.
import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "../core/log.ts";
import { parked } from "./stop.ts";

const codes: ReadonlySet<unknown> = new Set(["SQLITE_FULL", "ENOSPC", "EDQUOT"]);
const againMs = 2000;

export function isFullDisk(error: unknown): boolean {
  return error instanceof Error && "code" in error && codes.has(error.code);
}

/** Tries again while the disk is full, until the gateway stops: the next one takes the turn up. */
export async function onceThereIsRoom(
  log: Log,
  signal: AbortSignal,
  write: () => Promise<void>,
): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await write();
    } catch (error) {
      if (!isFullDisk(error) || signal.reason === parked) throw error;
      if (tries === 0)
        log.error({ error }, "The disk is full: answers wait until the owner frees space");
      await sleep(againMs, undefined, { ref: false });
    }
  }
}
