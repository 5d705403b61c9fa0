// Finds what belongs to a run, kills it and sees it dead, without touching anything else.
import { setTimeout as wait } from "node:timers/promises";
import type { ProcessRow, ProcessTable } from "./processes.ts";
import type { Run } from "./runs.ts";

const pollMs = 20;

/** This process and all it descends from: never killed, whatever they carry. */
export function ownLine(rows: readonly ProcessRow[], self: number): ReadonlySet<number> {
  const parents = new Map(rows.map((row) => [row.pid, row.parent]));
  const line = new Set<number>();
  for (let pid: number | undefined = self; pid && !line.has(pid); pid = parents.get(pid)) {
    line.add(pid);
  }
  return line;
}

/**
 * The members of a run's group. A number may be used again, but not while a member of the old group lives: with a
 * leader there, its start time tells whose it is; without one the members are `orphans`, perhaps of a later group.
 */
export function groupOf(rows: readonly ProcessRow[], run: Run) {
  const leader = rows.find((row) => row.pid === run.group);
  const members = rows.filter((row) => row.group === run.group);
  if (leader === undefined) return { members: [], orphans: members };
  return { members: leader.started === run.started ? members : [], orphans: [] };
}

export async function carriers(
  table: ProcessTable,
  rows: readonly ProcessRow[],
  variable: string,
): Promise<readonly ProcessRow[]> {
  const carry = await Promise.all(rows.map((row) => table.carries(row.pid, variable)));
  return rows.filter((_, at) => carry[at]);
}

function killNow({ pid }: ProcessRow): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended by itself, or is not ours to kill: the next look tells.
  }
}

/**
 * Kills what `find` finds until it finds nothing, twice in a row: a process may be forked while we look.
 * False when something still lives after `withinMs`.
 */
export async function killAll(
  find: () => Promise<readonly ProcessRow[]>,
  withinMs: number,
): Promise<boolean> {
  const giveUpAt = performance.now() + withinMs;
  for (let emptyLooks = 0; emptyLooks < 2; ) {
    const found = await find();
    emptyLooks = found.length === 0 ? emptyLooks + 1 : 0;
    found.forEach(killNow);
    if (found.length === 0) continue;
    if (performance.now() > giveUpAt) return false;
    await wait(pollMs);
  }
  return true;
}
