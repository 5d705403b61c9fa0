// The commands that change nothing: list and read.
import { opendir } from "node:fs/promises";
import { extname } from "node:path";
import { code, fenced, size } from "./markdown.ts";
import { locate } from "./paths.ts";
import { onePath, splitLine } from "./prompt.ts";
import { readBeginning } from "./text-file.ts";
import { type Action, look, type Result, type Turn } from "./turn.ts";

const mostShown = 64_000;
const mostEntries = 500;

export async function list(turn: Turn, rest: string): Promise<void> {
  const place = await locate(turn.root, onePath(splitLine(rest).line));
  if (!place.ok) return turn.say(place.why);
  const { path, name, stat } = place;
  if (stat === null) return turn.say(missing(name));
  if (!stat.isDirectory()) {
    return turn.say(`${code(name)} is not a folder. Say \`read\` and its name to see it.`);
  }
  const title = `List ${name}`;
  const call: Action = { title, kind: "read", locations: [{ path }] };
  await look(turn, call, () => listing(path, name));
}

async function listing(path: string, name: string): Promise<Result> {
  const entries: string[] = [];
  let more = false;
  for await (const entry of await opendir(path)) {
    more = entries.length === mostEntries;
    if (more) break;
    const mark = entry.isDirectory() ? "/" : entry.isSymbolicLink() ? " (link)" : "";
    entries.push(entry.name + mark);
  }
  if (entries.length === 0)
    return { ok: true, text: `${name === "." ? "The workspace" : code(name)} is empty.` };
  const text = fenced(entries.sort().map(oneLine).join("\n"));
  const note = `\n\n*Truncated: these are ${mostEntries} of more entries. Search, or list a folder below.*`;
  return { ok: true, text: more ? text + note : text };
}

/** A name may hold line breaks, and a list is read by its lines. */
export function oneLine(name: string): string {
  return name.replace(/[\r\n]/g, "\uFFFD");
}

export async function read(turn: Turn, rest: string): Promise<void> {
  const { line } = splitLine(rest);
  if (line === "") return turn.say("Say which file: `read notes/todo.md`.");
  const place = await locate(turn.root, onePath(line));
  if (!place.ok) return turn.say(place.why);
  const { path, name, stat } = place;
  if (stat === null) return turn.say(missing(name));
  if (stat.isDirectory()) {
    return turn.say(`${code(name)} is a folder. Say \`list\` and its name to see what is in it.`);
  }
  const title = `Read ${name}`;
  const call: Action = { title, kind: "read", locations: [{ path }] };
  await look(turn, call, () => reading(path, name));
}

async function reading(path: string, name: string): Promise<Result> {
  const found = await readBeginning(path, mostShown);
  if (found === "gone") {
    return { ok: false, text: `${code(name)} is not an ordinary file, so I do not read it.` };
  }
  if (found === "binary") {
    return { ok: false, text: `${code(name)} is not a text file, and I show only text.` };
  }
  if (found.text === "") return { ok: true, text: `${code(name)} is empty.` };
  const text = fenced(found.text, language(name));
  const note = `\n\n*Truncated: these are the first ${size(mostShown)} of ${size(found.bytes)}.*`;
  return { ok: true, text: found.truncated ? text + note : text };
}

function language(name: string): string {
  const ending = extname(name).slice(1).toLowerCase();
  return /^[a-z0-9+#-]{1,12}$/.test(ending) ? ending : "";
}

export function missing(name: string): string {
  return `There is no ${code(name)} in the workspace. Say \`list\` to see what there is.`;
}
