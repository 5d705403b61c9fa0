// The sandbox that is none: a process group of this user on this machine, kept track of and ended whole.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdir, stat } from "node:fs/promises";
import type { Log } from "../../core/log.ts";
import type { AgentCommand, AgentProcess, Sandbox, SandboxScope } from "../../core/sandbox.ts";
import { openEnds, superviseChild } from "./child.ts";
import { type ProcessRow, type ProcessTable, procTable, psTable } from "./processes.ts";
import { carriers, groupOf, killAll, ownLine } from "./reap.ts";
import { createRuns, type Run, type Runs } from "./runs.ts";

export interface LocalSandboxOptions {
  /** Our state directory; notes of what runs are kept in its `run/`. */
  readonly stateDir: string;
  /** Tells our processes from those of another state directory. */
  readonly stateHash: string;
  readonly log: Log;
  /** Where PATH and the language come from; nothing else of it reaches an agent. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** From SIGTERM to SIGKILL. */
  readonly graceMs?: number;
}

interface Parts extends LocalSandboxOptions {
  readonly table: ProcessTable;
  readonly runs: Runs;
}

const passedOn = ["PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TERM", "USER", "LOGNAME", "TMPDIR"];
const confirmMs = 5000;

function environmentOf(parts: Parts, scope: SandboxScope, command: AgentCommand, id: string) {
  const base: Record<string, string> = { PATH: "/usr/local/bin:/usr/bin:/bin", LANG: "C.UTF-8" };
  for (const name of passedOn) {
    const value = parts.environment[name];
    if (value !== undefined) base[name] = value;
  }
  return {
    ...base,
    ...command.env,
    HOME: scope.home,
    SALLYPORT_STATE: parts.stateHash,
    SALLYPORT_RUN: id,
  };
}

async function checkFolders(scope: SandboxScope): Promise<void> {
  await mkdir(scope.home, { recursive: true, mode: 0o700 });
  const workspace = await stat(scope.workspace).catch(() => null);
  if (!workspace?.isDirectory()) {
    throw new Error(`The workspace ${scope.workspace} is not a folder.`);
  }
}

async function start(
  parts: Parts,
  scope: SandboxScope,
  command: AgentCommand,
): Promise<{ run: Run; agent: AgentProcess }> {
  const { table, runs, log, graceMs = 2000 } = parts;
  await checkFolders(scope);
  const id = randomUUID();
  const child = spawn(command.program, [...command.args], {
    cwd: scope.workspace,
    env: environmentOf(parts, scope, command, id),
    detached: true,
    stdio: "pipe",
  });
  const ends = openEnds(child);
  await once(child, "spawn");
  const group = child.pid ?? 0;
  const run = { id, group, started: (await table.find(group))?.started ?? "" };
  try {
    runs.add(run);
  } catch (error) {
    // What is not noted would not be found again.
    child.kill("SIGKILL");
    throw error;
  }
  const marker = `SALLYPORT_RUN=${id}`;
  return { run, agent: superviseChild({ child, ends, run, table, log, graceMs, marker }) };
}

/** `live`: what this gateway itself runs, and does not end. */
async function sweep(parts: Parts, live: ReadonlyMap<Run, unknown>) {
  const { table, runs, stateHash, log } = parts;
  const liveGroups = new Set([...live.keys()].map((run) => run.group));
  const left = runs.list().filter((run) => !liveGroups.has(run.group));
  let unsure: readonly ProcessRow[] = [];
  const dead = await killAll(async () => {
    const rows = await table.list();
    const spared = ownLine(rows, process.pid);
    const groups = left.map((run) => groupOf(rows, run));
    const marked = await carriers(table, rows, `SALLYPORT_STATE=${stateHash}`);
    unsure = groups.flatMap(({ orphans }) => orphans).filter((row) => !marked.includes(row));
    const found = new Set([...groups.flatMap(({ members }) => members), ...marked]);
    return [...found].filter((row) => !spared.has(row.pid) && !liveGroups.has(row.group));
  }, confirmMs);
  if (!dead || unsure.length > 0) {
    const pids = unsure.map((row) => row.pid);
    log.error({ pids }, "what an earlier gateway started may still run");
    return "unconfirmed";
  }
  for (const run of left) runs.remove(run.id);
  return "clean";
}

export function createLocalSandbox(options: LocalSandboxOptions): Sandbox {
  const table = process.platform === "linux" ? procTable() : psTable();
  const parts: Parts = { ...options, table, runs: createRuns(options.stateDir) };
  const live = new Map<Run, AgentProcess>();
  const starting = new Set<Promise<unknown>>();
  let stopped = false;
  return {
    name: "local",
    isolates: false,
    async spawn(scope, command) {
      if (stopped) throw new Error("The gateway is stopping.");
      const begun = start(parts, scope, command).then(({ run, agent }) => {
        live.set(run, agent);
        return { run, agent };
      });
      starting.add(begun);
      const { run, agent } = await begun.finally(() => starting.delete(begun));
      void agent.ended.then(({ reason }) => {
        live.delete(run);
        // What may still run is looked for again at the next start.
        if (reason === undefined) parts.runs.remove(run.id);
      });
      return agent;
    },
    inside: ({ workspace, home }) => ({ workspace, home }),
    sweep: () => sweep(parts, live),
    async stop() {
      stopped = true;
      await Promise.allSettled(starting);
      await Promise.allSettled([...live.values()].map((agent) => agent.kill()));
    },
  };
}
