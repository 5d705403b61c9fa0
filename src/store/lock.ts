// One gateway per state directory: an operating-system lock on a file of its own, gone with the process that held it.
import { chmodSync } from "node:fs";
import Database from "better-sqlite3";

export interface Lock {
  release(): void;
}

/** Undefined when another process holds it. */
export function takeLock(path: string): Lock | undefined {
  const database = new Database(path, { timeout: 0 });
  try {
    database.pragma("locking_mode = EXCLUSIVE");
    database.exec("BEGIN EXCLUSIVE");
    chmodSync(path, 0o600);
    return { release: () => database.close() };
  } catch (error) {
    database.close();
    if (error instanceof Error && "code" in error && String(error.code).startsWith("SQLITE_BUSY"))
      return undefined;
    throw error;
  }
}
