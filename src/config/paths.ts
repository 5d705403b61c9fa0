// Where everything is: one state directory per project, outside of it, readable by its owner only.
import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import type { Environment } from "./environment.ts";
import { readSmall } from "./files.ts";

export interface StatePaths {
  readonly dir: string;
  /** Tells this state from others, e.g. in the environment of what we start. */
  readonly hash: string;
  readonly settings: string;
  /** What of the project's own file the operator has confirmed. */
  readonly confirmed: string;
  readonly database: string;
  readonly lock: string;
  readonly socket: string;
  /** Holds the path of the socket when `socket` is too long for the system. */
  readonly socketRecord: string;
  readonly secrets: string;
  /** Random, of this state: what pairing codes are kept under. */
  readonly codeKey: string;
  /** The owner's token of the gateway that runs. */
  readonly localToken: string;
  readonly homes: string;
  readonly files: string;
  /** What people send up on the page, until the agent has it. */
  readonly uploads: string;
  readonly runtimeDir: string;
}

export interface Place {
  readonly workspace: string;
  readonly paths: StatePaths;
}

export type Placed =
  | { readonly ok: true; readonly place: Place }
  | { readonly ok: false; readonly problem: string };

export interface Wanted {
  readonly workspace: string;
  readonly state?: string | undefined;
}

/** `DIR:ro`, unless that is itself the name of a folder. */
export function asksForReadOnly(workspace: string): boolean {
  return workspace.endsWith(":ro") && !existsSync(workspace);
}

export function placeOf({ workspace, state }: Wanted, environment: Environment): Placed {
  const folder = resolve(asksForReadOnly(workspace) ? workspace.slice(0, -3) : workspace);
  if (!existsSync(folder) || !statSync(folder).isDirectory())
    return {
      ok: false,
      problem: `The workspace ${folder} is not a folder. Make it, or name another with --workspace DIR.`,
    };
  const real = realpathSync(folder);
  const hash = sha256(real);
  const label =
    basename(real)
      .replace(/[^\w.-]+/g, "-")
      .slice(0, 40) || "root";
  const dir = state ? resolve(state) : join(environment.stateHome, "sallyport", `${label}-${hash}`);
  const realDir = realOf(dir);
  if (realDir === real || realDir.startsWith(`${real}${real.endsWith(sep) ? "" : sep}`))
    return {
      ok: false,
      problem: `The state ${dir} would lie inside the workspace ${real}, where the agent works. Name another folder with --state DIR, or a smaller --workspace DIR.`,
    };
  return { ok: true, place: { workspace: real, paths: pathsIn(dir, environment.runtimeDir) } };
}

function pathsIn(dir: string, runtimeDir: string): StatePaths {
  return {
    dir,
    hash: sha256(dir),
    settings: join(dir, "settings.yaml"),
    confirmed: join(dir, "project.confirmed.yaml"),
    database: join(dir, "server.db"),
    lock: join(dir, "gateway.lock"),
    socket: join(dir, "control.sock"),
    socketRecord: join(dir, "control.path"),
    secrets: join(dir, "secrets"),
    codeKey: join(dir, "code.key"),
    localToken: join(dir, "local.token"),
    homes: join(dir, "homes"),
    files: join(dir, "files"),
    uploads: join(dir, "uploads"),
    runtimeDir,
  };
}

/** Makes what is missing and closes it to others. */
/** Throws, with what to do, where the folder cannot be made or belongs to somebody else. */
export function ensureState({ dir, secrets, homes, files, uploads }: StatePaths): void {
  try {
    for (const folder of [dir, secrets, homes, files, uploads]) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      if ((statSync(folder).mode & 0o077) !== 0) chmodSync(folder, 0o700);
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(
      `The state cannot be kept in ${dir}: ${why}. Choose a folder of yours with --state DIR.`,
    );
  }
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 10);
}

/** With the links of the part that exists resolved. */
function realOf(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const parent = dirname(path);
  return parent === path ? path : join(realOf(parent), basename(path));
}

/** Where a gateway that runs can be reached. */
export function socketOf({ socket, socketRecord }: StatePaths): string {
  return readSmall(socketRecord) ?? socket;
}
