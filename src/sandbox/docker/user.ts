// Whom the agent runs as, and that its home belongs to that user.
import type { Stats } from "node:fs";
import { lchown, lstat, mkdir, readdir, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { SandboxTrouble } from "../../core/sandbox.ts";

export interface User {
  readonly uid: number;
  readonly gid: number;
}

/** When the gateway is root and the workspace is root's as well. */
const unprivileged: User = { uid: 10_001, gid: 10_001 };

export function gatewayUser(): User {
  return { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
}

/**
 * The gateway's own user. A gateway that is root lends the agent its workspace's owner, so that what the agent writes
 * belongs to whom the rest belongs to; never root itself. Under rootless Docker, root inside is the gateway's user.
 */
export async function agentUser(workspace: string, rootless = false): Promise<User> {
  if (rootless) return { uid: 0, gid: 0 };
  const own = gatewayUser();
  if (own.uid !== 0) return own;
  const { uid, gid } = await stat(workspace);
  return uid === 0 ? unprivileged : { uid, gid };
}

function mayWrite({ uid, gid, mode }: Stats, user: User): boolean {
  const bit = uid === user.uid ? 0o200 : gid === user.gid ? 0o020 : 0o002;
  return user.uid === 0 || (mode & bit) !== 0;
}

/**
 * What is wrong, in words. A root gateway gives an empty folder of root's to the agent; whose a folder with something
 * in it is, its owner decides.
 */
export async function problemWithWriting(folder: string, user: User): Promise<string | undefined> {
  const info = await stat(folder);
  if (mayWrite(info, user)) return undefined;
  const { uid, gid } = user;
  if (gatewayUser().uid === 0 && info.uid === 0 && (await readdir(folder)).length === 0) {
    await lchown(folder, uid, gid);
    return undefined;
  }
  return `The agent runs as user ${uid}, who may not write to the workspace. The owner should run: chown -R ${uid}:${gid} ${folder}`;
}

/** Links are never followed: an agent may have put them there. */
async function give(path: string, user: User): Promise<void> {
  const info = await lstat(path);
  if (info.uid !== user.uid || info.gid !== user.gid) await lchown(path, user.uid, user.gid);
  if (!info.isDirectory()) return;
  for (const name of await readdir(path)) await give(join(path, name), user);
}

/** What people sent lies there; the agent may read it, and what it is mounted on cannot be swapped for a link. */
export function inboxOf(home: string): string {
  return join(home, "inbox");
}

/** To be called while nothing runs in it. */
export async function prepareHome(home: string, user: User): Promise<void> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  const info = await lstat(home);
  if (!info.isDirectory())
    throw new SandboxTrouble(
      "The home of this sandbox is not a folder. The owner should remove it; the log says where it lies.",
      { detail: `${home} is not a folder` },
    );
  const inbox = inboxOf(home);
  const found = await lstat(inbox).catch(() => undefined);
  // Only an agent can have put something else there.
  if (found !== undefined && !found.isDirectory()) await unlink(inbox);
  if (!found?.isDirectory()) await mkdir(inbox, { mode: 0o700 });
  if (!mustGive(user)) return;
  // What people sent was written by us meanwhile.
  await give(info.uid === user.uid ? inbox : home, user);
}

/** Whether what we make is root's and has to be given away. */
export function mustGive(user: User): boolean {
  return gatewayUser().uid === 0 && user.uid !== 0;
}
