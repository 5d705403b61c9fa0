// Small files of the state: read with a bound, written whole or not at all, readable by their owner only.
import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";

const most = 256 * 1024;

/** Undefined when there is no such file. Throws for what is no plain file, or too big. */
export function readSmall(path: string): string | undefined {
  let file: number;
  try {
    // Never through a link, and never stuck on a pipe: a project's file is somebody else's.
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw code === "ELOOP" ? new Error(`${path} is a link: a plain file is wanted there`) : error;
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile() || stat.size > most)
      throw new Error(`${path} is not a plain file of at most ${most} bytes`);
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

export function writeWhole(path: string, text: string | Uint8Array): void {
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  const file = openSync(draft, "wx", 0o600);
  try {
    writeSync(file, typeof text === "string" ? Buffer.from(text) : text);
    fsyncSync(file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
  renameSync(draft, path);
}
