// The commands that delete and move. A link is deleted and moved itself, never what it leads to.
import type { Stats } from "node:fs";
import { mkdir, opendir, rename, rmdir, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { missing } from "./looking.ts";
import { code, size } from "./markdown.ts";
import { isInside, locate } from "./paths.ts";
import { onePath, splitLine, words } from "./prompt.ts";
import { type Action, change, type Turn } from "./turn.ts";

interface Thing {
  readonly path: string;
  readonly name: string;
  readonly stat: Stats;
}

export async function remove(turn: Turn, rest: string): Promise<void> {
  const { line } = splitLine(rest);
  if (line === "") return turn.say("Say what to delete: `delete notes/old.md`.");
  const thing = await findThing(turn, onePath(line));
  if (typeof thing === "string") return turn.say(thing);
  const { path, name, stat } = thing;
  if (stat.isDirectory() && (await hasEntries(path))) {
    return turn.say(
      `${code(name)} is a folder with things in it, and I delete only empty ones. Delete what is in it first, or use \`run rm -r\`.`,
    );
  }
  const call: Action = {
    title: `Delete ${name} (${whatItIs(stat)})`,
    kind: "delete",
    locations: [{ path }],
    rawInput: { path: name },
  };
  await change(turn, call, async () => {
    if (!(await isStill(turn, thing))) return { ok: false, text: changed(name) };
    await (stat.isDirectory() ? rmdir(path) : unlink(path));
    return { ok: true, text: `Deleted ${code(name)}.` };
  });
}

export async function move(turn: Turn, rest: string): Promise<void> {
  const [from, to, ...others] = words(splitLine(rest).line);
  if (!from || !to || others.length > 0) {
    return turn.say(
      'Say from where to where: `move old.md notes/new.md`. A path with blanks stands in quotes: `move "my notes.md" notes.md`.',
    );
  }
  const thing = await findThing(turn, from);
  if (typeof thing === "string") return turn.say(thing);
  const goal = await findGoal(turn, thing, to);
  if (typeof goal === "string") return turn.say(goal);
  const call: Action = {
    title: `Move ${thing.name} to ${goal.name}`,
    kind: "move",
    locations: [{ path: thing.path }, { path: goal.path }],
    rawInput: { from: thing.name, to: goal.name },
  };
  await change(turn, call, async () => {
    const place = await locate(turn.root, goal.name, { linkItself: true });
    if (!place.ok || place.path !== goal.path || place.stat !== null) {
      return { ok: false, text: changed(goal.name) };
    }
    await mkdir(dirname(goal.path), { recursive: true });
    if (!(await isStill(turn, thing))) return { ok: false, text: changed(thing.name) };
    await rename(thing.path, goal.path);
    return { ok: true, text: `Moved ${code(thing.name)} to ${code(goal.name)}.` };
  });
}

async function findThing(turn: Turn, given: string): Promise<Thing | string> {
  const place = await locate(turn.root, given, { linkItself: true });
  if (!place.ok) return place.why;
  const { path, name, stat } = place;
  if (stat === null) return missing(name);
  if (path === turn.root) return "That is the workspace itself, and it stays. Name what is in it.";
  return { path, name, stat };
}

/** Where a thing goes: into a folder that is there, or to a name that is free. */
async function findGoal(turn: Turn, thing: Thing, given: string) {
  const place = await locate(turn.root, given);
  if (!place.ok) return place.why;
  const folder = place.stat?.isDirectory();
  const goal = folder
    ? await locate(turn.root, join(place.name, basename(thing.path)), { linkItself: true })
    : place;
  if (!goal.ok) return goal.why;
  if (isInside(thing.path, goal.path)) {
    return `${code(thing.name)} cannot go into itself. Choose another name.`;
  }
  if (goal.stat !== null) {
    return `${code(goal.name)} is already there, and I overwrite nothing. Choose another name, or delete it first.`;
  }
  return { path: goal.path, name: goal.name };
}

/** What was shown is what is there: the same thing, not touched since. */
async function isStill(turn: Turn, thing: Thing): Promise<boolean> {
  const place = await locate(turn.root, thing.name, { linkItself: true });
  if (!place.ok || place.path !== thing.path || place.stat === null) return false;
  const { dev, ino, size: bytes, mtimeMs } = place.stat;
  const { stat } = thing;
  return dev === stat.dev && ino === stat.ino && bytes === stat.size && mtimeMs === stat.mtimeMs;
}

function changed(name: string): string {
  return `${code(name)} changed while you were asked, so I changed nothing. Send the command again.`;
}

function whatItIs(stat: Stats): string {
  if (stat.isDirectory()) return "an empty folder";
  return stat.isSymbolicLink() ? "a link" : size(stat.size);
}

async function hasEntries(path: string): Promise<boolean> {
  for await (const _entry of await opendir(path)) return true;
  return false;
}
