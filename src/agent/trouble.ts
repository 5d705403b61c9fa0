// What goes wrong with an agent, as sentences for people.
import { stripVTControlCharacters } from "node:util";
import type { ProcessEnd } from "../core/sandbox.ts";
import { visibleLine } from "../core/visible.ts";

/** Its message is a whole sentence that may be shown in a chat. */
export class Trouble extends Error {}

const telling =
  /error|fatal|panic|denied|refused|not found|cannot|failed|invalid|missing|unauthori/i;
// Keys and tokens are long runs that mix letters and digits; paths and words are not.
const secretLike = /(?=[\w+=-]*\d)(?=[\w+=-]*[a-z])[\w+=-]{20,}/gi;

/** One line of what an agent wrote, safe to show: bounded, nothing invisible, nothing that looks like a key. */
export function quoted(text: string, limit = 200): string {
  const line = visibleLine(stripVTControlCharacters(text.slice(0, 4 * limit)).trim());
  const safe = line.replace(secretLike, "…");
  return safe.length > limit ? `${safe.slice(0, limit)}…` : safe;
}

/** The line of stderr that most likely says why, or nothing. */
function lastWords(stderr: string): string {
  const lines = stderr
    .slice(-8192)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const line = lines.findLast((candidate) => telling.test(candidate)) ?? lines.at(-1);
  return line === undefined ? "" : ` It last said: ${quoted(line)}`;
}

function how(end: ProcessEnd): string {
  if (end.reason !== undefined) return end.reason;
  if (end.signal !== null) return `killed by ${end.signal}`;
  return `exit code ${end.code ?? "unknown"}`;
}

export function deathSentence(started: boolean, end: ProcessEnd, stderr: string): string {
  const when = started ? "in the middle of its work" : "before it was ready";
  return `The agent ended ${when} (${how(end)}).${lastWords(stderr)}`;
}

export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
