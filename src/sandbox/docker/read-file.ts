// A file out of a running container, read there by the agent's own user: no path of the agent is ever followed outside.
import { once } from "node:events";
import { Duplex } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import type { SandboxScope } from "../../core/sandbox.ts";
import { scopeLabel, stateLabel } from "./container.ts";
import { type Docker, inWordsForChat } from "./engine.ts";
import { inside } from "./ground.ts";
import { splitOutput } from "./streams.ts";

export interface FileWish {
  readonly docker: Docker;
  readonly stateHash: string;
  readonly scopeKey: SandboxScope["key"];
  readonly path: string;
  readonly mostBytes: number;
  readonly withinMs?: number;
}

const usualMs = 10_000;
const longestPath = 4096;
const exits = { missing: 11, outside: 12, folder: 13, noFile: 14, denied: 15 } as const;
const exitLooks = 20;
const exitPauseMs = 25;

/** $1: the path, $2: how many bytes. What is read is where the path leads, not what it says. */
const script = `
real=$(realpath "$1" 2>/dev/null) || exit ${exits.missing}
case "$real/" in ${inside.workspace}/*|${inside.home}/*) ;; *) exit ${exits.outside} ;; esac
[ -e "$real" ] || exit ${exits.missing}
[ ! -d "$real" ] || exit ${exits.folder}
[ -f "$real" ] || exit ${exits.noFile}
[ -r "$real" ] || exit ${exits.denied}
exec head -c "$2" "$real"
`;

function sentenceFor(code: number | null, path: string): string {
  const named = JSON.stringify(path);
  const places = `the workspace (${inside.workspace}) and your home (${inside.home})`;
  if (code === exits.missing) return `There is no file ${named}. Check the path.`;
  if (code === exits.outside)
    return `${named} leads out of ${places}. Copy the file there first, then send the copy.`;
  if (code === exits.folder)
    return `${named} is a folder. Name one file, or pack the folder into an archive first.`;
  if (code === exits.noFile) return `${named} is not a regular file, so it cannot be sent.`;
  if (code === exits.denied) return `You may not read ${named}.`;
  return `${named} could not be read. Check that it is a plain file, and try again.`;
}

async function findContainer({ docker, stateHash, scopeKey }: FileWish, abortSignal: AbortSignal) {
  const label = [`${stateLabel}=${stateHash}`, `${scopeLabel}=${scopeKey}`];
  const [found] = await docker.listContainers({
    filters: { label, status: ["running"] },
    abortSignal,
  });
  return found && docker.getContainer(found.Id);
}

/** One byte more than allowed says that there is more. */
async function collect(stdout: AsyncIterable<Buffer>, most: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of stdout) {
    parts.push(part);
    size += part.length;
    if (size > most) break;
  }
  return Buffer.concat(parts);
}

async function read(wish: FileWish, given: AbortSignal): Promise<Uint8Array | string> {
  const { mostBytes, path } = wish;
  const container = await findContainer(wish, given);
  if (container === undefined) return "The sandbox does not run, so nothing can be read in it.";
  const from = path.startsWith("/") ? path : `${inside.workspace}/${path}`;
  const exec = await container.exec({
    Cmd: ["sh", "-c", script, "sh", from, String(mostBytes + 1)],
    AttachStdout: true,
    AttachStderr: true,
    abortSignal: given,
  });
  const stream = Duplex.from(await exec.start({ hijack: true, stdin: false, abortSignal: given }));
  const leave = () => void stream.destroy();
  stream.on("error", () => {});
  given.addEventListener("abort", leave);
  try {
    if (given.aborted) leave();
    const { stdout, stderr } = splitOutput(stream);
    stderr.resume();
    const bytes = await collect(stdout, mostBytes);
    given.throwIfAborted();
    if (bytes.length > mostBytes)
      return `${JSON.stringify(path)} is larger than ${mostBytes / 1_000_000} MB. Send a smaller file, or parts of it.`;
    const code = await exitCodeOf(exec);
    return code === 0 ? bytes : sentenceFor(code, path);
  } finally {
    given.removeEventListener("abort", leave);
    leave();
  }
}

/** It may not be known yet when the output has ended. */
async function exitCodeOf(
  exec: Awaited<ReturnType<Awaited<ReturnType<Docker["getContainer"]>>["exec"]>>,
) {
  for (let look = 0; look < exitLooks; look++) {
    const { Running, ExitCode } = await exec.inspect();
    if (!Running) return ExitCode;
    await wait(exitPauseMs);
  }
  return null;
}

/** A sentence when it cannot be had; never rejects. */
export async function readFileInside(wish: FileWish): Promise<Uint8Array | string> {
  const { path, withinMs = usualMs } = wish;
  if (path === "" || path.length > longestPath || path.includes("\0")) return "That is not a path.";
  const timeout = AbortSignal.timeout(withinMs);
  const late = once(timeout, "abort").then(
    () => `${JSON.stringify(path)} could not be read in ${withinMs / 1000} seconds.`,
  );
  try {
    return await Promise.race([read(wish, timeout), late]);
  } catch (error) {
    return timeout.aborted ? await late : inWordsForChat(error, "read the file");
  }
}
