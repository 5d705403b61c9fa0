// What a folder takes on the disk: counted without following a link, and no further than it has to be.
import { lstat, opendir } from "node:fs/promises";
import { join } from "node:path";

export interface HomeSize {
  /** A lower bound unless `whole`. */
  readonly bytes: number;
  readonly whole: boolean;
  /** Why it could not be measured to its end, beside being too large. */
  readonly trouble?: string;
}

const mostEntries = 1_000_000;

interface Walk {
  readonly limit: number;
  readonly linked: Set<string>;
  bytes: number;
  entries: number;
}

class Unmeasured extends Error {}

function isGone(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ENOENT" || code === "ENOTDIR";
}

/** Undefined: it went away meanwhile, as files do while an agent runs. */
async function unlessGone<T>(looking: Promise<T>): Promise<T | undefined> {
  try {
    return await looking;
  } catch (error) {
    if (isGone(error)) return undefined;
    // What cannot be looked into could hold anything.
    throw new Unmeasured("it holds a folder that cannot be looked into");
  }
}

/** True: it is a folder to look into. */
async function count(walk: Walk, path: string): Promise<boolean> {
  const info = await unlessGone(lstat(path));
  if (info === undefined) return false;
  walk.entries += 1;
  if (walk.entries > mostEntries)
    throw new Unmeasured(`it holds more than ${mostEntries.toLocaleString("en")} files`);
  const name = `${info.dev}:${info.ino}`;
  const again = info.nlink > 1 && !info.isDirectory() && walk.linked.has(name);
  if (info.nlink > 1 && !info.isDirectory()) walk.linked.add(name);
  if (!again) walk.bytes += info.blocks * 512;
  return info.isDirectory();
}

async function walkIn(home: string, walk: Walk): Promise<void> {
  const left = (await count(walk, home)) ? [home] : [];
  for (let folder = left.pop(); folder !== undefined; folder = left.pop()) {
    const entries = await unlessGone(opendir(folder));
    if (entries === undefined) continue;
    for await (const { name } of entries) {
      const path = join(folder, name);
      if (await count(walk, path)) left.push(path);
      if (walk.bytes > walk.limit) return;
    }
  }
}

/** Never follows a link, and stops counting above `limit` bytes. A home that is not there is empty. */
export async function measureHome(home: string, limit: number): Promise<HomeSize> {
  const walk: Walk = { limit, linked: new Set(), bytes: 0, entries: 0 };
  try {
    await walkIn(home, walk);
    return { bytes: walk.bytes, whole: walk.bytes <= limit };
  } catch (error) {
    if (!(error instanceof Unmeasured)) throw error;
    return { bytes: walk.bytes, whole: false, trouble: error.message };
  }
}
