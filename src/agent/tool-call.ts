// Merges what an agent tells of one tool call, bit by bit, into a ToolCall. Everything in it is the agent's claim.
import type { ToolCall, ToolDiff, ToolKind } from "../core/agent.ts";

export type Fields = Readonly<Record<string, unknown>>;

const kinds: ReadonlySet<unknown> = new Set<ToolKind>([
  "read",
  "edit",
  "delete",
  "move",
  "search",
  "execute",
  "think",
  "fetch",
  "switch_mode",
  "other",
]);
const statuses: ReadonlySet<unknown> = new Set(["pending", "in_progress", "completed", "failed"]);
const titleChars = 2000;
const inputChars = 16 * 1024;
const listed = 1000;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function fieldsOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isFields).slice(0, listed) : [];
}

function diffsOf(content: unknown): readonly ToolDiff[] {
  return fieldsOf(content).flatMap((item) =>
    item.type === "diff" && typeof item.path === "string" && typeof item.newText === "string"
      ? [
          {
            path: item.path,
            before: typeof item.oldText === "string" ? item.oldText : null,
            after: item.newText,
          },
        ]
      : [],
  );
}

function locationsOf(locations: unknown): readonly string[] {
  return fieldsOf(locations).flatMap((place) =>
    typeof place.path === "string" ? [place.path] : [],
  );
}

function shellQuoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function isWords(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((w) => typeof w === "string");
}

/** Agents send `command` as a line, or as argv, or with `args` beside it. */
function commandOf(input: Fields): string | undefined {
  const command = input.command ?? input.cmd;
  if (isWords(command)) return command.map(shellQuoted).join(" ");
  if (typeof command !== "string") return undefined;
  return isWords(input.args) ? `${command} ${input.args.map(shellQuoted).join(" ")}` : command;
}

function inputOf(rawInput: unknown): string {
  const text = JSON.stringify(rawInput) ?? "";
  return text.length > inputChars ? `${text.slice(0, inputChars - 1)}…` : text;
}

type Input = Pick<ToolCall, "command" | "url" | "input">;

function readInput(rawInput: unknown): Input {
  const input = isFields(rawInput) ? rawInput : {};
  const command = commandOf(input);
  return {
    ...(command === undefined ? {} : { command }),
    ...(typeof input.url === "string" ? { url: input.url } : {}),
    ...(command === undefined ? { input: inputOf(rawInput) } : {}),
  };
}

function keptInput(call: ToolCall): Input {
  return {
    ...(call.command === undefined ? {} : { command: call.command }),
    ...(call.url === undefined ? {} : { url: call.url }),
    ...(call.input === undefined ? {} : { input: call.input }),
  };
}

function unknownCall(id: string): ToolCall {
  return { id, title: "tool call", kind: "other", status: "pending", locations: [], diffs: [] };
}

function isEmptyInput(input: unknown): boolean {
  return input == null || (isFields(input) && Object.keys(input).length === 0);
}

/** What an update leaves out stays as it was. Diffs stay until new ones come: a later plain output does not hide them. */
export function mergeToolCall(known: ToolCall | undefined, id: string, update: Fields): ToolCall {
  const before = known ?? unknownCall(id);
  const diffs = diffsOf(update.content);
  const { input, ...rest } = isEmptyInput(update.rawInput)
    ? keptInput(before)
    : readInput(update.rawInput);
  const shown = diffs.length > 0 ? diffs : before.diffs;
  return {
    id,
    title: typeof update.title === "string" ? update.title.slice(0, titleChars) : before.title,
    kind: kinds.has(update.kind) ? (update.kind as ToolKind) : before.kind,
    status: statuses.has(update.status) ? (update.status as ToolCall["status"]) : before.status,
    locations: Array.isArray(update.locations) ? locationsOf(update.locations) : before.locations,
    diffs: shown,
    ...rest,
    ...(input === undefined || shown.length > 0 ? {} : { input }),
  };
}
