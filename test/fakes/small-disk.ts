// A filesystem of a few megabytes, mounted where a test wants it: only root can do that.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";

export const smallDisk = {
  megabytes: 16,
  skip: process.platform === "linux" && process.getuid?.() === 0 ? false : "needs root, to mount",
} as const;

function run(program: string, ...args: string[]): void {
  execFileSync(program, args, { stdio: ["ignore", "ignore", "pipe"], timeout: 20_000 });
}

export interface SmallDisk {
  readonly place: string;
  /** Done before it goes, in this order: what still runs would hold it. */
  readonly ends: (() => Promise<void>)[];
}

/** An image in a file where this machine can mount one, else memory of that size. To be made before what uses it. */
export function mountSmallDisk(t: TestContext): SmallDisk {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "sallyport-disk-")));
  const [place, file] = [join(folder, "disk"), join(folder, "image")];
  mkdirSync(place);
  writeFileSync(file, "");
  truncateSync(file, smallDisk.megabytes * 1_000_000);
  const ends: SmallDisk["ends"] = [];
  t.after(async () => {
    for (const end of ends) await end();
    run("umount", "--lazy", place);
    rmSync(folder, { recursive: true });
  });
  try {
    run("mkfs.ext4", "-q", "-F", "-m", "0", file);
    run("mount", "-o", "loop", file, place);
  } catch {
    run("mount", "-t", "tmpfs", "-o", `size=${smallDisk.megabytes}m,mode=0700`, "tmpfs", place);
  }
  return { place, ends };
}
