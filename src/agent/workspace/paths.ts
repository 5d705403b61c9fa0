// Finds what a path means inside the workspace, and refuses what leads out of it.
import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, open, realpath } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";
import { code } from "./markdown.ts";

export type Place =
  /** A real path inside the workspace; `stat` is null where nothing is. */
  | { readonly ok: true; readonly path: string; readonly name: string; readonly stat: Stats | null }
  /** `why` is a sentence for people that says what to do. */
  | { readonly ok: false; readonly why: string };

const longest = 4096;
const advice = "Name a path from the top of the workspace, for example `notes/todo.md`.";

interface Options {
  /** Take a link at the end of the path as the thing itself: for deleting and moving. */
  readonly linkItself?: boolean;
}

export async function locate(root: string, given: string, options: Options = {}): Promise<Place> {
  const wrong = misspelt(given);
  if (wrong !== null) return { ok: false, why: wrong };
  const segments = given.split("/").filter((segment) => segment !== "" && segment !== ".");
  let path = root;
  let stat: Stats | null = await lstat(root);
  for (const [index, segment] of segments.entries()) {
    if (!stat.isDirectory()) {
      return { ok: false, why: `${code(nameOf(root, path))} is not a folder. ${advice}` };
    }
    path = join(path, segment);
    stat = await lstatOrNull(path);
    if (stat === null) {
      const missing = join(path, ...segments.slice(index + 1));
      return { ok: true, path: missing, name: nameOf(root, missing), stat: null };
    }
    const last = index === segments.length - 1;
    if (!stat.isSymbolicLink() || (last && options.linkItself)) continue;
    const target = await followed(root, path);
    if (target === null) return { ok: false, why: badLink(nameOf(root, path)) };
    path = target;
    stat = await lstat(path);
  }
  return { ok: true, path, name: nameOf(root, path), stat };
}

function misspelt(given: string): string | null {
  if (given.includes("\0")) return `A path cannot contain a NUL character. ${advice}`;
  if (given.length > longest) return `That path is too long. ${advice}`;
  if (isAbsolute(given)) {
    return `${code(given)} is an absolute path, and I stay inside the workspace. ${advice}`;
  }
  if (given.split("/").includes("..")) {
    return `${code(given)} goes up with \`..\`, and I stay inside the workspace. ${advice}`;
  }
  return null;
}

function badLink(name: string): string {
  return `${code(name)} is a link that leads out of the workspace or nowhere, so I do not follow it. Name the file itself, or delete the link first.`;
}

/** Where a link leads, or null if that is nowhere or outside. */
async function followed(root: string, link: string): Promise<string | null> {
  try {
    const target = await realpath(link);
    return isInside(root, target) ? target : null;
  } catch (error) {
    if (hasCode(error, "ENOENT", "ELOOP", "ENOTDIR", "EACCES")) return null;
    throw error;
  }
}

export function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

export function nameOf(root: string, path: string): string {
  return relative(root, path) || ".";
}

export async function lstatOrNull(path: string): Promise<Stats | null> {
  try {
    return await lstat(path);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  }
}

export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && "code" in error && codes.includes(String(error.code));
}

/**
 * Opens a path that `locate` gave. Null: it is not an ordinary file there any more. A path is a claim until it is open,
 * so what was opened is compared with what the path means now: a link put in between leads nowhere.
 */
export async function openInside(path: string, flags: number): Promise<FileHandle | null> {
  let handle: FileHandle | undefined;
  try {
    // Without O_NONBLOCK, opening a named pipe would wait for its other end.
    handle = await open(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o666);
    const [opened, now, real] = [await handle.stat(), await lstat(path), await realpath(path)];
    const same = opened.ino === now.ino && opened.dev === now.dev && real === path;
    if (same && opened.isFile()) return handle;
  } catch (error) {
    if (!hasCode(error, "ENOENT", "ELOOP", "EEXIST", "ENOTDIR", "ENXIO", "EISDIR")) {
      await handle?.close();
      throw error;
    }
  }
  await handle?.close();
  return null;
}
