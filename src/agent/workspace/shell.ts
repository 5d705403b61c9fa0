// Runs one command line in a process group of its own, which outlives neither its shell nor this process.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";

// The watcher reads a pipe that only this process holds open: when we die, by whatever signal, the whole group is killed.
// The command line is an argument, so that exactly what was shown runs; both outputs share a pipe, so that they keep their order.
const script = '(read -r _ <&3; kill -KILL 0) >/dev/null 2>&1 & exec /bin/sh -c "$1" 2>&1 3<&-';

// What left the group may hold the output open for ever.
const drainMs = 500;

export interface ShellRun {
  readonly command: string;
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly limitMs: number;
  /** The command is killed when it has written more than this. */
  readonly limitBytes: number;
  readonly onOutput: (bytes: Buffer) => void;
}

export type Ending =
  | { readonly type: "exit"; readonly code: number }
  | { readonly type: "signal"; readonly name: string }
  | { readonly type: "killed"; readonly why: "cancelled" | "time" | "output" };

/** Throws only if the shell could not be started. */
export async function runShell(run: ShellRun): Promise<Ending> {
  const child = spawn("/bin/sh", ["-c", script, "sh", run.command], {
    cwd: run.cwd,
    detached: true,
    stdio: ["ignore", "pipe", "ignore", "pipe"],
  });
  let killed: Extract<Ending, { type: "killed" }> | undefined;
  const kill = (why: "cancelled" | "time" | "output") => {
    killed ??= { type: "killed", why };
    killGroup(child.pid);
  };
  const cancelled = () => kill("cancelled");
  run.signal.addEventListener("abort", cancelled, { once: true });
  const timer = setTimeout(() => kill("time"), run.limitMs);
  let bytes = 0;
  child.stdout?.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > run.limitBytes) kill("output");
    run.onOutput(chunk);
  });
  // The watcher's end of the pipe is reset when the group is killed.
  child.stdio[3]?.on("error", () => undefined);
  const outputEnd = child.stdout ? once(child.stdout, "close") : Promise.resolve();
  try {
    const [code, signal] = (await once(child, "exit")) as [number | null, string | null];
    killGroup(child.pid);
    await Promise.race([outputEnd, delay(drainMs, undefined, { ref: false })]);
    return (
      killed ?? (code === null ? { type: "signal", name: signal ?? "" } : { type: "exit", code })
    );
  } finally {
    clearTimeout(timer);
    run.signal.removeEventListener("abort", cancelled);
    child.stdout?.destroy();
  }
}

function killGroup(leader: number | undefined): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, "SIGKILL");
  } catch {
    // Nobody is left in it.
  }
}
