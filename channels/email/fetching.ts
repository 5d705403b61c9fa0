// Mails out of the mailbox in bounded portions: small ones together, large ones alone, larger ones not at all.
import type { Readable } from "node:stream";
import type { Folder, Head } from "./imap.ts";

/** As it is in the mailbox. */
export interface Mail extends Head {
  /** Null: too large to be read. */
  readonly raw: Buffer | null;
}

/** What a mail that is too large is looked at by. */
export interface Oversize {
  readonly header: Buffer;
  /** All of it while it comes; null: too large even to be looked at. */
  stream<T>(use: (raw: Readable) => Promise<T>): Promise<T> | null;
}

export const megabyte = 1024 * 1024;
export const sizeMost = 25 * megabyte;
const streamMost = 60 * megabyte;
const batchMost = { mails: 20, bytes: 10 * megabyte };
/** How far the size that a server says may be off. */
const slack = 64 * 1024;

/** The next few that fit into one portion, in their order; at least one. */
export function portion(heads: readonly Head[], most = batchMost.mails): readonly Head[] {
  let bytes = 0;
  const fitting = heads.findIndex(({ size }, index) => {
    bytes += size;
    return index >= most || (index > 0 && bytes > batchMost.bytes);
  });
  return fitting === -1 ? heads : heads.slice(0, fitting);
}

/** Rejects when the server does not hand out what it lists. */
export async function fetchMails(folder: Folder, heads: readonly Head[]): Promise<Mail[]> {
  const readable = heads.filter(({ size }) => size <= sizeMost);
  const sources = new Map<number, Buffer>();
  if (readable.length > 0) {
    const most = Math.max(...readable.map(({ size }) => size)) + slack;
    const uids = readable.map(({ uid }) => uid);
    // A mail of nothing is no mail: it was not handed out.
    for (const [uid, raw] of await folder.sources(uids, most))
      if (raw.length > 0) sources.set(uid, raw);
    await completeAll(folder, { sources, uids, most });
  }
  return heads.flatMap((head): Mail[] => {
    if (head.size > sizeMost) return [{ ...head, raw: null }];
    const raw = sources.get(head.uid);
    if (raw === undefined) return [];
    return [{ ...head, size: raw.length, raw: raw.length > sizeMost ? null : raw }];
  });
}

interface Portion {
  readonly sources: Map<number, Buffer>;
  readonly uids: readonly number[];
  readonly most: number;
}

/** A mail that is larger than its size was said to be is fetched alone; one that is gone stays away. */
async function completeAll(folder: Folder, { sources, uids, most }: Portion): Promise<void> {
  for (const [uid, raw] of sources) {
    if (raw.length < most) continue;
    const whole = (await folder.sources([uid], sizeMost + 1)).get(uid);
    if (whole) sources.set(uid, whole);
  }
  await assertGone(
    folder,
    uids.filter((uid) => !sources.has(uid)),
  );
}

/** What the server does not tell about must not be there any more: all else is an answer that broke off. */
export async function assertGone(folder: Folder, uids: readonly number[]): Promise<void> {
  const [first] = uids;
  if (first === undefined) return;
  const there = new Set(await folder.uidsFrom(first));
  const held = uids.filter((uid) => there.has(uid));
  if (held.length > 0) throw new HeldBack(held);
}

export class HeldBack extends Error {
  readonly uids: readonly number[];
  constructor(uids: readonly number[]) {
    super("the mail server lists a mail but does not hand it out");
    this.name = "HeldBack";
    this.uids = uids;
  }
}

export async function openOversize(folder: Folder, { uid, size }: Mail): Promise<Oversize | null> {
  const header = await folder.header(uid);
  if (header === null) return null;
  return {
    header,
    stream: (use) => (size > streamMost ? null : folder.stream(uid, streamMost + 1, use)),
  };
}
