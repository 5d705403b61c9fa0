// The package as it is published, in a folder of its own: built, with the packages it needs at run time and what makes images.
import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, unlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const checkout = fileURLToPath(new URL("../../", import.meta.url));
const nodeModules = join(checkout, "node_modules");

interface Locked {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>;
}

/** What nothing reads at run time: without it images are made quickly. */
const unread = /\.(map|d\.[cm]?ts|md)$|^\/node_modules(\/|$)/;
const sources = ["better-sqlite3/deps", "better-sqlite3/src", "zod/src"].map((path) =>
  join(nodeModules, path),
);

/** The ones that are not for development only, outer ones first. */
function packagesAtRunTime(): readonly string[] {
  const lock: Locked = JSON.parse(readFileSync(join(nodeModules, ".package-lock.json"), "utf8"));
  return Object.entries(lock.packages)
    .filter(([path, { dev }]) => dev !== true && existsSync(join(checkout, path)))
    .map(([path]) => path)
    .sort();
}

function copyPackage(from: string, to: string): void {
  const isRead = (path: string) => !unread.test(path.slice(from.length)) && !sources.includes(path);
  // What is nested in it is in the list itself.
  cpSync(from, to, { recursive: true, filter: isRead });
}

async function build(folder: string): Promise<void> {
  const tsc = join(nodeModules, "typescript/bin/tsc");
  const project = join(checkout, "tsconfig.build.json");
  const dist = join(folder, "dist");
  // Types are checked elsewhere; what it has written is what is tried.
  await run(process.execPath, [tsc, "-p", project, "--outDir", dist], { cwd: checkout }).catch(
    (error: unknown) => {
      if (!existsSync(join(dist, "src/cli/main.js"))) throw error;
    },
  );
  const src = join(folder, "src");
  symlinkSync(join(checkout, "src"), src);
  await run(process.execPath, [join(checkout, "scripts/copy-page.mjs")], { cwd: folder });
  unlinkSync(src);
}

export async function publishedPackage(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const building = build(folder);
  for (const path of packagesAtRunTime()) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    copyPackage(join(checkout, path), join(folder, path));
  }
  for (const name of ["package.json", "docker"])
    cpSync(join(checkout, name), join(folder, name), { recursive: true });
  await building;
}
