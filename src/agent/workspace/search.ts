// The search command: finds a text in the files of the workspace, without regard to case.
import type { Dirent } from "node:fs";
import { opendir } from "node:fs/promises";
import { join } from "node:path";
import { oneLine } from "./looking.ts";
import { code, cut, fenced } from "./markdown.ts";
import { hasCode, nameOf } from "./paths.ts";
import { splitLine } from "./prompt.ts";
import { readBeginning } from "./text-file.ts";
import { type Action, look, type Result, type Turn } from "./turn.ts";

const skipped = new Set([".git", "node_modules"]);
const mostFiles = 10_000;
const mostFileBytes = 1_000_000;
const mostHits = 100;
const mostOfLine = 200;
const mostShown = 64_000;

export async function search(turn: Turn, rest: string): Promise<void> {
  const { line } = splitLine(rest);
  if (line === "") return turn.say("Say what to look for: `search invoice`.");
  const locations = [{ path: turn.root }];
  const title = `Search for ${cut(line, 200)}`;
  const call: Action = { title, kind: "search", locations };
  await look(turn, call, () => searching(turn, line));
}

interface Hits {
  readonly lines: string[];
  shown: number;
}

async function searching(turn: Turn, wanted: string): Promise<Result> {
  const hits: Hits = { lines: [], shown: 0 };
  const end = await searchFiles(turn, wanted.toLowerCase(), hits);
  if (end === "cancelled") return { ok: false, text: "Stopped searching." };
  const note: Record<typeof end, string> = {
    done: "",
    files: `\n\n*Truncated: I looked only into the first ${mostFiles} files and folders.*`,
    hits: "\n\n*Truncated: there may be more. Search for something longer.*",
  };
  const found =
    hits.lines.length === 0
      ? `I found no ${code(cut(wanted, mostOfLine))} in the text files of the workspace.`
      : fenced(hits.lines.join("\n"));
  return { ok: true, text: found + note[end] };
}

async function searchFiles(turn: Turn, wanted: string, hits: Hits) {
  const folders = [turn.root];
  let left = mostFiles;
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    for (const entry of await entriesOf(folder, left)) {
      if (turn.signal.aborted) return "cancelled";
      if (left === 0) return "files";
      left -= 1;
      const path = join(folder, entry.name);
      if (entry.isDirectory() && !skipped.has(entry.name)) folders.push(path);
      if (entry.isFile()) addHits(hits, nameOf(turn.root, path), await matches(path, wanted));
      if (hits.lines.length >= mostHits || hits.shown >= mostShown) return "hits";
    }
  }
  return "done";
}

/** One more than may be looked at, so that the caller sees that there are more. */
async function entriesOf(folder: string, left: number): Promise<Dirent[]> {
  const entries: Dirent[] = [];
  try {
    for await (const entry of await opendir(folder)) {
      entries.push(entry);
      if (entries.length > left) break;
    }
  } catch (error) {
    // It was removed meanwhile, or is not ours to read.
    if (!hasCode(error, "ENOENT", "ENOTDIR", "EACCES", "EPERM")) throw error;
  }
  return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
}

async function matches(path: string, wanted: string): Promise<string[]> {
  try {
    const found = await readBeginning(path, mostFileBytes);
    if (found === "binary" || found === "gone" || found.truncated) return [];
    if (!found.text.toLowerCase().includes(wanted)) return [];
    return found.text
      .split(/\r?\n/)
      .flatMap((line, index) =>
        line.toLowerCase().includes(wanted)
          ? [`${index + 1}: ${cut(line.trim(), mostOfLine)}`]
          : [],
      );
  } catch (error) {
    if (hasCode(error, "EACCES", "EPERM")) return [];
    throw error;
  }
}

function addHits(hits: Hits, name: string, found: readonly string[]): void {
  for (const line of found.slice(0, mostHits - hits.lines.length)) {
    const hit = `${oneLine(name)}:${line}`;
    hits.lines.push(hit);
    hits.shown += hit.length;
    if (hits.shown >= mostShown) return;
  }
}
