// Reads files, and replaces their text, in bounds, and only while it is what it was.
import { constants } from "node:fs";
import { type FileHandle, mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { StringDecoder } from "node:string_decoder";
import { locate, openInside } from "./paths.ts";

export interface Beginning {
  readonly text: string;
  readonly bytes: number;
  readonly truncated: boolean;
}

/** The first bytes of a text file. "gone": no ordinary file is there. */
export async function readBeginning(
  path: string,
  most: number,
): Promise<Beginning | "binary" | "gone"> {
  const handle = await openInside(path, constants.O_RDONLY);
  if (handle === null) return "gone";
  try {
    const bytes = (await handle.stat()).size;
    const start = await readUpTo(handle, most + 1);
    const truncated = start.length > most;
    const text = decode(start.subarray(0, most), truncated);
    return text === null ? "binary" : { text, bytes: Math.max(bytes, start.length), truncated };
  } finally {
    await handle.close();
  }
}

/** "gone": no ordinary file is there. */
export async function readWhole(path: string, most: number): Promise<Buffer | "larger" | "gone"> {
  const handle = await openInside(path, constants.O_RDONLY);
  if (handle === null) return "gone";
  try {
    if ((await handle.stat()).size > most) return "larger";
    const bytes = await readUpTo(handle, most + 1);
    return bytes.length > most ? "larger" : bytes;
  } finally {
    await handle.close();
  }
}

/** Null: not text. A character that the end of what was read cuts in two is left out. */
function decode(bytes: Buffer, truncated: boolean): string | null {
  if (bytes.includes(0)) return null;
  const decoder = new StringDecoder("utf8");
  const text = decoder.write(bytes) + (truncated ? "" : decoder.end());
  // A file may contain the replacement character itself, so its bytes decide.
  return bytes.subarray(0, Buffer.byteLength(text)).equals(Buffer.from(text)) ? text : null;
}

async function readUpTo(handle: FileHandle, most: number): Promise<Buffer> {
  // Files of /proc say that they are empty, so the stated size decides nothing.
  const { size } = await handle.stat();
  let buffer = Buffer.alloc(Math.min(most, Math.max(size + 1, 4096)));
  let filled = 0;
  for (;;) {
    if (filled === buffer.length) {
      if (filled >= most) return buffer;
      buffer = Buffer.concat([buffer], Math.min(most, filled * 2));
    }
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, filled);
    if (bytesRead === 0) return buffer.subarray(0, filled);
    filled += bytesRead;
  }
}

export interface Change {
  readonly root: string;
  readonly name: string;
  readonly path: string;
  /** Null: the file is new. */
  readonly before: string | null;
  readonly after: string;
}

/** "changed": it is not what was shown any more, so nothing was written. */
export async function replaceText(change: Change): Promise<"written" | "changed"> {
  const { root, name, path, before } = change;
  const place = await locate(root, name);
  if (!place.ok || place.path !== path) return "changed";
  if (before !== null) return overwrite(path, before, change.after);
  await mkdir(dirname(path), { recursive: true });
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
  const handle = await openInside(path, flags);
  if (handle === null) return "changed";
  try {
    await handle.writeFile(change.after);
    return "written";
  } finally {
    await handle.close();
  }
}

// In place, so that owner, mode and hard links stay, and through the one handle that was compared.
async function overwrite(path: string, before: string, after: string) {
  const handle = await openInside(path, constants.O_RDWR);
  if (handle === null) return "changed";
  try {
    const old = Buffer.from(before);
    if (!(await readUpTo(handle, old.length + 1)).equals(old)) return "changed";
    try {
      await put(handle, Buffer.from(after));
    } catch (error) {
      // A full disk must not cost the old text: its blocks are still there.
      await put(handle, old);
      throw error;
    }
    return "written";
  } finally {
    await handle.close();
  }
}

async function put(handle: FileHandle, bytes: Buffer): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    written += (await handle.write(bytes, written, bytes.length - written, written)).bytesWritten;
  }
  await handle.truncate(bytes.length);
}
