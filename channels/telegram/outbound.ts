// To Telegram: its HTML from pieces, its keyboards from buttons.
import type { Button } from "../../src/core/channel.ts";
import { escapeHtml } from "../shared/html.ts";
import type { Mark, Piece } from "../shared/pieces.ts";
import type { Dialect } from "../shared/render.ts";
import { sharedMarks } from "../shared/split.ts";

/** Telegram counts what is left after parsing, in UTF-16 units: marks are free. */
export const telegramDialect: Dialect = {
  limit: 4096,
  textCost: (text) => text.length,
  markCost: () => 0,
  write: toTelegram,
};

export function toTelegram(pieces: readonly Piece[]): string {
  let html = "";
  let open: readonly Mark[] = [];
  for (const { text, marks } of pieces) {
    const wanted = allowed(marks);
    const same = sharedMarks(open, wanted);
    html += open.slice(same).reverse().map(closing).join("");
    html += wanted.slice(same).map(opening).join("") + escapeHtml(text);
    open = wanted;
  }
  return html + [...open].reverse().map(closing).join("");
}

/** Code takes no other entity and is part of none but a quote; a link is worth more than the look of its words. */
function allowed(marks: readonly Mark[]): readonly Mark[] {
  const code = marks.findLast(({ is }) => is === "code" || is === "pre");
  if (!code) return marks;
  if (marks.some(({ is }) => is === "link")) return marks.filter((mark) => mark !== code);
  return marks.filter((mark) => mark === code || mark.is === "quote");
}

const tags = { bold: "b", italic: "i", strike: "s", code: "code", quote: "blockquote" } as const;

function opening(mark: Mark): string {
  if (mark.is === "link") return `<a href="${escapeHtml(mark.url)}">`;
  if (mark.is !== "pre") return `<${tags[mark.is]}>`;
  return mark.language ? `<pre><code class="language-${mark.language}">` : "<pre>";
}

function closing(mark: Mark): string {
  if (mark.is === "link") return "</a>";
  if (mark.is !== "pre") return `</${tags[mark.is]}>`;
  return mark.language ? "</code></pre>" : "</pre>";
}

interface Key {
  readonly text: string;
  readonly callback_data: string;
}

/** A phone shows about this many characters of a row of buttons; more are cut off. */
const rowWidth = 28;
const perRow = 3;

/** Short labels stand side by side, all of one width as Telegram shows them; long ones have a row of their own. */
export function toKeyboard(buttons: readonly Button[]): Key[][] {
  const rows: Key[][] = [];
  for (const { label, data } of buttons) {
    const key = { text: label, callback_data: data };
    const row = rows.at(-1);
    const longest = Math.max(label.length, ...(row ?? []).map(({ text }) => text.length));
    const fits = row && row.length < perRow && longest * (row.length + 1) <= rowWidth;
    if (fits) row.push(key);
    else rows.push([key]);
  }
  return rows;
}
