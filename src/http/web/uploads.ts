// Files that people send up: streamed to a folder of ours, counted on the way, and kept until the agent had them.
import { randomBytes } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Clock } from "../../core/clock.ts";
import type { FileRef } from "../../core/events.ts";
import { mimeOf } from "../../core/file-name.ts";
import type { Uploaded } from "../../core/page.ts";
import type { PairingId } from "../../core/words.ts";
import { ownerOf, restOf } from "./chats.ts";
import { shownName } from "./shown-name.ts";
import { type Kept, keptOf, sweepAll, tidy, writeKept } from "./uploads-kept.ts";

export interface UploadPorts {
  readonly clock: Clock;
  /** A folder of ours with nothing else in it. */
  readonly folder: string;
  /** Bytes of one file. */
  readonly most: number;
}

export interface Incoming {
  /** As the caller says: untrusted. */
  readonly name: string;
  readonly bytes: ReadableStream<Uint8Array> | null;
}

export interface Uploads {
  /** `too-many`: others that this person sent up are not used yet. `broken`: it did not come to its end. */
  receive(
    pairing: PairingId,
    incoming: Incoming,
  ): Promise<Uploaded | "too-large" | "too-many" | "broken">;
  /** A message names them: from here on they stay for long. Undefined when one is not theirs, or is no longer here. */
  take(pairing: PairingId, ids: readonly string[]): Promise<FileRef[] | undefined>;
  /** Rejects with words for the person. */
  fetch(file: FileRef, into: WritableStream<Uint8Array>): Promise<void>;
  /** Removes what nobody used, and what is old. */
  sweep(): Promise<void>;
}

/** Of one person: what no message names yet, and what comes in at the same time. */
const unused = { files: 30, bytes: 150_000_000 };
const atOnce = 10;
const nameForm = /^[\w-]{1,64}$/;

export function createUploads({ clock, folder, most }: UploadPorts): Uploads {
  const coming = new Map<PairingId, number>();
  const placeOf = (pairing: PairingId) => {
    if (!nameForm.test(pairing)) throw new Error("The id of this pairing cannot name a folder");
    return join(folder, pairing);
  };
  const receiveOne = async (pairing: PairingId, { name, bytes }: Incoming) => {
    const place = placeOf(pairing);
    const others = await tidy(place, clock.now());
    if (others.files >= unused.files || others.bytes >= unused.bytes) return "too-many";
    const id = randomBytes(16).toString("base64url");
    const part = join(place, `${id}.part`);
    await mkdir(part, { recursive: true, mode: 0o700 });
    try {
      const size = await write(bytes, join(part, "content"), most);
      if (typeof size !== "number") return size;
      const shown = shownName(name);
      const kept: Kept = { name: shown, mime: mimeOf(shown), size, at: clock.now(), usedAt: null };
      await writeKept(part, kept);
      await rename(part, join(place, id));
      return { id: `${pairing}.${id}`, name: shown, size, mime: kept.mime };
    } finally {
      // Nothing is left there when all went well.
      await rm(part, { recursive: true, force: true });
    }
  };
  return {
    async receive(pairing, incoming) {
      const others = coming.get(pairing) ?? 0;
      if (others >= atOnce) return "too-many";
      coming.set(pairing, others + 1);
      try {
        return await receiveOne(pairing, incoming);
      } finally {
        const left = (coming.get(pairing) ?? 1) - 1;
        if (left > 0) coming.set(pairing, left);
        else coming.delete(pairing);
      }
    },
    async take(pairing, ids) {
      const files: FileRef[] = [];
      for (const id of new Set(ids)) {
        const place = ownerOf(id) === pairing && folderOf(folder, id);
        const kept = place && (await keptOf(place));
        if (!place || !kept) return undefined;
        if (kept.usedAt === null) await writeKept(place, { ...kept, usedAt: clock.now() });
        files.push({ id, name: kept.name, mime: kept.mime, size: kept.size });
      }
      return files;
    },
    async fetch({ id }, into) {
      const place = folderOf(folder, id);
      const content = place && (await open(join(place, "content")).catch(() => undefined));
      if (!content) {
        await into.abort();
        throw new Error("it is not kept here any more, please send it again");
      }
      await Readable.toWeb(content.createReadStream()).pipeTo(into);
    },
    sweep: () => sweepAll(folder, clock.now()),
  };
}

/** Undefined when it is no id of ours: it must not lead anywhere else. */
function folderOf(folder: string, id: string): string | undefined {
  const [owner, own] = [ownerOf(id), restOf(id)];
  return nameForm.test(owner) && nameForm.test(own) ? join(folder, owner, own) : undefined;
}

class TooLarge extends Error {}

/** Bytes written, on disk when it resolves. */
async function write(
  bytes: ReadableStream<Uint8Array> | null,
  path: string,
  most: number,
): Promise<number | "too-large" | "broken"> {
  let size = 0;
  async function* counted(chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      size += chunk.byteLength;
      if (size > most) throw new TooLarge();
      yield chunk;
    }
  }
  const file = createWriteStream(path, { flags: "wx", mode: 0o600, flush: true });
  try {
    await pipeline(bytes ? Readable.fromWeb(bytes as never) : Readable.from([]), counted, file);
    return size;
  } catch (error) {
    if (error instanceof TooLarge) return "too-large";
    // A full disk is ours to mend; a caller who went away is not.
    if (isOfDisk(error)) throw error;
    return "broken";
  }
}

function isOfDisk(error: unknown): boolean {
  const { syscall } = error as NodeJS.ErrnoException;
  return syscall === "open" || syscall === "write" || syscall === "fsync";
}
