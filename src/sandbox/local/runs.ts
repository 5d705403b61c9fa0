// A note on disk for each process group we started, so that the next gateway can find what a dead one left.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface Run {
  readonly id: string;
  /** Pid of the leader, and number of its group. */
  readonly group: number;
  readonly started: string;
}

export interface Runs {
  add(run: Run): void;
  remove(id: string): void;
  list(): readonly Run[];
}

function readRun(path: string, id: string): Run | null {
  try {
    const { group, started }: Partial<Run> = JSON.parse(readFileSync(path, "utf8"));
    if (!Number.isInteger(group) || group === undefined || group <= 1) return null;
    return typeof started === "string" ? { id, group, started } : null;
  } catch {
    return null; // half-written when its gateway was killed
  }
}

export function createRuns(stateDir: string): Runs {
  const folder = join(stateDir, "run");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const pathOf = (id: string) => join(folder, `${id}.json`);
  return {
    add: (run) => writeFileSync(pathOf(run.id), JSON.stringify(run), { mode: 0o600 }),
    remove: (id) => rmSync(pathOf(id), { force: true }),
    list: () =>
      readdirSync(folder)
        .filter((name) => name.endsWith(".json"))
        .flatMap((name) => readRun(join(folder, name), name.slice(0, -5)) ?? []),
  };
}
