// Packages that somebody has installed on this machine, found by the programs that they brought.
import { execFile } from "node:child_process";
import { realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { ImageFolder } from "./from-host.ts";

const run = promisify(execFile);

/** The folder of the package whose program is found in PATH, however it came there; undefined: it is not there. */
export async function packageOf(program: string, name: string): Promise<string | undefined> {
  // Asked of npm, the answer would be about the Node that runs npm.
  const found = await run("sh", ["-c", 'command -v "$1"', "sh", program]).catch(() => undefined);
  const path = await realpath(found?.stdout.trim() ?? "").catch(() => "");
  const mark = `/node_modules/${name}/`;
  const at = path.lastIndexOf(mark);
  return at < 0 ? undefined : path.slice(0, at + mark.length - 1);
}

export interface NpmParts {
  readonly folders: readonly ImageFolder[];
  readonly links: Readonly<Record<string, string>>;
}

/** Whoever works on a project in JavaScript wants it; without one on this machine there is none in the image. */
export async function npmOfHost(): Promise<NpmParts> {
  const from = await packageOf("npm", "npm");
  if (from === undefined || !(await stat(join(from, "node_modules")).catch(() => undefined)))
    return { folders: [], links: {} };
  const to = "/usr/local/lib/node_modules/npm";
  const links = { npm: `${to}/bin/npm-cli.js`, npx: `${to}/bin/npx-cli.js` };
  return { folders: [{ from, to }], links };
}
