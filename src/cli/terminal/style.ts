// Markdown for a terminal: readable without colour, modest with it. Its input is disarmed already.

export type Paint = (style: keyof typeof codes, text: string) => string;

const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;

export function painter(colour: boolean): Paint {
  return (style, text) =>
    colour && text !== "" ? `\u001b[${codes[style]}m${text}\u001b[0m` : text;
}

/** One styled line per line of Markdown. */
export function styleMarkdown(text: string, paint: Paint): string[] {
  let fence: { readonly mark: string; readonly diff: boolean } | undefined;
  return text.split("\n").map((line) => {
    const [, mark = "", info = ""] = /^ {0,3}(`{3,}|~{3,})\s*(\S*)/.exec(line) ?? [];
    if (fence && mark.startsWith(fence.mark) && info === "") {
      fence = undefined;
      return paint("dim", line);
    }
    if (fence) return fence.diff ? diffLine(line, paint) : paint("cyan", line);
    if (mark) {
      fence = { mark, diff: info === "diff" };
      return paint("dim", line);
    }
    return proseLine(line, paint);
  });
}

function diffLine(line: string, paint: Paint): string {
  if (line.startsWith("+")) return paint("green", line);
  return line.startsWith("-") ? paint("red", line) : line;
}

function proseLine(line: string, paint: Paint): string {
  const [, heading] = /^ {0,3}#{1,6}\s+(.*)$/.exec(line) ?? [];
  if (heading !== undefined) return paint("bold", inline(heading, painter(false)));
  if (/^ {0,3}>/.test(line)) return paint("dim", inline(line, painter(false)));
  return inline(line, paint);
}

// Code spans are found first: nothing inside them is markup. Then escapes, bold, links.
const span =
  /(`+)(?!`)(.*?[^`])\1(?!`)|\\([!-/:-@[-`{-~])|\*\*(?=\S)(.*?\S)\*\*|\[([^\][]+)\]\(([^()\s]+)\)/g;

function inline(line: string, paint: Paint): string {
  return line.replace(span, (all, ticks, code, escaped, bold, label, url) => {
    if (ticks !== undefined) return paint("cyan", `${ticks}${code}${ticks}`);
    if (escaped !== undefined) return escaped;
    if (bold !== undefined) return paint("bold", inline(bold, painter(false)));
    if (label !== undefined)
      return label === url ? url : `${inline(label, painter(false))} (${url})`;
    return all;
  });
}

/** Columns a character takes; a rough reading of Unicode's East Asian width. */
export function widthOf(character: string): number {
  if (/^(?:\p{Mn}|\p{Me}|\u200D)/u.test(character)) return 0;
  return /^[\p{Emoji_Presentation}\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{20000}-\u{3FFFD}]/u.test(
    character,
  )
    ? 2
    : 1;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: our own styles are told apart by it
const unit = /\u001b\[\d+m|./gsu;

/** Rows of at most `columns`; a style that spans a break goes on in the next row. */
export function wrap(line: string, columns: number): string[] {
  const rows: string[] = [];
  let row = "";
  let width = 0;
  let style = "";
  for (const [piece] of line.replaceAll("\t", "    ").matchAll(unit)) {
    if (piece.startsWith("\u001b")) {
      style = piece === "\u001b[0m" ? "" : piece;
      row += piece;
      continue;
    }
    const wide = widthOf(piece);
    if (width + wide > columns) {
      rows.push(style ? `${row}\u001b[0m` : row);
      row = style;
      width = 0;
    }
    row += piece;
    width += wide;
  }
  return [...rows, row];
}
