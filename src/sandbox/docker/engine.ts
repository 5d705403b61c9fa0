// The connection to Docker on this machine, and what its failures mean for people.
import Docker from "dockerode";

export type { Docker };

export type Connected =
  | { readonly ok: true; readonly docker: Docker; readonly socket: string }
  | { readonly ok: false; readonly problem: string };

const usualSocket = "/var/run/docker.sock";

/** Does not talk to it yet. */
export function connectDocker(variables: Readonly<Record<string, string | undefined>>): Connected {
  const host = variables.DOCKER_HOST;
  if (host !== undefined && host !== "" && !host.startsWith("unix://")) {
    const problem = `DOCKER_HOST is ${host}, but the sandbox needs Docker on this machine: folders and sockets of this machine do not reach another. Unset DOCKER_HOST.`;
    return { ok: false, problem };
  }
  const socket = host ? host.slice("unix://".length) : usualSocket;
  return { ok: true, docker: dockerAt(socket), socket };
}

export function dockerAt(socket: string): Docker {
  return new Docker({ socketPath: socket });
}

/** For `doctor`: what keeps the sandbox from working, or undefined. */
export async function problemWithDocker(docker: Docker, runtime?: string) {
  try {
    const { OperatingSystem, OSType, Runtimes = {} } = await docker.info();
    if (OSType !== "linux" || OperatingSystem === "Docker Desktop")
      return "This is Docker Desktop, which is not supported yet: sockets of this machine do not reach into its containers.";
    if (runtime !== undefined && !Object.hasOwn(Runtimes, runtime))
      return `Docker has no runtime ${runtime}. It has: ${Object.keys(Runtimes).join(", ")}.`;
    return undefined;
  } catch (error) {
    return inWords(error, "say what it is");
  }
}

interface Failure {
  readonly code: string;
  readonly status: number;
  readonly text: string;
}

function failureOf(error: unknown): Failure {
  const fields: { code?: unknown; statusCode?: unknown; json?: unknown } = error ?? {};
  const said = fields.json as { message?: unknown } | null | undefined;
  const message = error instanceof Error ? error.message : String(error);
  return {
    code: typeof fields.code === "string" ? fields.code : "",
    status: typeof fields.statusCode === "number" ? fields.statusCode : 0,
    text: typeof said?.message === "string" ? said.message : message,
  };
}

export function isMissing(error: unknown): boolean {
  return failureOf(error).status === 404;
}

/** Something of Docker's own stands in the way. */
export function isInUse(error: unknown): boolean {
  return failureOf(error).status === 409;
}

/** It came from Docker or from the way to it, and not from a file or from us. */
export function isOfDocker(error: unknown): boolean {
  const { status, code, text } = failureOf(error);
  if (status !== 0) return true;
  const call = error instanceof Error && "syscall" in error ? error.syscall : undefined;
  if (call === "connect" || call === "read" || call === "write") return true;
  return code === "ECONNRESET" || text === "socket hang up";
}

/** Docker did not answer, so nothing is known. */
export function isAway(error: unknown): boolean {
  return failureOf(error).status === 0;
}

export function isFullDisk(error: unknown): boolean {
  return /no space left on device|disk quota exceeded/i.test(failureOf(error).text);
}

/** As `inWords`, without what Docker says itself: that may name folders of this machine. */
export function inWordsForChat(error: unknown, doing: string): string {
  const { status, code } = failureOf(error);
  const isDockers = status !== 0 && !["ENOENT", "ECONNREFUSED", "EACCES", "EPERM"].includes(code);
  if (isDockers && !isFullDisk(error))
    return `Docker could not ${doing}; the log of the gateway says why.`;
  return inWords(error, doing);
}

/** For the operator, one or two sentences: what happened, and what to do. `doing`: "start the sandbox". */
export function inWords(error: unknown, doing: string): string {
  const { code, status, text } = failureOf(error);
  if (isFullDisk(error))
    return "The disk is full. The owner should free space, for example with: docker system prune";
  if (code === "ENOENT" || code === "ECONNREFUSED")
    return "Docker does not run on this machine. The owner should start it (sudo systemctl start docker), or install it.";
  if (code === "EACCES" || code === "EPERM")
    return "The gateway may not use Docker. The owner should add its user to the group docker and start it again.";
  if (status === 0)
    return `Docker stopped answering (${code || "no answer"}). The owner should look at: docker info`;
  return `Docker could not ${doing}: ${text}`;
}
