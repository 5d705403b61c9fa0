// One agent's process group and whatever else it started, from spawn to seen dead.
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import type { Log } from "../../core/log.ts";
import type { AgentProcess, ProcessEnd } from "../../core/sandbox.ts";
import { readablePipe, writablePipe } from "./pipes.ts";
import type { ProcessTable } from "./processes.ts";
import { carriers, groupOf, killAll } from "./reap.ts";
import type { Run } from "./runs.ts";
import { createTail } from "./tail.ts";

interface ChildOptions {
  readonly child: ChildProcessWithoutNullStreams;
  readonly run: Run;
  /** `NAME=value` that it and its descendants carry. */
  readonly marker: string;
  readonly table: ProcessTable;
  readonly log: Log;
  readonly graceMs: number;
}

const confirmMs = 5000;
const drainMs = 500;
const stderrBytes = 64 * 1024;

function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch {
    // Nobody is left in it.
  }
}

/** After the leader's end: what is left of its group, and what left the group but carries the marker. */
async function endDescendants({ run, marker, table }: ChildOptions): Promise<boolean> {
  return await killAll(async () => {
    const rows = await table.list();
    const { members, orphans } = groupOf(rows, run);
    return [...members, ...orphans, ...(await carriers(table, rows, marker))];
  }, confirmMs);
}

async function waitForEnd(options: ChildOptions): Promise<ProcessEnd> {
  const { child, log } = options;
  const [code, signal]: [number | null, string | null] =
    child.exitCode === null && child.signalCode === null
      ? ((await once(child, "exit")) as [number | null, string | null])
      : [child.exitCode, child.signalCode];
  const confirmed = await endDescendants(options);
  // Its last words may still be in the pipe.
  if (!child.stderr.closed) await Promise.race([once(child.stderr, "close"), wait(drainMs)]);
  if (confirmed) return { code, signal };
  log.error({ group: options.run.group }, "something the agent started may still run");
  return { code, signal, reason: "something it started could not be ended" };
}

export function superviseChild(options: ChildOptions): AgentProcess {
  const { child, run, graceMs } = options;
  child.on("error", () => {});
  const tail = createTail(child.stderr, stderrBytes);
  const ended = waitForEnd(options);
  let killing: Promise<void> | undefined;

  const end = async () => {
    if (child.exitCode === null && child.signalCode === null) signalGroup(run.group, "SIGTERM");
    const hard = setTimeout(() => signalGroup(run.group, "SIGKILL"), graceMs);
    const { reason } = await ended;
    clearTimeout(hard);
    if (reason !== undefined) throw new Error(`The agent ended, but ${reason}.`);
  };

  return {
    stdin: writablePipe(child.stdin),
    stdout: readablePipe(child.stdout),
    ended,
    stderrTail: tail,
    kill() {
      killing ??= end();
      return killing;
    },
  };
}
