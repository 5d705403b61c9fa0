// The text of an HTML mail as its reader sees it: what is hidden is left out, and nothing is fetched.
import { randomBytes } from "node:crypto";
import { compile, type HtmlNode } from "html-to-text";
import {
  firstLook,
  isGone,
  isSeen,
  type Look,
  lookOf,
  readSheet,
  type Sheet,
} from "./html-style.ts";
import { historyMark, marks, quoteMark } from "./trim.ts";

const longest = 4_000_000;
/** Of elements in each other; more takes the parser quadratic time. */
const deepest = 1000;
/** Deeper ones are left out. */
const deepestShown = 200;
const longestAddress = 2000;

export type HtmlText =
  | { readonly ok: true; readonly text: string }
  /** In words that fit "I cannot read …". */
  | { readonly ok: false; readonly why: string };

export function htmlToText(): (html: string) => HtmlText {
  // A name that no mail can close.
  const root = `x-${randomBytes(8).toString("hex")}`;
  const convert = compile({
    wordwrap: false,
    baseElements: { selectors: [root], returnDomByDefault: false },
    limits: { maxDepth: deepestShown, ellipsis: "…" },
    formatters: {
      whole: (element, walk, builder) => {
        prune(element);
        walk(element.children, builder);
      },
      cell: (element, walk, builder) => {
        walk(element.children, builder);
        walk([{ type: "text", data: " " }], builder);
      },
    },
    selectors: [
      { selector: root, format: "whole" },
      { selector: "a", options: { hideLinkHrefIfSameAsText: true } },
      { selector: "img", format: "skip" },
      { selector: "tr", format: "block", options: oneBreak },
      { selector: "td", format: "cell" },
      { selector: "th", format: "cell" },
      { selector: "hr", format: "horizontalLine", options: { length: 20, ...oneBreak } },
      ...["h1", "h2", "h3", "h4", "h5", "h6"].map((selector) => ({
        selector,
        options: { uppercase: false },
      })),
    ],
  });
  return (html) => {
    const bounded = html.slice(0, longest).replace(marks, "").replaceAll("\0", "");
    if (isDeep(bounded)) return { ok: false, why: "a mail whose HTML is nested too deeply" };
    const text = convert(`<${root}>${bounded}</${root}>`);
    return {
      ok: true,
      text: text
        .split("\n")
        .map((line) => line.trimEnd())
        .join("\n"),
    };
  };
}

const oneBreak = { leadingLineBreaks: 1, trailingLineBreaks: 1 };

/** What needs no end tag, or is ended by its next kin, nests nothing. */
const flat = new Set(
  "area base br col embed hr img input link meta param source track wbr p li dd dt option tr td th tbody thead tfoot".split(
    " ",
  ),
);

function isDeep(html: string): boolean {
  let depth = 0;
  for (const [, close, name = ""] of html.matchAll(/<(\/?)([a-z][a-z0-9:-]{0,20})/gi)) {
    if (flat.has(name.toLowerCase())) continue;
    depth = close ? Math.max(0, depth - 1) : depth + 1;
    if (depth > deepest) return true;
  }
  return false;
}

const dropped = new Set(
  "title template iframe object embed svg math audio video select datalist textarea canvas map".split(
    " ",
  ),
);

interface Open {
  readonly element: HtmlNode;
  readonly look: Look;
}

/** Takes out what nobody sees and marks what was quoted. Without recursion: the tree is as deep as its sender likes. */
function prune(root: HtmlNode): void {
  const sheet = readSheet(cssOf(root));
  const open: Open[] = [{ element: root, look: firstLook }];
  for (let one = open.pop(); one; one = open.pop()) {
    const { element, look } = one;
    const kept: HtmlNode[] = [];
    for (const child of element.children ?? []) {
      if (child.type === "text") {
        if (isSeen(look)) kept.push(child);
      } else if (child.type === "tag" && !dropped.has(child.name ?? "")) {
        keep(child, { kept, open, look, sheet });
      }
    }
    element.children = kept;
  }
}

interface Pruning {
  readonly kept: HtmlNode[];
  readonly open: Open[];
  readonly look: Look;
  readonly sheet: Sheet;
}

function keep(child: HtmlNode, { kept, open, look, sheet }: Pruning): void {
  const style = sheet.of(child);
  if (isGone(child, style)) return;
  const own = lookOf(style, look);
  if (child.name === "img") {
    const alt = child.attribs?.alt?.slice(0, 200).trim();
    if (alt && isSeen(own)) kept.push({ type: "text", data: ` ${alt} ` });
    return;
  }
  if (child.name === "a") withoutOddAddress(child);
  const mark = markOf(child);
  if (mark) kept.push(lineOf(mark));
  kept.push(child);
  open.push({ element: child, look: own });
}

function cssOf(root: HtmlNode): string {
  let css = "";
  const open = [root];
  for (let element = open.pop(); element && css.length < longest; element = open.pop())
    for (const child of element.children ?? []) {
      if (child.type === "style") css += `${child.children?.[0]?.data ?? ""}\n`;
      else if (child.children) open.push(child);
    }
  return css;
}

/** Links are shown with where they lead; scripts and data lead nowhere, and a mail address stands in the text. */
function withoutOddAddress({ attribs }: HtmlNode): void {
  if (!attribs?.href) return;
  const shown = /^https?:/i.test(attribs.href.trim()) && attribs.href.length <= longestAddress;
  if (!shown) delete attribs.href;
}

function lineOf(text: string): HtmlNode {
  return { type: "tag", name: "div", attribs: {}, children: [{ type: "text", data: text }] };
}

/** The classes and ids that mail programs give to what they quote. */
const quoting =
  /(?:^|\s)(?:gmail_quote|gmail_quote_container|moz-cite-prefix|yahoo_quoted|protonmail_quote|zmail_extra|tutanota_quote|yahoo-quoted-begin)(?=\s|$)/i;
const history =
  /^(?:x_)*(?:divRplyFwdMsg|appendonsend|mail-editor-reference-message-container|OutlookMessageHeader)$/i;
const signature =
  /(?:^|\s)(?:gmail_signature|moz-signature|AppleMailSignature|ms-outlook-mobile-signature|protonmail_signature_block)(?=\s|$)/i;

function markOf(element: HtmlNode): string | undefined {
  const { class: classes = "", id = "", style = "", name = "" } = element.attribs ?? {};
  const words = `${classes} ${id}`.slice(0, 500);
  if (element.name === "blockquote") return undefined;
  if (/(?:^|\s)yahoo_quoted(?:\s|$)/i.test(words) || (name === "quote" && element.name === "div"))
    quoted(element);
  if (quoting.test(words) || name === "quote") return quoteMark;
  if (words.split(/\s+/).some((word) => history.test(word)) || isOutlookRule(style))
    return historyMark;
  return signature.test(words) || id === "Signature" ? "--" : undefined;
}

/** Quotes without a blockquote become one. */
function quoted(element: HtmlNode): void {
  (element as { name?: string }).name = "blockquote";
}

/** The line that desktop Outlook draws above the header of what it quotes. */
function isOutlookRule(style: string): boolean {
  const bare = style.slice(0, 300).toLowerCase().replace(/\s+/g, "");
  return /border:none;border-top:solid#[\da-f]{6}1\.0pt;padding:3\.0pt0/.test(bare);
}
