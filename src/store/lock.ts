// One gateway per state directory: an operating-system lock on a file of its own, gone with the process that held it.
import { existsSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import Database from "better-sqlite3";

export interface Lock {
  release(): void;
}

/** Undefined when another process holds it. */
export function takeLock(path: string): Lock | undefined {
  // Private from the start; SQLite gives its journal the same mode. Only when it is not there: closing a second
  // handle on the file would drop a lock that this process holds.
  if (!existsSync(path)) writeFileSync(path, "", { mode: 0o600 });
  const database = new Database(path, { timeout: 0 });
  try {
    database.pragma("locking_mode = EXCLUSIVE");
    database.exec("BEGIN EXCLUSIVE");
    return { release: () => database.close() };
  } catch (error) {
    database.close();
    if (error instanceof Error && "code" in error && String(error.code).startsWith("SQLITE_BUSY"))
      return undefined;
    throw error;
  }
}

const lookEvery = 50;

/** An operator's command holds the lock for a moment only; a gateway does not let go. */
export async function waitForLock(path: string, patience = 2000): Promise<Lock | undefined> {
  const until = performance.now() + patience;
  for (;;) {
    const lock = takeLock(path);
    if (lock || performance.now() > until) return lock;
    await sleep(lookEvery);
  }
}
