// To mail: plain text as people write it to each other, and the same as simple HTML.
import type { Part } from "../../src/core/channel.ts";
import type { Markdown } from "../../src/core/words.ts";
import { escapeHtml } from "../shared/html.ts";
import type { Mark, Piece } from "../shared/pieces.ts";
import { type Dialect, render as renderIn } from "../shared/render.ts";
import { sharedMarks } from "../shared/split.ts";

/** One mail, whatever its length. */
const mailDialect: Dialect = {
  limit: Number.POSITIVE_INFINITY,
  textCost: (text) => text.length,
  markCost: () => 0,
  write: (pieces) => toHtml(blocksOf(pieces)),
  plain: (pieces) => toPlain(blocksOf(pieces)),
};

export function render(text: Markdown): Part[] | Promise<Part[]> {
  return renderIn(text, mailDialect);
}

/** What stands by itself: a paragraph, code, or a quote with blocks in it. */
type Block =
  | { readonly is: "text" | "code"; readonly pieces: readonly Piece[] }
  | { readonly is: "quote"; readonly blocks: readonly Block[] };

function blocksOf(pieces: readonly Piece[], quoted = false): Block[] {
  const blocks: Block[] = [];
  let paragraph: Piece[] = [];
  const end = () => {
    const trimmed = trim(paragraph);
    if (trimmed.length > 0) blocks.push({ is: "text", pieces: trimmed });
    paragraph = [];
  };
  for (let at = 0; at < pieces.length; ) {
    const piece = pieces[at] as Piece;
    const block = blockMark(piece, quoted);
    if (!block) {
      if (piece.blank && piece.text.startsWith("\n\n")) end();
      paragraph.push(piece);
      at += 1;
      continue;
    }
    end();
    const from = at;
    while (at < pieces.length && pieces[at]?.marks.includes(block)) at += 1;
    const inside = pieces.slice(from, at);
    if (block.is === "pre") blocks.push({ is: "code", pieces: inside });
    else blocks.push({ is: "quote", blocks: blocksOf(inside, true) });
  }
  end();
  return blocks;
}

/** The outermost that makes a block. Code in a quote is a block in it. */
function blockMark({ marks }: Piece, quoted: boolean): Mark | undefined {
  return marks.find(({ is }) => is === "pre" || (is === "quote" && !quoted));
}

/** Line breaks at the ends are the block's own; the indent of its first line means something. */
function trim(pieces: readonly Piece[]): Piece[] {
  const kept = [...pieces];
  while (kept[0]?.text.trim() === "" && kept.length > 0) {
    const indent = kept[0].text.replace(/^.*\n/s, "");
    const next = kept[1];
    kept.shift();
    if (indent && next && next.text.trim() !== "") {
      kept[0] = { ...next, text: indent + next.text };
      break;
    }
  }
  while (kept.at(-1)?.text.trim() === "" && kept.length > 0) kept.pop();
  return kept;
}

// Plain text.

function toPlain(blocks: readonly Block[]): string {
  return blocks.map(plainBlock).join("\n\n");
}

function plainBlock(block: Block): string {
  if (block.is === "quote")
    return toPlain(block.blocks).replace(/^/gm, "> ").replace(/^> $/gm, ">");
  if (block.is === "text") return plainText(block.pieces);
  return block.pieces
    .map(({ text }) => text)
    .join("")
    .replace(/^(?=.)/gm, "    ");
}

/** Where a link leads stands behind its words. */
function plainText(pieces: readonly Piece[]): string {
  let text = "";
  let link: { readonly mark: Mark & { is: "link" }; readonly from: number } | undefined;
  const close = () => {
    if (link && !sameAddress(text.slice(link.from), link.mark.url)) text += ` <${link.mark.url}>`;
    link = undefined;
  };
  for (const piece of pieces) {
    const mark = piece.marks.find((one) => one.is === "link");
    if (link && link.mark !== mark) close();
    if (mark && !link) link = { mark, from: text.length };
    text += piece.text;
  }
  close();
  return text;
}

function sameAddress(words: string, url: string): boolean {
  const bare = (text: string) =>
    text
      .trim()
      .replace(/^(?:https?:\/\/|mailto:)/i, "")
      .replace(/\/$/, "");
  return bare(words) === bare(url);
}

// HTML.

const styles = {
  code: "font-family:Menlo,Consolas,monospace;font-size:13px",
  // A dark mail program may make text white, and leave the ground as it is.
  pre: "margin:0 0 1em;padding:8px 10px;background:#f4f4f4;color:#222;border:1px solid #ddd",
  folds: "white-space:pre-wrap;overflow-wrap:anywhere",
  columns: "white-space:pre;overflow-x:auto",
  quote: "margin:0 0 1em;padding:0 0 0 10px;border-left:3px solid #ccc;color:#555",
  page: "font-family:sans-serif;font-size:15px;line-height:1.45;max-width:46em",
} as const;

/** The whole document around what `render` made. */
export function mailPage(body: string): string {
  return `<!doctype html>\n<html><head><meta charset="utf-8"></head>\n<body style="${styles.page}">\n${body}\n</body></html>\n`;
}

function toHtml(blocks: readonly Block[]): string {
  return blocks.map(htmlBlock).join("\n");
}

function htmlBlock(block: Block): string {
  if (block.is === "quote")
    return `<blockquote style="${styles.quote}">\n${toHtml(block.blocks)}\n</blockquote>`;
  if (block.is === "text") return htmlText(block.pieces);
  const code = block.pieces.map(({ text }) => text).join("");
  // The lines of a table say nothing once they are folded.
  const wrap = /^[─┼]+$/m.test(code) ? styles.columns : styles.folds;
  return `<pre style="${styles.pre};${wrap};${styles.code}">${escapeHtml(code)}</pre>`;
}

interface Line {
  readonly indent: number;
  /** How many characters its bullet has; an ordinary line has none. */
  readonly bullet: number;
  readonly pieces: readonly Piece[];
}

/** A list's lines stand below their own text, not below its bullets. */
function htmlText(pieces: readonly Piece[]): string {
  const lines = linesOf(pieces);
  if (!lines.some(({ bullet, indent }) => bullet + indent > 0))
    return `<p style="margin:0 0 1em">${lines.map((line) => inline(line.pieces)).join("<br>\n")}</p>`;
  const shown = lines.map(({ indent, bullet, pieces: line }) => {
    const hang = bullet * 0.38;
    const left = indent * 0.6 + hang;
    const back = bullet > 0 ? `;text-indent:-${hang.toFixed(2)}em` : "";
    return `<div style="padding-left:${left.toFixed(2)}em${back}">${inline(line)}</div>`;
  });
  return `<div style="margin:0 0 1em">\n${shown.join("\n")}\n</div>`;
}

const bulletShape = /^(?:• |\d{1,9}\. |[☑☐] )/;

function linesOf(pieces: readonly Piece[]): Line[] {
  const lines: Piece[][] = [[]];
  for (const piece of pieces) {
    const [first = "", ...further] = piece.text.split("\n");
    if (first) lines.at(-1)?.push({ ...piece, text: first });
    for (const text of further) lines.push(text ? [{ ...piece, text }] : []);
  }
  return lines.map((line) => {
    const text = line.map((piece) => piece.text).join("");
    const indent = /^ */.exec(text)?.[0].length ?? 0;
    const bullet = bulletShape.exec(text.slice(indent))?.[0].length ?? 0;
    return { indent, bullet, pieces: without(line, indent) };
  });
}

function without(line: readonly Piece[], indent: number): Piece[] {
  let left = indent;
  return line.map((piece) => {
    const cut = Math.min(left, piece.text.length);
    left -= cut;
    return { ...piece, text: piece.text.slice(cut) };
  });
}

function inline(pieces: readonly Piece[]): string {
  let html = "";
  let open: readonly Mark[] = [];
  for (const piece of pieces) {
    const wanted = piece.marks.filter(({ is }) => is !== "quote" && is !== "pre");
    const same = sharedMarks(open, wanted);
    html += open.slice(same).reverse().map(closing).join("");
    html += wanted.slice(same).map(opening).join("") + escapeHtml(piece.text);
    open = wanted;
  }
  return html + [...open].reverse().map(closing).join("");
}

const tags = { bold: "b", italic: "i", strike: "s", code: "code" } as const;

function opening(mark: Mark): string {
  if (mark.is === "link") return `<a href="${escapeHtml(mark.url)}">`;
  if (mark.is === "code") return `<code style="${styles.code}">`;
  return mark.is === "quote" || mark.is === "pre" ? "" : `<${tags[mark.is]}>`;
}

function closing(mark: Mark): string {
  if (mark.is === "link") return "</a>";
  return mark.is === "quote" || mark.is === "pre" ? "" : `</${tags[mark.is]}>`;
}
