// Attachments: the mail is fetched from the mailbox again, and only the one that is wanted is decoded.
import { Readable } from "node:stream";
import type { FileRef } from "../../src/core/events.ts";
import { sizeMost } from "./fetching.ts";
import type { Folder } from "./imap.ts";

export interface FilePorts {
  folder(): Promise<Folder>;
  /** Undefined: the mail has no such attachment. */
  attachment(raw: Buffer, index: number): Promise<Uint8Array | undefined>;
}

export type FetchFile = (file: FileRef, into: WritableStream<Uint8Array>) => Promise<void>;

/** One after the other: each may hold a whole mail in memory. */
export function createFiles(ports: FilePorts): FetchFile {
  let last: Promise<unknown> = Promise.resolve();
  return async (file, into) => {
    const content = last.then(() => contentOf(ports, file));
    last = content.catch(() => undefined);
    try {
      const chunks = Readable.from([await content], { objectMode: false });
      await (Readable.toWeb(chunks) as ReadableStream<Uint8Array>).pipeTo(into);
    } catch (error) {
      await into.abort(error).catch(() => undefined);
      throw error;
    }
  };
}

export function fileId(uidValidity: string, uid: number, index: number): string {
  return `${uidValidity}.${uid}.${index}`;
}

async function contentOf(ports: FilePorts, { id, name }: FileRef): Promise<Uint8Array> {
  const [, uidValidity, uid, index] = /^(\d+)\.(\d+)\.(\d+)$/.exec(id) ?? [];
  if (!uidValidity) throw new Error(`${name} is not from this mailbox.`);
  const raw = await rawOf(ports, uidValidity, Number(uid));
  if (!raw)
    throw new Error(`The mail with ${name} is not in the mailbox any more: ask for it again.`);
  const content = await ports.attachment(raw, Number(index));
  if (!content) throw new Error(`${name} could not be read from its mail: ask for it again.`);
  return content;
}

/** Once more, should the connection break meanwhile. */
async function rawOf({ folder }: FilePorts, uidValidity: string, uid: number) {
  for (let tries = 0; ; tries += 1) {
    const open = await folder();
    if (open.uidValidity !== uidValidity) return undefined;
    try {
      return (await open.sources([uid], sizeMost + 1)).get(uid);
    } catch (error) {
      if (tries > 0) throw error;
    }
  }
}
