// Pieces in Slack's mrkdwn. It has no way to escape its marks, so a word of prose that would be read as one is shown as
// code: that is what it looks like, and it copies as it is. What cannot even be code makes the whole message plain.
import type { Mark, Piece } from "../shared/pieces.ts";

type Look = "bold" | "italic" | "strike";

/** Of one line or one code block, with the same looks throughout. */
interface Run {
  readonly text: string;
  readonly looks: string;
  readonly code: boolean;
  readonly quote: boolean;
  readonly link?: string;
  /** The mark itself: two code blocks that touch are two. */
  readonly pre?: Mark;
}

const references: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
const signs: Record<Look, string> = { bold: "*", italic: "_", strike: "~" };

export function escaped(text: string): string {
  return text.replace(/[&<>]/g, (character) => references[character] ?? character);
}

/** Undefined when mrkdwn cannot show it as it is. */
export function toMrkdwn(pieces: readonly Piece[]): string | undefined {
  const runs = pieces.flatMap(runsOf).reduce<Run[]>(joined, []);
  if (!runs.every(isExpressible)) return undefined;
  let written = "";
  for (const [index, run] of runs.entries()) {
    const before = edge(runs[index - 1], -1);
    const block = run.pre !== undefined || runs[index - 1]?.pre !== undefined;
    const line = block && run.text !== "\n" && !isStart(written) ? "\n" : "";
    const quote = run.quote && isStart(written + line) ? "&gt; " : "";
    const after = edge(runs[index + 1], 0);
    written += line + quote + writtenRun(run, { before, after });
  }
  return written;
}

function isStart(written: string): boolean {
  return written === "" || written.endsWith("\n");
}

/** What stands beside a run: a code block has lines of its own. */
function edge(run: Run | undefined, at: 0 | -1): string {
  if (!run || run.pre) return "\n";
  return run.text.at(at) ?? "\n";
}

function runsOf({ text, marks }: Piece): Run[] {
  const pre = marks.find(({ is }) => is === "pre");
  const quote = marks.some(({ is }) => is === "quote");
  if (pre) return [{ text, looks: "", code: false, quote: false, pre }];
  const link = marks.findLast((mark) => mark.is === "link");
  const looks = (Object.keys(signs) as Look[]).filter((look) =>
    marks.some(({ is }) => is === look),
  );
  const run = {
    looks: looks.map((look) => signs[look]).join(""),
    code: marks.some(({ is }) => is === "code"),
    quote,
    ...(link?.is === "link" ? { link: link.url } : {}),
  };
  if (run.link) return [{ ...run, text: text.replace(/\s+/g, " ") }];
  // No mark reaches over the end of a line.
  return text.split(/(\n)/).flatMap((line) => (line === "" ? [] : [{ ...run, text: line }]));
}

function joined(runs: Run[], run: Run): Run[] {
  const last = runs.at(-1);
  if (last && isSame(last, run)) runs[runs.length - 1] = { ...last, text: last.text + run.text };
  else runs.push(run);
  return runs;
}

function isSame(a: Run, b: Run): boolean {
  if (a.pre || b.pre) return a.pre === b.pre;
  if (a.text === "\n" || b.text === "\n") return false;
  if (a.link || b.link) return a.link === b.link && a.quote === b.quote;
  return a.looks === b.looks && a.code === b.code && a.quote === b.quote;
}

/** A backtick inside of code ends it, and outside of it begins some. */
function isExpressible({ text, pre }: Run): boolean {
  return pre ? !text.includes("```") : !text.includes("`");
}

interface Beside {
  readonly before: string;
  readonly after: string;
}

function writtenRun(run: Run, beside: Beside): string {
  if (run.pre) return `\`\`\`\n${escaped(run.text)}\n\`\`\``;
  const [, head = "", words = "", tail = ""] = /^(\s*)([\s\S]*?)(\s*)$/.exec(run.text) ?? [];
  if (words === "") return run.text;
  const around = { before: head.at(-1) ?? beside.before, after: tail[0] ?? beside.after };
  return head + shownWords(run, words, around) + tail;
}

function shownWords({ code, link, looks }: Run, words: string, around: Beside): string {
  if (code) return `\`${escaped(words)}\``;
  if (link !== undefined) return dressed(linked(link, words), looks, around);
  return partsOf(words, around, looks)
    .map(({ text, risky, beside }) =>
      risky ? `\`${escaped(text)}\`` : dressed(escaped(text), looks, beside),
    )
    .join("");
}

/** In the middle of a word, or beside another mark, Slack takes a mark for a character. */
function dressed(text: string, looks: string, { before, after }: Beside): string {
  const [, head = "", words = "", tail = ""] = /^(\s*)([\s\S]*?)(\s*)$/.exec(text) ?? [];
  const apart =
    /[\s([{"'“‘«—–/]/u.test(head.at(-1) ?? before) &&
    /[\s)\]}"'”’».,:;!?—–/]/u.test(tail[0] ?? after);
  if (!apart || words === "") return text;
  return head + looks + words + [...looks].reverse().join("") + tail;
}

/** `|` and `>` would end the address, or the words. Words that are an address themselves hide where it leads. */
function linked(url: string, words: string): string {
  const address = escaped(url.replaceAll("|", "%7C"));
  if (words === url) return literal(words);
  return words.includes("|") || isOtherAddress(words, url)
    ? `${literal(words)} (${address})`
    : `<${address}|${escaped(words)}>`;
}

function isOtherAddress(words: string, url: string): boolean {
  const named = /(?:^|\W)(?:https?:\/\/|www\.)/i.test(words);
  return named && URL.parse(words)?.href !== URL.parse(url)?.href;
}

interface Words {
  readonly text: string;
  /** Must not be read as marks. */
  readonly risky: boolean;
  readonly beside: Beside;
}

const alone: Beside = { before: "\n", after: "\n" };

/** Words one by one where they are risky, together where they are not. */
function partsOf(text: string, { before, after }: Beside, looks = ""): Words[] {
  const parts: Words[] = [];
  for (const { 0: word, index } of text.matchAll(/\s+|\S+/g)) {
    const left = text[index - 1] ?? before;
    const right = text[index + word.length] ?? after;
    const quoting = left === "\n" && word.startsWith(">");
    const ending = [...looks].some((sign) => word.includes(sign));
    const risky = quoting || ending || isRisky(word, left, right);
    const last = parts.at(-1);
    const beside = { before: left, after: right };
    if (!last || risky || last.risky) parts.push({ text: word, risky, beside });
    else
      parts[parts.length - 1] = {
        ...last,
        text: last.text + word,
        beside: { before: last.beside.before, after: right },
      };
  }
  return parts;
}

export function literal(text: string): string {
  return partsOf(text, alone)
    .map((part) => (part.risky ? `\`${escaped(part.text)}\`` : escaped(part.text)))
    .join("");
}

/** Between two letters or digits, or standing alone, none of them is a mark. */
function isRisky(word: string, left: string, right: string): boolean {
  for (const { index } of word.matchAll(/[*_~]/g)) {
    const before = word[index - 1] ?? left;
    const after = word[index + 1] ?? right;
    const inside = /[\p{L}\p{N}]/u.test(before) && /[\p{L}\p{N}]/u.test(after);
    const alone = /\s/.test(before) && /\s/.test(after);
    if (!inside && !alone) return true;
  }
  return false;
}

/** Text that Slack would not show as it is. */
export function needsPlain(text: string): boolean {
  return text.includes("`") || literal(text) !== escaped(text);
}

/** At most what `toMrkdwn` makes of a piece: marks may have to be set anew for each of them. */
export function textCost(text: string, marks: readonly Mark[]): number {
  const written = escaped(text).length;
  if (marks.some(({ is }) => is === "pre")) return written;
  const lines = text.split("\n").length - 1;
  const quoted = marks.some(({ is }) => is === "quote") ? 5 * lines : 0;
  if (text.trim() === "") return written + quoted;
  const around = marks.filter(({ is }) => is !== "quote" && is !== "link").length;
  return written + quoted + 2 * around + (/[*_~>]/.test(text) ? 2 : 0);
}

export function markCost(mark: Mark): number {
  if (mark.is === "link") return escaped(mark.url.replaceAll("|", "%7C")).length + 3;
  if (mark.is === "pre") return 10;
  return mark.is === "quote" ? 5 : 0;
}
