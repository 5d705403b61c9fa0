// One container as an agent's process, from its creation until it is seen gone.
import { once } from "node:events";
import { constants } from "node:os";
import { Duplex } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import type { Container, ContainerCreateOptions, ContainerInspectInfo } from "dockerode";
import type { Log } from "../../core/log.ts";
import type { AgentProcess, ProcessEnd } from "../../core/sandbox.ts";
import { readablePipe, writablePipe } from "../local/pipes.ts";
import { createTail } from "../local/tail.ts";
import { type Docker, inWords, inWordsForChat, isAway, isMissing } from "./engine.ts";
import { splitOutput } from "./streams.ts";

const stderrBytes = 64 * 1024;
const drainMs = 500;
const againMs = 250;
const firstPauseMs = 10;
const lastPauseMs = 1000;

export interface Launch {
  readonly docker: Docker;
  readonly container: ContainerCreateOptions;
  readonly memoryMB: number;
  readonly log: Log;
  /** From SIGTERM to SIGKILL. */
  readonly graceMs: number;
  /** How long Docker may be away, as it is when it restarts, before we give up on it. */
  readonly awayMs: number;
}

export type Launched =
  | {
      readonly ok: true;
      readonly agent: AgentProcess;
      /** Settles after `agent.ended`. False: something of it may still be there. */
      readonly gone: Promise<boolean>;
    }
  | { readonly ok: false; readonly error: unknown; readonly isGone: boolean };

/** Asks again while Docker does not answer. */
async function patiently<T>(awayMs: number, ask: () => Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + awayMs;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!isAway(error) || performance.now() > giveUpAt) throw error;
      await wait(againMs);
    }
  }
}

/** True when it is gone, whoever removed it. */
export async function removeContainer(container: Container): Promise<boolean> {
  try {
    await container.remove({ force: true, v: true });
    return true;
  } catch (error) {
    if (isMissing(error)) return true;
    // Somebody else removes it just now: it is gone when it cannot be looked at.
    return await container.inspect().then(() => false, isMissing);
  }
}

function signalOf(code: number): string | null {
  const found = Object.entries(constants.signals).find(([, number]) => number === code - 128);
  return found?.[0] ?? null;
}

/** Docker's init says so of what it starts, and our shim of the agent. */
function missingProgram(said: string, { Entrypoint = [] }: ContainerCreateOptions) {
  const [, program] = /^sallyport: there is no program (\S+) in this sandbox$/m.exec(said) ?? [];
  return program ?? (said.includes("[FATAL tini") ? Entrypoint[0] : undefined);
}

function reasonOf({ State }: ContainerInspectInfo, { container, memoryMB }: Launch, said: string) {
  if (State.OOMKilled && State.ExitCode === 137)
    return `it used more than its ${memoryMB} MB of memory; the owner can allow more`;
  if (State.ExitCode === 127) {
    const program = missingProgram(said, container);
    if (program !== undefined)
      return `the image ${container.Image} has no program ${program}; the owner should choose another image or agent`;
  }
  return undefined;
}

function endOf(info: ContainerInspectInfo, launch: Launch, said: string): ProcessEnd {
  const { ExitCode: code } = info.State;
  const reason = reasonOf(info, launch, said);
  const signal = signalOf(code);
  return {
    code: signal === null ? code : null,
    signal,
    ...(reason === undefined ? {} : { reason }),
  };
}

/**
 * Waiting tells of the end at once, but may be cut off without a word, and so may our end of the agent's pipes: either
 * is a reason to look. Only a container that was started may be waited for: one that was not counts as ended.
 */
async function endedInfo(container: Container, { awayMs }: Launch, closed: Promise<unknown>) {
  const waited = container.wait().catch(() => {});
  await Promise.race([waited, closed]);
  for (let pause = firstPauseMs; ; pause = Math.min(2 * pause, lastPauseMs)) {
    const info = await patiently(awayMs, () => container.inspect());
    if (!info.State.Running) return info;
    await wait(pause);
  }
}

async function outlive(container: Container, launch: Launch, attached: Attached) {
  const { awayMs } = launch;
  const gone = (reason: string): ProcessEnd => ({ code: null, signal: null, reason });
  try {
    const info = await endedInfo(container, launch, attached.closed);
    const end = endOf(info, launch, await attached.lastWords());
    return { end, isGone: await patiently(awayMs, () => removeContainer(container)) };
  } catch (error) {
    if (isMissing(error)) return { end: gone("its container was removed"), isGone: true };
    const doing = "say how the agent ended";
    launch.log.error({ error: inWords(error, doing) }, "a container could not be followed");
    return { end: gone(inWordsForChat(error, doing)), isGone: false };
  } finally {
    attached.close();
  }
}

interface Attached {
  readonly ends: Pick<AgentProcess, "stdin" | "stdout" | "stderrTail">;
  /** Settles when Docker's end of the pipes is closed. */
  readonly closed: Promise<void>;
  lastWords(): Promise<string>;
  close(): void;
}

async function attach(container: Container): Promise<Attached> {
  const answer = await container.attach({
    stream: true,
    hijack: true,
    stdin: true,
    stdout: true,
    stderr: true,
  });
  // A socket, or what stands for one.
  const stream = Duplex.from(answer);
  stream.on("error", () => {});
  const { stdout, stderr } = splitOutput(stream);
  const stderrTail = createTail(stderr, stderrBytes);
  /** Its last words may still be on their way. */
  const lastWords = async () => {
    const timer = wait(drainMs, null, { ref: false });
    if (!stderr.readableEnded) await Promise.race([once(stderr, "end"), timer]);
    return stderrTail();
  };
  const ends = { stdin: writablePipe(stream), stdout: readablePipe(stdout), stderrTail };
  const closed = new Promise<void>((resolve) => stream.once("close", resolve));
  return { ends, closed, lastWords, close: () => void stream.destroy() };
}

async function begin({ docker, container: wish }: Launch) {
  let container: Container;
  try {
    container = await docker.createContainer(wish);
  } catch (error) {
    // Without an answer it may have been made all the same.
    return { ok: false, error, isGone: !isAway(error) } as const;
  }
  try {
    // First, or its first words would be lost.
    const attached = await attach(container);
    await container.start();
    return { ok: true, container, attached } as const;
  } catch (error) {
    const isGone = await removeContainer(container).catch(() => false);
    return { ok: false, error, isGone } as const;
  }
}

export async function launch(options: Launch): Promise<Launched> {
  const begun = await begin(options);
  if (!begun.ok) return begun;
  const { container, attached } = begun;
  const outcome = outlive(container, options, attached);
  let killing: Promise<void> | undefined;
  const kill = async () => {
    const { log, graceMs } = options;
    // Whether that worked is seen by the wait.
    await container.stop({ t: Math.ceil(graceMs / 1000) }).catch((error: unknown) => {
      log.debug({ error: String(error) }, "a container was not there to be stopped");
    });
    const { end, isGone } = await outcome;
    if (!isGone) throw new Error(`The agent may still run: ${end.reason ?? "it was not removed"}`);
  };
  const agent: AgentProcess = {
    ...attached.ends,
    ended: outcome.then(({ end }) => end),
    kill() {
      killing ??= kill();
      return killing;
    },
  };
  return { ok: true, agent, gone: outcome.then(({ isGone }) => isGone) };
}
