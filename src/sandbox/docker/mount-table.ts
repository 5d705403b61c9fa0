// What this process has mounted where, as the kernel lists it.
import { readFile, realpath } from "node:fs/promises";
import { join, relative, resolve } from "node:path";

export interface Mounted {
  /** Of the filesystem: its number. */
  readonly device: string;
  /** Which folder or file of that filesystem is seen. */
  readonly root: string;
  readonly point: string;
}

/** Where something lies, whatever it is called here. */
export interface Spot {
  readonly device: string;
  readonly path: string;
}

export function contains(outer: string, inner: string): boolean {
  const way = relative(outer, inner);
  return way === "" || (way !== ".." && !way.startsWith("../") && !way.startsWith("/"));
}

const plain = (text: string) =>
  text.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );

/** Of the text of /proc/self/mountinfo. */
export function mountsIn(text: string): readonly Mounted[] {
  return text.split("\n").flatMap((line) => {
    const [, , device, root, point] = line.split(" ");
    if (device === undefined || root === undefined || point === undefined) return [];
    return { device, root: plain(root), point: plain(point) };
  });
}

/** Empty where the system has no such list. */
export async function mountTable(): Promise<readonly Mounted[]> {
  return mountsIn(await readFile("/proc/self/mountinfo", "utf8").catch(() => ""));
}

/** `real` has no links in it. Of several mounts at one point the last covers the others. */
export function spotOf(table: readonly Mounted[], real: string): Spot | undefined {
  let found: Mounted | undefined;
  for (const one of table)
    if (contains(one.point, real) && one.point.length >= (found?.point.length ?? 0)) found = one;
  return found && { device: found.device, path: join(found.root, relative(found.point, real)) };
}

/** The same folder, or one inside it, also where another mount shows it under another name. */
export function holds(outer: Spot | undefined, inner: Spot | undefined): boolean {
  if (outer === undefined || inner === undefined) return false;
  return outer.device === inner.device && contains(outer.path, inner.path);
}

export async function realOr(path: string): Promise<string> {
  return await realpath(path).catch(() => resolve(path));
}
