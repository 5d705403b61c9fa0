// Puts a home out of the way, whatever an agent has made of it, so that a fresh one takes its place. One is kept.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, rename } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

const mark = ".full-";

/** Not the home of anybody any more. */
export function isSetAside(name: string): boolean {
  return name.includes(mark);
}

async function run(program: string, args: readonly string[]): Promise<boolean> {
  try {
    const [code] = await once(spawn(program, args, { stdio: "ignore" }), "close");
    return code === 0;
  } catch {
    return false;
  }
}

/** By the system's own programs, which cope with paths that are too long for us. False: something is left. */
async function removeTree(path: string): Promise<boolean> {
  // An agent may have closed its folders, to itself and so to us.
  await run("chmod", ["-R", "u+rwX", "--", path]);
  return await run("rm", ["-rf", "--", path]);
}

async function besides(home: string): Promise<readonly string[]> {
  const folder = dirname(home);
  const names = await readdir(folder).catch(() => []);
  return names
    .filter((name) => name.startsWith(`${basename(home)}${mark}`))
    .map((name) => join(folder, name));
}

async function removeAll(paths: readonly string[]): Promise<boolean> {
  const removed = await Promise.all(paths.map(removeTree));
  return !removed.includes(false);
}

export interface Aside {
  readonly path: string;
  /** What was put aside before goes. False: something of it is left. */
  readonly earlierGone: Promise<boolean>;
}

/** Undefined: there is none. */
export async function setAside(home: string): Promise<Aside | undefined> {
  const earlier = await besides(home);
  const path = `${home}${mark}${new Date().toISOString().replaceAll(/[:.]/g, "-")}`;
  try {
    await rename(home, path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
  return { path, earlierGone: removeAll(earlier) };
}

/** The home and what was put aside of it. */
export async function removeHome(home: string): Promise<boolean> {
  return await removeAll([home, ...(await besides(home))]);
}
