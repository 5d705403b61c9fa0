// Which folders of this machine may be seen in a sandbox, and which never.
import { realpath, stat } from "node:fs/promises";
import { basename, isAbsolute, relative, resolve, sep } from "node:path";

export interface ExtraMount {
  readonly path: string;
  readonly mode: "rw" | "ro";
}

export interface Guarded {
  readonly stateDir: string;
  readonly socket: string;
  /** The home of the gateway's user. */
  readonly userHome: string;
}

const kernels = ["/proc", "/sys", "/dev"];

function contains(outer: string, inner: string): boolean {
  const way = relative(outer, inner);
  return way === "" || (!isAbsolute(way) && way !== ".." && !way.startsWith(`..${sep}`));
}

async function realOr(path: string): Promise<string> {
  return await realpath(path).catch(() => resolve(path));
}

/** `real` has no links in it. */
async function exposes(real: string, { stateDir, socket, userHome }: Guarded) {
  const state = await realOr(stateDir);
  if (real === "/") return "it is the whole machine";
  if (contains(real, state) || contains(state, real)) return "it would show Sallyport's own state";
  if (contains(real, await realOr(socket)) || contains(real, resolve(socket)))
    return "it would hand out Docker, and with it the machine";
  if (contains(real, await realOr(userHome))) return "it is your home, with your keys in it";
  if (kernels.some((folder) => contains(real, folder) || contains(folder, real)))
    return "it would show the machine itself";
  return undefined;
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
