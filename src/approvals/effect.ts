// What a tool call will do, as Markdown: the effect first, whole, with everything hidden made visible.
import type { ToolCall, ToolDiff, ToolKind } from "../core/agent.ts";
import { visible } from "../core/visible.ts";
import type { Markdown } from "../core/words.ts";

export interface Effect {
  /** One line: `Run a command`, `Change notes.md`. */
  readonly title: string;
  readonly body: Markdown;
  /** Short, for a button: `this command`, `notes.md`. */
  readonly what: string;
}

const verbs: Record<ToolKind, string> = {
  read: "Read",
  search: "Search",
  edit: "Change",
  delete: "Delete",
  move: "Move",
  execute: "Run",
  think: "Think",
  fetch: "Fetch",
  switch_mode: "Switch mode",
  other: "Do",
};

/** Paths inside `root`, the agent's workspace, are shown from there on. */
export async function effectOf(whole: ToolCall, root?: string): Promise<Effect> {
  const call = root === undefined ? whole : fromRoot(whole, root);
  if (call.command !== undefined)
    return {
      title: "Run a command",
      body: fenced(visible(call.command), "sh"),
      what: "this command",
    };
  if (call.diffs.length > 0) {
    const diffs = await Promise.all(call.diffs.map(diffText));
    return { title: titleOfDiffs(call.diffs), body: diffs.join("\n\n"), what: whatOf(call) };
  }
  if (call.url !== undefined)
    return { title: "Fetch an address", body: fenced(visible(call.url)), what: "this address" };
  const title = call.title.replace(/\s+/g, " ").trim().slice(0, 200);
  const paths = call.locations.map((path) => `- ${code(path)}`).join("\n");
  const input = saysNoMore(call) ? "" : fenced(visible(call.input ?? ""), "json");
  const asked = title ? `The agent calls it: ${code(title)}` : "";
  return {
    title: `${verbs[call.kind]} ${call.locations.length > 0 ? shortPaths(call.locations) : "something"}`,
    body: [asked, paths, input].filter(Boolean).join("\n\n"),
    what: whatOf(call),
  };
}

/** A host that the sandbox may not reach, for an owner. */
export function wayOutOf(place: string): Effect {
  const shown = visible(place).replace(/\s+/g, " ").slice(0, 300);
  return {
    title: `Reach ${shown}`,
    body: `The sandbox asks for this host. To allow it for good: ${code(`sallyport config add egress.allow ${shown}`)}`,
    what: shown,
  };
}

function fromRoot(call: ToolCall, root: string): ToolCall {
  const shown = (path: string) =>
    path.startsWith(`${root}/`) && !path.split("/").includes("..")
      ? path.slice(root.length + 1)
      : path;
  return {
    ...call,
    locations: call.locations.map(shown),
    diffs: call.diffs.map((diff) => ({ ...diff, path: shown(diff.path) })),
  };
}

/** The input of a deletion or a move is often only the paths, which are shown already. */
function saysNoMore({ input, locations }: ToolCall): boolean {
  if (input === undefined) return true;
  try {
    const parsed: unknown = JSON.parse(input);
    if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) return false;
    return Object.values(parsed).every((value) => locations.includes(value));
  } catch {
    return false;
  }
}

async function diffText(diff: ToolDiff): Promise<Markdown> {
  if (diff.before === null)
    return `New file ${code(diff.path)}:\n\n${fenced(visible(diff.after), languageOf(diff.path))}`;
  const { structuredPatch } = await import("diff");
  const patch = structuredPatch("", "", diff.before, diff.after, "", "", { context: 3 });
  const lines = patch.hunks.flatMap((hunk) => [
    `@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`,
    ...hunk.lines,
  ]);
  return `${code(diff.path)}:\n\n${fenced(visible(lines.join("\n")), "diff")}`;
}

function titleOfDiffs(diffs: readonly ToolDiff[]): string {
  const verb = diffs.every((diff) => diff.before === null) ? "Create" : "Change";
  return `${verb} ${shortPaths(diffs.map((diff) => diff.path))}`;
}

function whatOf(call: ToolCall): string {
  const paths = [...new Set([...call.diffs.map((diff) => diff.path), ...call.locations])];
  return paths.length === 1 ? shortPaths(paths) : "exactly this";
}

function shortPaths(paths: readonly string[]): string {
  const names = paths.map((path) => visible(path).replace(/\s+/g, " ").split("/").at(-1) ?? path);
  const shown = names.slice(0, 3).join(", ");
  return names.length > 3 ? `${shown} and ${names.length - 3} more` : shown;
}

function languageOf(path: string): string {
  return /\.([a-z0-9]{1,8})$/i.exec(path)?.[1]?.toLowerCase() ?? "";
}

/** A fence longer than any inside. */
export function fenced(text: string, language = ""): Markdown {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((run) => run[0].length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n$/, "")}\n${fence}`;
}

/** Untrusted text as inline code on one line. */
export function code(text: string): Markdown {
  const line = visible(text).replace(/\s+/g, " ");
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map((run) => run[0].length));
  const ticks = "`".repeat(longest + 1);
  return longest > 0 ? `${ticks} ${line} ${ticks}` : `${ticks}${line}${ticks}`;
}
