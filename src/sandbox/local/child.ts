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

const stderrBytes = 64 * 1024;

export type Ends = Pick<AgentProcess, "stdin" | "stdout" | "stderrTail">;

/** To be called in the tick of the spawn: what a child that ends at once has said is thrown away later. */
export function openEnds(child: ChildProcessWithoutNullStreams): Ends {
  child.on("error", () => {});
  return {
    stdin: writablePipe(child.stdin),
    stdout: readablePipe(child.stdout),
    stderrTail: createTail(child.stderr, stderrBytes),
  };
}

interface ChildOptions {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ends: Ends;
  readonly run: Run;
  /** `NAME=value` that it and its descendants carry. */
  readonly marker: string;
  readonly table: ProcessTable;
  readonly log: Log;
  readonly graceMs: number;
}

const confirmMs = 5000;
const drainMs = 500;

function hasExited(child: ChildProcessWithoutNullStreams): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

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
  if (!hasExited(child)) await once(child, "exit");
  const { exitCode: code, signalCode: signal } = child;
  const confirmed = await endDescendants(options);
  // Its last words may still be in the pipe.
  if (!child.stderr.closed)
    await Promise.race([once(child.stderr, "close"), wait(drainMs, null, { ref: false })]);
  if (confirmed) return { code, signal };
  log.error({ group: options.run.group }, "something the agent started may still run");
  return { code, signal, reason: "something it started could not be ended" };
}

export function superviseChild(options: ChildOptions): AgentProcess {
  const { child, ends, run, graceMs } = options;
  const ended = waitForEnd(options);
  let killing: Promise<void> | undefined;

  // Once the leader is gone its number may be another's: what is left is looked for by `endDescendants`.
  const signal = (name: NodeJS.Signals) => {
    if (!hasExited(child)) signalGroup(run.group, name);
  };
  const end = async () => {
    signal("SIGTERM");
    const hard = setTimeout(signal, graceMs, "SIGKILL");
    const { reason } = await ended;
    clearTimeout(hard);
    if (reason !== undefined) throw new Error(`The agent ended, but ${reason}.`);
  };

  return {
    ...ends,
    ended,
    kill() {
      killing ??= end();
      return killing;
    },
  };
}
