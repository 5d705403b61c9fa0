// Which folders of this machine may be seen in a sandbox, and which never.
import { realpath, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, resolve } from "node:path";
import type { HostPath } from "./host-paths.ts";
import { contains, holds, mountTable, realOr, spotOf } from "./mount-table.ts";

export interface ExtraMount {
  readonly path: string;
  readonly mode: "rw" | "ro";
}

export interface Guarded {
  readonly stateDir: string;
  readonly socket: string;
  /** The home of the gateway's user. */
  readonly userHome: string;
  /** What a path is outside, where the gateway itself runs in a container. */
  readonly hostPath?: HostPath | undefined;
}

const kernels = ["/proc", "/sys", "/dev"];
const showsState = "it would show Sallyport's own state";
const handsOutDocker = "it would hand out Docker, and with it the machine";
const isOwnHome = "it is your home, with your keys in it";

interface Names {
  readonly state: string;
  readonly sockets: readonly string[];
  readonly homes: readonly string[];
}

function exposesByName(path: string, { state, sockets, homes }: Names): string | undefined {
  if (path === "/") return "it is the whole machine";
  if (contains(path, state) || contains(state, path)) return showsState;
  if (sockets.some((socket) => contains(path, socket))) return handsOutDocker;
  if (homes.some((home) => contains(path, home))) return isOwnHome;
  if (dirname(path) === "/home" || contains(path, "/root"))
    return "it is somebody's home, with their keys in it";
  if (kernels.some((folder) => contains(path, folder) || contains(folder, path)))
    return "it would show the machine itself";
  return undefined;
}

/** The same folder may be mounted under several names. */
async function exposesByMount(real: string, { stateDir, socket, userHome }: Guarded) {
  const table = await mountTable();
  const spot = spotOf(table, real);
  const spotAt = async (path: string) => spotOf(table, await realOr(path));
  const state = await spotAt(stateDir);
  if (holds(spot, state) || holds(state, spot)) return showsState;
  if (holds(spot, await spotAt(socket))) return handsOutDocker;
  return holds(spot, await spotAt(userHome)) ? isOwnHome : undefined;
}

async function exposesOutside(real: string, { stateDir, socket, hostPath }: Guarded) {
  if (hostPath === undefined) return undefined;
  const outside = (path: string) => hostPath(path, true);
  const sockets = [await outside(socket).catch(() => socket), socket];
  const names = { state: await outside(stateDir), sockets, homes: [] };
  return exposesByName(await outside(real), names);
}

/** `real` has no links in it. */
async function exposes(real: string, guarded: Guarded): Promise<string | undefined> {
  const { stateDir, socket, userHome } = guarded;
  const names = {
    state: await realOr(stateDir),
    sockets: [await realOr(socket), resolve(socket)],
    homes: [await realOr(userHome)],
  };
  return (
    exposesByName(real, names) ??
    (await exposesByMount(real, guarded)) ??
    (await exposesOutside(real, guarded))
  );
}

async function problemWith(path: string, guarded: Guarded): Promise<string | undefined> {
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined) return "it does not exist";
  if (real !== resolve(path)) return `a link leads it to ${real}: name that instead`;
  const info = await stat(real);
  if (!info.isDirectory() && !info.isFile()) return "it is neither a folder nor a file";
  return await exposes(real, guarded);
}

export async function problemWithWorkspace(path: string, guarded: Guarded) {
  const problem = await problemWith(path, guarded);
  if (problem === undefined && (await stat(path)).isDirectory()) return undefined;
  return `The workspace ${path} cannot be used in the sandbox: ${problem ?? "it is not a folder"}.`;
}

/** Where a mount is inside. */
export function mountPoint({ path }: ExtraMount): string {
  return `/mnt/${basename(resolve(path))}`;
}

/** What is wrong with the mounts that the owner wishes, in words. */
export async function problemWithMounts(
  mounts: readonly ExtraMount[],
  workspace: string,
  guarded: Guarded,
) {
  const taken = new Set<string>();
  const shown = [await realOr(workspace)];
  for (const mount of mounts) {
    const problem = isAbsolute(mount.path)
      ? await problemWith(mount.path, guarded)
      : "its path must begin with /";
    if (problem !== undefined) return `The mount ${mount.path} was refused: ${problem}.`;
    const point = mountPoint(mount);
    if (taken.has(point))
      return `The mount ${mount.path} was refused: another is at ${point} already.`;
    taken.add(point);
    // Through one of them the other could be changed, past its masks and its mode.
    const other = shown.find((path) => contains(path, mount.path) || contains(mount.path, path));
    if (other !== undefined)
      return `The mount ${mount.path} was refused: it overlaps ${other}, which is shown already.`;
    shown.push(mount.path);
  }
  return undefined;
}
