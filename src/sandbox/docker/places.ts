// The places that masks are put on: made where they are missing, told from what replaced them, removed at the end.
import { constants } from "node:fs";
import { lchown, lstat, mkdir, open, readFile, rmdir, unlink } from "node:fs/promises";
import { mustGive, type User } from "./user.ts";

export interface Place {
  readonly path: string;
  /** Null: a folder. */
  readonly content: string | null;
}

/** A word for one file or folder that a later one of that name does not have; null: nothing is there. */
export async function identityOf(path: string): Promise<string | null> {
  try {
    const { dev, ino, birthtimeNs } = await lstat(path, { bigint: true });
    return `${dev}/${ino}/${birthtimeNs}`;
  } catch {
    return null;
  }
}

type Found = "missing" | "fits" | "link" | "other";

export async function lookAt({ path, content }: Place): Promise<Found> {
  const info = await lstat(path).catch(() => undefined);
  if (info === undefined) return "missing";
  if (info.isSymbolicLink()) return "link";
  return (content === null ? info.isDirectory() : info.isFile()) ? "fits" : "other";
}

/** Its parent is a real folder already. */
export async function make({ path, content }: Place, user: User): Promise<void> {
  if (content === null) {
    await mkdir(path, { mode: 0o755 });
    // Never through a link that somebody put there meanwhile.
    if (mustGive(user)) await lchown(path, user.uid, user.gid);
    return;
  }
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const file = await open(path, flags, 0o644);
  try {
    await file.writeFile(content);
    if (mustGive(user)) await file.chown(user.uid, user.gid);
  } finally {
    await file.close();
  }
}

/** Only if it is as we made it: what somebody has put there since is theirs. */
export async function unmake({ path, content }: Place): Promise<void> {
  try {
    if (content === null) return await rmdir(path);
    if ((await lookAt({ path, content })) !== "fits") return;
    if ((await readFile(path, "utf8")) === content) await unlink(path);
  } catch {
    // Not empty, gone already, or no longer ours to remove.
  }
}
