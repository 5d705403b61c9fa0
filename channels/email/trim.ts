// The new text of a mail: what was quoted from earlier ones and the signature are left out. When in doubt it stays.
import {
  headerBlockAt,
  isDated,
  isForwardMark,
  isOriginalMark,
  isRule,
  type Recogniser,
  recogniser,
} from "./attribution.ts";
import { withoutClosing } from "./closing.ts";

/** A line of its own where the HTML says: what follows is quoted (and how it is introduced). */
export const quoteMark = "\ufdd0";
/** The same, where all that follows is. */
export const historyMark = "\ufdd1";

/** Any of the two, to be taken out of what others wrote. */
export const marks = /[\ufdd0\ufdd1]/g;

export interface About {
  /** It answers an earlier mail. */
  readonly reply: boolean;
  /** It hands an earlier mail on: that one is what it is about. */
  readonly forward: boolean;
}

interface Sorting {
  readonly about: About;
  readonly known: Recogniser;
}

/** Own, quoted, or the words above what is quoted. */
type Kind = "own" | "blank" | "quoted" | "attribution";

export function newText(text: string, about: About): string {
  const lines = text.split(/\r?\n/).flatMap(shownLines);
  const known = recogniser();
  if (about.forward) return textOf(lines.filter((line) => !isMark(line)));
  const { end, kinds: all } = looked(lines, { about, known });
  const kinds = all.slice(0, end);
  return textOf(withoutClosing(ownOf(lines.slice(0, end), kinds, { about, known }), known));
}

const oddBreak = /[\r\u2028\u2029\u0085]/;

/** What breaks a line for some programs only breaks no quoted one: whoever quoted it marked its beginning alone. */
function shownLines(line: string): readonly string[] {
  if (!oddBreak.test(line)) return [line];
  const parts = line.split(oddBreak);
  return isQuoted(line) ? [parts.join(" ")] : parts;
}

function textOf(lines: readonly string[]): string {
  const text = lines.map((line) => line.replace(marks, ""));
  const first = text.findIndex((line) => line.trim() !== "");
  return first < 0 ? "" : text.slice(first).join("\n").trimEnd();
}

function isMark(line: string): boolean {
  return line === quoteMark || line === historyMark;
}

/** However far it is set in: to most signatures one blank is as good as many. */
function isQuoted(line: string): boolean {
  return /^[ \t]*>/.test(line);
}

interface Looked {
  /** Where history begins that nobody marked line by line. */
  readonly end: number;
  readonly kinds: readonly Kind[];
}

/** Once through, from the top. */
function looked(lines: readonly string[], { about, known }: Sorting): Looked {
  const bare = lines.map((line) => line.replace(/^[ \t]*>[> ]*/, ""));
  const kinds: Kind[] = [];
  let fenced = false;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    kinds[at] = kindOf(line);
    if (kinds[at] === "blank") continue;
    if (/^\s*(?:```|~~~)/.test(line)) fenced = !fenced;
    if (fenced) {
      kinds[at] = "own";
      continue;
    }
    if (isForwardMark(line)) return { end: lines.length, kinds: allOwn(kinds, at, lines) };
    const marked = line === quoteMark && markedAt(lines, at);
    if (marked) {
      for (let to = at; to < marked.end; to++) kinds[to] = "attribution";
      at = marked.end - 1;
      continue;
    }
    if (line === quoteMark || startsHistory(lines, at, about))
      return { end: above(lines, at), kinds };
    const span = known.attributionAt(bare, at);
    if (!span || !sameSide(lines, span)) continue;
    if (!about.reply && isPasted(lines, span.from)) continue;
    if (!isQuoted(line) && !quotesFollow(lines, at)) return { end: span.from, kinds };
    for (let to = span.from; to <= span.to; to++) kinds[to] = "attribution";
  }
  const unknown = about.reply ? unknownAttribution(lines, kinds) : -1;
  if (unknown >= 0) kinds[unknown] = "attribution";
  return { end: lines.length, kinds };
}

function kindOf(line: string): Kind {
  if (line.trim() === "") return "blank";
  return isQuoted(line) ? "quoted" : "own";
}

/** What was handed on in the middle of a mail stays, to its end. */
function allOwn(kinds: readonly Kind[], from: number, lines: readonly string[]): Kind[] {
  return lines.map((_, at) => (at < from ? (kinds[at] ?? "own") : "own"));
}

/** The attribution that the HTML marks; null when nothing quoted follows it. */
function markedAt(lines: readonly string[], at: number): { readonly end: number } | null {
  let words = 0;
  for (let to = at + 1; to < lines.length && words <= 6; to++) {
    const line = lines[to] ?? "";
    if (isForwardMark(line)) return { end: at + 1 };
    if (isQuoted(line)) return { end: to };
    if (line.trim() !== "" && !isMark(line)) words += 1;
  }
  return null;
}

function startsHistory(lines: readonly string[], at: number, about: About): boolean {
  const line = lines[at] ?? "";
  if (line === historyMark) return !isForwardMark(nextOf(lines, at));
  if (isOriginalMark(line)) return true;
  return headerBlockAt(lines, at) !== null && (about.reply || !isPasted(lines, at));
}

/** A mail that somebody put into a new one: what they announce, or say nothing about. */
function isPasted(lines: readonly string[], at: number): boolean {
  let before = at - 1;
  while (before >= 0 && lines[before]?.trim() === "") before -= 1;
  return before < 0 || lines[before]?.trimEnd().endsWith(":") === true;
}

function nextOf(lines: readonly string[], at: number): string {
  return lines.slice(at + 1, at + 8).find((line) => line.trim() !== "" && !isMark(line)) ?? "";
}

/** The rules and marks above a header block belong to it. */
function above(lines: readonly string[], at: number): number {
  let end = at;
  while (end > 0) {
    const line = lines[end - 1] ?? "";
    if (line.trim() !== "" && !isRule(line) && !isMark(line) && !isOriginalMark(line)) break;
    end -= 1;
  }
  return end;
}

/** All of it quoted, or none of it. */
function sameSide(lines: readonly string[], { from, to }: { from: number; to: number }): boolean {
  const span = lines.slice(from, to + 1).map(isQuoted);
  return span.every((quoted) => quoted === span[0]);
}

function quotesFollow(lines: readonly string[], at: number): boolean {
  return isQuoted(nextOf(lines, at));
}

/** Answers between quoted lines keep these; what is quoted without an answer goes. */
function ownOf(
  lines: readonly string[],
  kinds: readonly Kind[],
  { about, known }: Sorting,
): readonly string[] {
  const first = historyFrom(lines, kinds, about);
  if (first < 0) return lines.filter((line) => !isMark(line));
  const before = lines.slice(0, first);
  const ending = withoutClosing(lines.slice(first), known).length + first;
  const last = kinds.slice(0, ending).lastIndexOf("own");
  if (last < first) return before;
  const after = lines
    .slice(first, last + 1)
    .map((line, index) => ({ line, kind: kinds[first + index] ?? "own" }))
    .filter(({ kind }) => kind !== "attribution");
  // One quotation, and the answer under it.
  const firstOwn = after.findIndex(({ kind }) => kind === "own");
  const between = after.slice(firstOwn).some(({ kind }) => kind === "quoted");
  const quotedBelow = kinds.slice(last + 1).includes("quoted");
  const kept = between || quotedBelow ? after : after.slice(firstOwn);
  return [...before, ...kept.map(({ line }) => line)];
}

/** The first line of what is quoted from an earlier mail; -1: nothing is. */
function historyFrom(lines: readonly string[], kinds: readonly Kind[], about: About): number {
  const attribution = kinds.indexOf("attribution");
  if (attribution >= 0) return attribution;
  const from = about.reply ? quotedEnd(kinds) : -1;
  if (from < 0) return -1;
  const above =
    lines
      .slice(0, from)
      .findLast((line) => line.trim() !== "")
      ?.trimEnd() ?? "";
  // What a person's own words announce is theirs, and so is half of a comparison of files.
  return above.endsWith(":") || /^(?:---$|< )/.test(above) ? -1 : from;
}

/** Where the quoted lines begin that a mail ends with. */
function quotedEnd(kinds: readonly Kind[]): number {
  const last = kinds.findLastIndex((kind) => kind !== "blank");
  if (kinds[last] !== "quoted") return -1;
  let from = last;
  while (from > 0 && (kinds[from - 1] === "quoted" || kinds[from - 1] === "blank")) from -= 1;
  while (kinds[from] === "blank") from += 1;
  return from;
}

/** In a language that nobody here knows, a program names whom it quotes, and when they wrote. */
function unknownAttribution(lines: readonly string[], kinds: readonly Kind[]): number {
  const above = kinds.slice(0, Math.max(0, quotedEnd(kinds))).lastIndexOf("own");
  const line = (lines[above] ?? "").trim();
  return line.length <= 300 && line.endsWith(":") && isDated(line) ? above : -1;
}
