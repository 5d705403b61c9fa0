// Where things are: the sandbox of a piece of work, files of ours, and the direct chats of owners.
import { randomBytes } from "node:crypto";
import { lstat, mkdir, readdir, realpath, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Recipient } from "../approvals/ports.ts";
import type { Listeners } from "../bus/listeners.ts";
import type { SandboxScope } from "../core/sandbox.ts";
import type { Caller, ConversationId } from "../core/words.ts";
import { ownerAccounts } from "../store/accounts.ts";
import { type Conversation, isShared } from "../store/conversations.ts";
import type { Store } from "../store/store.ts";

interface Folders {
  readonly workspace: string;
  /** What anybody may do with it; people we do not know only ever look. */
  readonly workspaceMode: "rw" | "ro";
  readonly homes: string;
}

/** What is done for whom, and in which conversation. */
export interface Doing {
  readonly caller: Pick<Caller, "pairing">;
  readonly conversation: Pick<Conversation, "id" | "caller">;
}

/** One sandbox per pairing, one per conversation that people share, one for all people we do not know. */
export function scopeOf(folders: Folders, { caller, conversation }: Doing): SandboxScope {
  const { homes, workspace } = folders;
  const { pairing } = caller;
  if (isShared(conversation) && pairing !== null) {
    const key = sharedKey(conversation.id);
    const { workspaceMode } = folders;
    return { key, pairing: null, shared: true, workspace, workspaceMode, home: join(homes, key) };
  }
  const key = pairing === null ? "anonymous" : `p-${pairing}`;
  const workspaceMode = pairing === null ? "ro" : folders.workspaceMode;
  return { key, pairing, workspace, workspaceMode, home: join(homes, key) };
}

const sharedMark = "s-";

/** Of the sandbox of a conversation that people share. */
export function sharedKey(conversation: ConversationId): string {
  return `${sharedMark}${conversation}`;
}

/** Conversations that have, or had, a home of their own. */
export async function sharedHomes(homes: string): Promise<ConversationId[]> {
  const names = await readdir(homes).catch(() => []);
  return names.flatMap((name) =>
    name.startsWith(sharedMark) ? [name.slice(sharedMark.length)] : [],
  );
}

/** What goes out as a file, in a folder of its own. The name must be safe. */
export async function keepFile(files: string, name: string, content: string | Uint8Array) {
  const folder = join(files, randomBytes(9).toString("base64url"));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, name);
  await writeFile(path, content, { mode: 0o600 });
  return { path, size: Buffer.byteLength(content) };
}

/** What was kept and is not wanted after all. */
export async function dropFile({ path }: { readonly path: string }): Promise<void> {
  await rm(dirname(path), { recursive: true, force: true });
}

/** Direct chats of owners, on listeners that can open one. */
export async function reachableOwners(store: Store, listeners: Listeners): Promise<Recipient[]> {
  const accounts = await store.run(ownerAccounts);
  const found = await Promise.all(
    accounts.map(async ({ listener, account, pairing }) => {
      const to = await listeners
        .get(listener)
        ?.listener.openDirect?.(account)
        .catch(() => undefined);
      return to ? [{ person: `p:${pairing}`, to }] : [];
    }),
  );
  return found.flat();
}

/** A folder, reached without any link: an agent may have put one in its home that leads elsewhere. */
export async function isOwnFolder(path: string): Promise<boolean> {
  const [real, above] = await Promise.all([
    realpath(path).catch(() => undefined),
    realpath(dirname(dirname(path))).catch(() => undefined),
  ]);
  return above !== undefined && real === join(above, basename(dirname(path)), basename(path));
}

/** Removes the entries of a folder that are older, one by one; how many went. */
export async function forgetFiles(folder: string, before: number): Promise<number> {
  let gone = 0;
  if (!(await isOwnFolder(folder))) return gone;
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const info = await lstat(path).catch(() => undefined);
    if (!info || info.mtimeMs >= before) continue;
    await rm(path, { recursive: true, force: true });
    gone += 1;
  }
  return gone;
}

/** What people sent lies in the inbox of each home. */
export async function inboxes(homes: string): Promise<string[]> {
  return (await readdir(homes).catch(() => [])).map((home) => join(homes, home, "inbox"));
}
