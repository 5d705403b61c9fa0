// A folder that becomes the root of an image: files are copied into it, each only once.
import { createHash, type Hash } from "node:crypto";
import { constants, createReadStream } from "node:fs";
import {
  chmod,
  copyFile,
  cp,
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  realpath,
  symlink,
  writeFile,
} from "node:fs/promises";
import { basename, dirname, join } from "node:path";

export interface Stage {
  readonly root: string;
  /** Copies a file to where it is on this machine, or to `to`. */
  file(from: string, to?: string): Promise<void>;
  folder(from: string, to: string): Promise<void>;
  text(to: string, text: string): Promise<void>;
  emptyFolder(to: string, mode: number): Promise<void>;
  link(to: string, target: string): Promise<void>;
  /** Of all that is in it: names, modes, contents. */
  hash(): Promise<string>;
}

const readWhole = 1024 * 1024;
/** What only people and compilers read. */
const skipped = /\.(map|d\.[cm]?ts|md)$|\/node_modules\/zod\/src$/;

/** Never more than an ordinary program may: no setuid, nothing for others to write. */
function plainMode(mode: number): number {
  return (mode & 0o111) === 0 ? 0o644 : 0o755;
}

async function addToHash(hash: Hash, path: string, name: string): Promise<void> {
  const info = await lstat(path);
  hash.update(`${name}\0${info.mode}\0${info.isFile() ? info.size : ""}\0`);
  if (info.isSymbolicLink()) hash.update(await readlink(path));
  if (!info.isFile()) return;
  if (info.size < readWhole) hash.update(await readFile(path));
  else for await (const chunk of createReadStream(path)) hash.update(chunk);
}

async function hashOf(root: string): Promise<string> {
  const hash = createHash("sha256");
  const names = await readdir(root, { recursive: true });
  for (const name of names.sort()) await addToHash(hash, join(root, name), name);
  return hash.digest("hex").slice(0, 12);
}

export function createStage(root: string): Stage {
  const copied = new Map<string, string>();

  const roomFor = async (to: string) => {
    const target = join(root, to);
    await mkdir(dirname(target), { recursive: true, mode: 0o755 });
    return target;
  };
  const placeOf = async (path: string) => join(await realpath(dirname(path)), basename(path));
  const exists = (path: string) =>
    lstat(path).then(
      () => true,
      () => false,
    );

  return {
    root,
    async file(from, to) {
      const source = await realpath(from);
      const target = await roomFor(to ?? (await placeOf(from)));
      if (await exists(target)) return;
      const first = copied.get(source);
      // One program under many names, as busybox is, is kept once.
      if (first !== undefined) return await link(first, target);
      await copyFile(source, target, constants.COPYFILE_FICLONE);
      await chmod(target, plainMode((await lstat(source)).mode));
      copied.set(source, target);
    },
    async folder(from, to) {
      await cp(await realpath(from), await roomFor(to), {
        recursive: true,
        verbatimSymlinks: true,
        mode: constants.COPYFILE_FICLONE,
        filter: (path) => !skipped.test(path),
      });
    },
    async text(to, text) {
      await writeFile(await roomFor(to), text, { mode: 0o644 });
    },
    async emptyFolder(to, mode) {
      await mkdir(await roomFor(to), { recursive: true });
      await chmod(join(root, to), mode);
    },
    async link(to, target) {
      await symlink(target, await roomFor(to));
    },
    hash: () => hashOf(root),
  };
}
