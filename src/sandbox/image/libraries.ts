// Which shared libraries a program needs on this machine, as the system's own loader says.
import { execFile } from "node:child_process";
import { open, readdir } from "node:fs/promises";
import { join } from "node:path";

export type Libraries =
  | { readonly ok: true; readonly paths: readonly string[] }
  | { readonly ok: false; readonly problem: string };

const loader = "ldd";
const outputBytes = 16 * 1024 * 1024;
const perCall = 100;
const textual = /\.([cm]?[jt]s|json|md|map|txt|html|css|ya?ml|sh|py)$/;

/** It ends with 1 when one of the files is a script or linked statically, which is fine. */
function ldd(files: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    const options = { maxBuffer: outputBytes, env: { PATH: "/usr/bin:/bin", LC_ALL: "C" } };
    execFile(loader, [...files], options, (error, stdout) => {
      resolve(error !== null && error.code === "ENOENT" ? undefined : stdout);
    });
  });
}

function pathsIn(text: string): readonly string[] {
  // `name => /path (0x…)`, and the loader itself as `/path (0x…)`.
  return [...text.matchAll(/^\s+(?:\S+ => )?(\/\S+) \(0x/gm)].flatMap(([, path]) => path ?? []);
}

export async function librariesOf(programs: readonly string[]): Promise<Libraries> {
  const found = new Set<string>();
  for (let at = 0; at < programs.length; at += perCall) {
    const text = await ldd(programs.slice(at, at + perCall));
    if (text === undefined) {
      const problem = "The program ldd is missing, which tells what libraries a program needs.";
      return { ok: false, problem };
    }
    for (const path of pathsIn(text)) found.add(path);
  }
  return { ok: true, paths: [...found] };
}

async function isElf(path: string): Promise<boolean> {
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return false;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
    return bytesRead === 4 && buffer.toString("latin1") === "\x7fELF";
  } finally {
    await file.close();
  }
}

/** The programs and libraries that lie in a folder, at any depth. */
export async function binariesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && !textual.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name));
  const found: string[] = [];
  for (const file of files) if (await isElf(file)) found.push(file);
  return found;
}
