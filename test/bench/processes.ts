// What a process and all it started have used, from /proc (Linux).
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const ticksPerSecond = 100;

function stat(pid: number): { parent: number; cpu: number } | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    const cpu = (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
    return { parent: Number(fields[1]), cpu };
  } catch {
    return undefined;
  }
}

export function treeOf(root: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    const parent = pid > 0 ? stat(pid)?.parent : undefined;
    if (parent !== undefined) parents.set(pid, parent);
  }
  const tree = [root];
  for (const pid of tree)
    for (const [child, parent] of parents)
      if (parent === pid && !tree.includes(child)) tree.push(child);
  return tree;
}

/** Seconds of processor time, of those that still run. */
export function cpuOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + (stat(pid)?.cpu ?? 0), 0);
}

/** MB of anonymous memory: what nobody else shares. */
export function anonymousOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + anonymous(pid), 0);
}

function anonymous(pid: number): number {
  try {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
    return Number(/^Anonymous:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** Seconds of processor time of the whole machine so far. */
function machineCpu(): number {
  const [, ...fields] = (readFileSync("/proc/stat", "utf8").split("\n")[0] ?? "").split(/\s+/);
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = fields.map(Number);
  return (user + nice + system + irq + softirq) / ticksPerSecond;
}

export interface Watch {
  /** Cores that something else used meanwhile, and what `tree` used, in seconds. */
  stop(): { readonly others: number; readonly cpu: number };
}

/** From now on. `root`: what is measured; `helpers`: what drives it, beside this process. */
export function watch(root: number, helpers: readonly number[]): Watch {
  const begin = performance.now();
  const driving = [process.pid, ...helpers];
  const before = { machine: machineCpu(), cpu: cpuOf(treeOf(root)), driving: cpuOf(driving) };
  return {
    stop() {
      const seconds = (performance.now() - begin) / 1000;
      const cpu = cpuOf(treeOf(root)) - before.cpu;
      const known = cpu + cpuOf(driving) - before.driving;
      return { cpu, others: Math.max(0, machineCpu() - before.machine - known) / seconds };
    },
  };
}

/** More cores than this used by something else, and what is measured says little. */
export const othersMost = 0.3;

/** Waits until nothing else keeps the machine busy, but no longer than that. */
export async function quiet(patienceMs: number): Promise<void> {
  const until = performance.now() + patienceMs;
  while (performance.now() < until) {
    const watched = watch(process.pid, []);
    await sleep(1000);
    if (watched.stop().others <= othersMost) return;
  }
}
