// Cuts Markdown into pieces that are parsed one by one. The parser takes time by the square of some inputs, so its work
// is bounded by weight: pieces of ordinary text are small, and what cannot be cut and is too heavy is not parsed at all.

export interface Chunk {
  readonly source: string;
  /** It was cut inside a list, which goes on here. */
  readonly goesOn: boolean;
}

/** What one parse may weigh: about 2,500 characters of prose, 100 short lines, or 400 marks. */
const most = 400;
const deepest = 12;
const widestTable = 40;

const marks = /[*_~`[\]<>=&!:]/g;
/** After any list or quote marks; the rest of the line holds no more backticks, or it is code inside a line. */
const fence =
  /^[ \t]*(?:(?:[-+*]|\d{1,9}[.)]|>)[ \t]+)*(?:(?<ticks>`{3,})(?<after>[^`]*)|(?<waves>~{3,})(?<then>.*))$/;
const topFence = /^ {0,3}(?:`{3,}[^`\n]*|~{3,}[^\n]*)(?:\n|$)/;
const containers = /^(?:[ \t]*(?:>|[-+*](?=[ \t]|$)|\d{1,9}[.)](?=[ \t]|$)))+/;
const item = /^(?:[-+*]|\d{1,9}[.)])[ \t]/;

interface Line {
  readonly text: string;
  /** Inside a code fence, its last line included. */
  readonly code: boolean;
  /** The first line after a fence. */
  readonly afterCode: boolean;
}

export function* chunksOf(text: string): Generator<Chunk> {
  if (weightOf(text) <= most) {
    yield { source: text, goesOn: false };
    return;
  }
  let chunk: string[] = [];
  let weight = 0;
  let goesOn = false;
  let blank = false;
  for (const line of linesOf(text)) {
    const own = weightOf(line.text) + 2;
    const full = weight + own > most || line.afterCode || topFence.test(line.text);
    if (full && chunk.length > 0 && mayCut(line, blank)) {
      yield* finished(chunk, goesOn);
      chunk = [];
      weight = 0;
      goesOn = item.test(line.text);
    }
    chunk.push(line.text);
    weight += own;
    blank = !line.code && line.text.trim() === "";
  }
  yield* finished(chunk, goesOn);
}

function mayCut({ text, code, afterCode }: Line, afterBlank: boolean): boolean {
  if (code) return false;
  if (afterBlank || afterCode) return !/^[ \t]/.test(text);
  return item.test(text) || topFence.test(text);
}

/** A chunk that is too heavy still is one long block: prose is cut between words, the rest stays. */
function* finished(lines: readonly string[], goesOn: boolean): Generator<Chunk> {
  const source = lines.join("\n");
  if (weightOf(source) <= most || isLinear(source)) yield { source, goesOn };
  else for (const piece of wordsOf(source)) yield { source: piece, goesOn: false };
}

/** Only where a letter follows, which cannot begin a block. */
function* wordsOf(source: string): Generator<string> {
  let start = 0;
  let weight = 0;
  let cut = 0;
  for (const { index, 0: gap } of source.matchAll(/(?<!\s)\s+(?=\p{L})/gu)) {
    const own = weightOf(source.slice(cut, index + gap.length));
    if (weight + own > most && cut > start) {
      yield source.slice(start, cut);
      start = cut;
      weight = 0;
    }
    weight += own;
    cut = index + gap.length;
  }
  yield source.slice(start);
}

function* linesOf(text: string): Generator<Line> {
  let open: string | undefined;
  let afterCode = false;
  for (const line of text.split("\n")) {
    const { ticks, after, waves, then } = fence.exec(line)?.groups ?? {};
    const found = ticks ?? waves;
    yield { text: line, code: open !== undefined, afterCode };
    const closes = open !== undefined && found?.startsWith(open) && !(after ?? then)?.trim();
    afterCode = closes === true;
    open = closes ? undefined : (open ?? found);
  }
}

/** What is not worth the parser's time: too heavy for its kind, or too deep for a reader. */
export function isHeavy(source: string): boolean {
  if (weightOf(source) > most && !isLinear(source)) return true;
  for (const { text, code } of linesOf(source))
    if (!code && (tooDeep(text) || (/[*_~]{40}/.test(text) && !/^[*_ ]+$/.test(text)))) return true;
  return false;
}

/** The parser is linear in code and in tables of ordinary lines. */
function isLinear(source: string): boolean {
  if (topFence.test(source)) return true;
  const lines = source.trimEnd().split("\n");
  const [head = "", rule = ""] = lines;
  if (head.split("|").length > widestTable || !/^[\s|:-]+$/.test(rule)) return false;
  return lines.every((line) => line.includes("|") && weightOf(line) <= most && !tooDeep(line));
}

function tooDeep(line: string): boolean {
  const found = containers.exec(line)?.[0];
  if (found === undefined) return false;
  const indent = found.length - found.trimStart().length;
  return found.replace(/\s|\d+(?=\d)/g, "").length > 2 * deepest || indent > 4 * deepest;
}

/** The parser's work is in marks and lines; letters are cheap. */
function weightOf(source: string): number {
  const lines = source.split("\n").length - 1;
  return source.length / 10 + 2 * lines + (source.match(marks)?.length ?? 0);
}
