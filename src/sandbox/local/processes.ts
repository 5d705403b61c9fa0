// What runs on this machine: from /proc on Linux, from ps elsewhere.
import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { promisify } from "node:util";

export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** When it started; with the pid it names one process, also after the pid is used again. */
  readonly started: string;
}

export interface ProcessTable {
  /** Everything that runs; what is dead and only waits to be collected is not in it. */
  list(): Promise<readonly ProcessRow[]>;
  find(pid: number): Promise<ProcessRow | undefined>;
  /** Whether it was started with `NAME=value` in its environment; false where that cannot be seen. */
  carries(pid: number, variable: string): Promise<boolean>;
}

async function textOr(path: string, otherwise: string): Promise<string> {
  try {
    return await readFile(path, "latin1");
  } catch {
    return otherwise; // gone meanwhile, or not ours to read
  }
}

function rowOfStat(stat: string, boot: string): ProcessRow | null {
  // The name in parentheses may hold blanks and parentheses: the fields begin after the last one.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, parent, group] = fields;
  const started = fields[19];
  if (started === undefined || state === "Z" || state === "X") return null;
  const pid = Number.parseInt(stat, 10);
  return { pid, parent: Number(parent), group: Number(group), started: `${boot}/${started}` };
}

export function procTable(): ProcessTable {
  // Start times count from the boot, so the boot is part of them.
  const boot = textOr("/proc/sys/kernel/random/boot_id", "").then((id) => id.trim());
  const find = async (pid: number | string) => {
    const stat = await textOr(`/proc/${pid}/stat`, "");
    return rowOfStat(stat, await boot) ?? undefined;
  };
  return {
    find,
    async list() {
      const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
      return (await Promise.all(pids.map(find))).filter((row) => row !== undefined);
    },
    async carries(pid, variable) {
      return (await textOr(`/proc/${pid}/environ`, "")).split("\0").includes(variable);
    },
  };
}

function rowOfPs(line: string): ProcessRow | null {
  const found = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.+?)\s*$/.exec(line);
  if (found === null) return null;
  const [, pid, parent, group, state, started = ""] = found;
  if (state?.startsWith("Z")) return null;
  return { pid: Number(pid), parent: Number(parent), group: Number(group), started };
}

export function psTable(): ProcessTable {
  const run = promisify(execFile);
  const list = async () => {
    const columns = ["-axo", "pid=,ppid=,pgid=,stat=,lstart="];
    const { stdout } = await run("ps", columns, { env: { PATH: "/usr/bin:/bin", LC_ALL: "C" } });
    return stdout.split("\n").flatMap((line) => rowOfPs(line) ?? []);
  };
  return {
    list,
    find: async (pid) => (await list()).find((row) => row.pid === pid),
    carries: () => Promise.resolve(false),
  };
}
