// Writes our files into the agent's home, from inside: whatever the agent made of its home, nothing outside is reached.
import { lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, resolve, sep } from "node:path";

type Json = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function merged(theirs: unknown, ours: unknown): unknown {
  if (!isObject(theirs) || !isObject(ours)) return ours;
  const both = Object.entries(ours).map(([name, value]): [string, unknown] => [
    name,
    Object.hasOwn(theirs, name) ? merged(theirs[name], value) : value,
  ]);
  return Object.fromEntries([...Object.entries(theirs), ...both]);
}

/** What is there as JSON; undefined: it is none, or no plain file. */
function jsonAt(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

function isPlainFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function contentFor(path: string, ours: string): string {
  if (!path.endsWith(".json") || !isPlainFile(path)) return ours;
  return `${JSON.stringify(merged(jsonAt(path), JSON.parse(ours)), null, 2)}\n`;
}

/** Throws where one cannot be written. */
export function writeHomeFiles(home: string, files: Readonly<Record<string, string>>): void {
  for (const [name, ours] of Object.entries(files)) {
    const path = resolve(home, name);
    if (!path.startsWith(`${resolve(home)}${sep}`)) throw new Error(`${name} is not in the home`);
    const content = contentFor(path, ours);
    // What is masked, or as it should be, need not be writable.
    if (isPlainFile(path) && readFileSync(path, "utf8") === content) continue;
    mkdirSync(dirname(path), { recursive: true });
    if (!isPlainFile(path)) rmSync(path, { recursive: true, force: true });
    writeFileSync(path, content, { mode: 0o600 });
  }
}
