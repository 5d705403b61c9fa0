// A table as aligned text, for platforms that have none: shown in a fixed-width font.
import type { Table } from "mdast";

/** Wider cells are not padded to: on a phone nobody would see the columns anyway. */
const widest = 30;

export function tableText(
  table: Table,
  cellText: (cell: Table["children"][0]["children"][0]) => string,
) {
  const rows = table.children.map((row) =>
    row.children.map((cell) =>
      cellText(cell)
        .replace(/\s*\n\s*/g, " ")
        .trim(),
    ),
  );
  const widths: number[] = [];
  for (const row of rows)
    for (const [column, cell] of row.entries())
      widths[column] = Math.max(widths[column] ?? 0, Math.min(widest, widthOf(cell)));
  const lines = rows.map((row) => lineOf(row, widths, table.align ?? []));
  const [head = "", ...body] = lines;
  const rule = widths.map((width) => "─".repeat(width)).join("─┼─");
  return [head, rule, ...body].join("\n");
}

function lineOf(row: readonly string[], widths: readonly number[], align: Table["align"] & {}) {
  return row
    .map((cell, column) => {
      const blank = " ".repeat(Math.max(0, (widths[column] ?? 0) - widthOf(cell)));
      return align[column] === "right" ? blank + cell : cell + blank;
    })
    .join(" │ ")
    .trimEnd();
}

/** In columns of a fixed-width font: wide characters take two, marks none. */
function widthOf(text: string): number {
  let width = 0;
  for (const character of text)
    if (!/[\p{M}\p{Cf}]/u.test(character)) width += isWide(character) ? 2 : 1;
  return width;
}

function isWide(character: string): boolean {
  return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\uFF01-\uFF60]/u.test(
    character,
  );
}
