// To Discord: its Markdown from pieces, and rows of buttons.
import type { Button } from "../../src/core/channel.ts";
import type { Mark, Piece } from "../shared/pieces.ts";
import type { Dialect } from "../shared/render.ts";
import { apart, escapedCost, escapeText, inCode, inFence, safeUrl } from "./escape.ts";

/** UTF-16 units are never fewer than the code points that Discord counts; marks and escapes count as well. */
export const discordDialect: Dialect = {
  limit: 2000,
  textCost,
  markCost,
  write: toDiscord,
};

function textCost(text: string, marks: readonly Mark[]): number {
  const lines = marks.some(({ is }) => is === "quote") ? 2 * (text.split("\n").length - 1) : 0;
  if (marks.some(isCode)) return text.length + (text.match(/`/g)?.length ?? 0) + lines;
  return escapedCost(text) + lines;
}

/** With what keeps it apart from its neighbours: a line break around a block, an invisible character in a line. */
function markCost(mark: Mark): number {
  switch (mark.is) {
    case "pre":
      return mark.language.length + 10;
    case "quote":
      return 4;
    case "link":
      return safeUrl(mark.url).length + 10;
    case "code":
      return 8;
    default:
      return 6;
  }
}

function isCode({ is }: Mark): boolean {
  return is === "code" || is === "pre";
}

export function toDiscord(pieces: readonly Piece[]): string {
  const shown = pieces.map((piece) => ({ text: piece.text, marks: allowed(piece.marks) }));
  return write(shown, 0, { before: "" });
}

interface Shown {
  readonly text: string;
  readonly marks: readonly Mark[];
}

/** A fence stands alone: no other mark goes around it. */
function allowed(marks: readonly Mark[]): readonly Mark[] {
  const fence = marks.find(({ is }) => is === "pre");
  return fence ? [fence] : marks;
}

/** `before`: what stands left of it, which decides where a line begins. */
interface Place {
  readonly before: string;
}

function write(pieces: readonly Shown[], depth: number, { before }: Place): string {
  let out = "";
  let afterBlock = false;
  const groups = [...groupsOf(pieces, depth)];
  for (const [index, group] of groups.entries()) {
    const mark = group[0]?.marks[depth];
    if (afterBlock && !group[0]?.text.startsWith("\n")) out += "\n";
    const here = before + out;
    if (mark) out += apart(here, wrap(mark, group, { depth, before: here }));
    else {
      const markFollows = index < groups.length - 1;
      out += escapeText(textOf(group), { atLineStart: atLineStart(here), markFollows });
    }
    afterBlock = mark?.is === "pre" || mark?.is === "quote";
  }
  return out;
}

function textOf(pieces: readonly Shown[]): string {
  return pieces.map(({ text }) => text).join("");
}

function* groupsOf(pieces: readonly Shown[], depth: number): Generator<Shown[]> {
  let group: Shown[] = [];
  for (const piece of pieces) {
    const first = group[0];
    if (first && first.marks[depth] !== piece.marks[depth]) {
      yield group;
      group = [];
    }
    group.push(piece);
  }
  if (group.length > 0) yield group;
}

function atLineStart(before: string): boolean {
  return /(?:^|\n)(?:> )?[ \t]*[*~]*$/.test(before);
}

interface Nested extends Place {
  readonly depth: number;
}

function wrap(mark: Mark, group: readonly Shown[], { depth, before }: Nested): string {
  const text = textOf(group);
  const inner = (at: string) => write(group, depth + 1, { before: at });
  switch (mark.is) {
    case "pre":
      // Without anything in it, Discord shows the fence itself.
      return text.trim() === ""
        ? text
        : `${freshLine(before)}\`\`\`${mark.language}\n${inFence(text)}\n\`\`\``;
    case "code":
      return inCode(text);
    case "quote":
      return `${freshLine(before)}> ${inner("> ").replaceAll("\n", "\n> ")}`;
    case "link":
      return linked(mark.url, text, inner("["));
    case "bold":
      return `**${inner(`${before}**`)}**`;
    case "italic":
      return `*${inner(`${before}*`)}*`;
    case "strike":
      return `~~${inner(`${before}~~`).replace(/~$/, "$&\u200B")}~~`;
  }
}

function freshLine(before: string): string {
  return before === "" || before.endsWith("\n") ? "" : "\n";
}

/** Discord shows no link behind words that are an address themselves: what is seen must be where it leads. */
function linked(url: string, text: string, words: string): string {
  const address = `<${safeUrl(url)}>`;
  if (text === url) return address;
  return /https?:\/\//i.test(text) ? `${words} (${address})` : `[${words}](${address})`;
}

const perRow = 5;
const mostRows = 5;
export const mostButtons = perRow * mostRows;
const labelMost = 80;

export function toRows(buttons: readonly Button[]) {
  const rows = [];
  for (let at = 0; at < buttons.length; at += perRow)
    rows.push({
      type: 1,
      components: buttons.slice(at, at + perRow).map(({ label, data }) => ({
        type: 2,
        style: 2,
        label: label.length > labelMost ? `${label.slice(0, labelMost - 1)}…` : label,
        custom_id: data,
      })),
    });
  return rows;
}
