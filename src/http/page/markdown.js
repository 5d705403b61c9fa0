// Markdown as elements, walked from its tokens. Raw HTML is shown as text, no image is loaded, a link says where it goes.
// @ts-check
import { Lexer } from "marked";
import { html } from "./html.js";

/** @typedef {import("marked").Token} Token */

const most = 200_000;
const deepest = 30;
/** Costs the lexer seconds, and says nothing to anyone. */
const absurd = /^[ \t]*(?:(?:>[ \t]*|[*+-][ \t]+|\d{1,9}[.)][ \t]+)){40}/m;

/** @param {string} text @returns {any} */
export function markdown(text) {
  if (text.length > most || absurd.test(text)) return plain(text);
  try {
    const lexer = new Lexer({ gfm: true, breaks: true });
    return html`<div class="markdown">${blocks(lexer.lex(text), 0)}</div>`;
  } catch {
    // Nested beyond what can be walked: still shown, as it was written.
    return plain(text);
  }
}

/** @param {string} text */
export function plain(text) {
  return html`<p class="plain">${text}</p>`;
}

/** @param {readonly Token[]} tokens @param {number} depth @returns {any} */
function blocks(tokens, depth) {
  if (depth > deepest) return tokens.map(({ raw }) => raw).join("");
  return tokens.map((token) => block(/** @type {any} */ (token), depth + 1));
}

/** @param {any} token @param {number} depth */
function block(token, depth) {
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "heading":
      // The page has its own headings: those of a message begin below them.
      return html`<p class=${`heading h${token.depth}`}>${inline(token.tokens, depth)}</p>`;
    case "paragraph":
      return html`<p>${inline(token.tokens, depth)}</p>`;
    case "text":
      return token.tokens ? inline(token.tokens, depth) : entities(token.text);
    case "code":
      return codeBlock(token.text, token.lang ?? "");
    case "blockquote":
      return html`<blockquote>${blocks(token.tokens, depth)}</blockquote>`;
    case "list":
      return list(token, depth);
    case "table":
      return table(token, depth);
    case "hr":
      return html`<hr />`;
    case "html":
      return html`<p class="plain">${token.raw.trimEnd()}</p>`;
    default:
      return inline([token], depth);
  }
}

/** @param {any} token @param {number} depth */
function list(token, depth) {
  const items = token.items.map(
    (/** @type {any} */ item) => html`<li>${blocks(item.tokens, depth)}</li>`,
  );
  if (!token.ordered) return html`<ul>${items}</ul>`;
  return html`<ol start=${token.start === "" ? 1 : token.start}>${items}</ol>`;
}

/** @param {any} token @param {number} depth */
function table(token, depth) {
  const cells = (/** @type {any[]} */ row, /** @type {string} */ tag) =>
    row.map(
      (cell, at) =>
        html`<${tag} class=${`to-${token.align[at] ?? "left"}`}>${inline(cell.tokens, depth)}</${tag}>`,
    );
  return html`<div class="wide" role="group" aria-label="Table" tabindex="0"><table>
    <thead><tr>${cells(token.header, "th")}</tr></thead>
    <tbody>${token.rows.map((/** @type {any[]} */ row) => html`<tr>${cells(row, "td")}</tr>`)}</tbody>
  </table></div>`;
}

/** @param {string} text @param {string} info */
export function codeBlock(text, info) {
  const language = /^[\w+#.-]{1,20}/.exec(info)?.[0] ?? "";
  const body = language === "diff" ? text.split("\n").map(diffLine) : text;
  const name = language === "diff" ? "Changes" : language ? `Code, ${language}` : "Code";
  return html`<div class=${language === "diff" ? "code diff" : "code"}>
    ${language && html`<span class="language" aria-hidden="true">${language}</span>`}
    <pre tabindex="0" role="group" aria-label=${name}><code>${body}</code></pre>
  </div>`;
}

/** The sign stays in the text: colour alone says nothing to some. @param {string} line */
function diffLine(line) {
  if (line.startsWith("+")) return html`<ins>${line}${"\n"}</ins>`;
  if (line.startsWith("-")) return html`<del>${line}${"\n"}</del>`;
  if (line.startsWith("@@")) return html`<span class="hunk">${line}${"\n"}</span>`;
  return html`<span>${line}${"\n"}</span>`;
}

/** @param {readonly Token[] | undefined} tokens @param {number} depth @returns {any} */
function inline(tokens, depth) {
  if (!tokens) return null;
  if (depth > deepest) return tokens.map(({ raw }) => raw).join("");
  return tokens.map((token) => span(/** @type {any} */ (token), depth + 1));
}

/** @param {any} token @param {number} depth */
function span(token, depth) {
  switch (token.type) {
    case "text":
      return token.tokens ? inline(token.tokens, depth) : entities(token.text);
    case "escape":
      return token.text;
    case "strong":
      return html`<strong>${inline(token.tokens, depth)}</strong>`;
    case "em":
      return html`<em>${inline(token.tokens, depth)}</em>`;
    case "del":
      return html`<s>${inline(token.tokens, depth)}</s>`;
    case "codespan":
      return html`<code>${token.text}</code>`;
    case "br":
      return html`<br />`;
    case "link":
      return link(token.href, inline(token.tokens, depth), token.text);
    case "image":
      return link(token.href, `Image: ${token.text || "without a description"}`, "");
    case "checkbox":
      return token.checked ? "[x] " : "[ ] ";
    default:
      return token.raw;
  }
}

/** @param {string} href @param {any} shown @param {string} text What can be read of it. */
function link(href, shown, text) {
  const target = safeTarget(href);
  if (!target) return html`<span>${shown}</span>`;
  const bare = href.replace(/^(https?:\/\/|mailto:)/i, "");
  const said = (text === href || text === bare) && text.includes(target.host);
  return html`<a href=${target.href} target="_blank" rel="noopener noreferrer">${shown}</a>${
    said && !target.masked ? null : html`<span class="host"> (${target.host})</span>`
  }`;
}

/**
 * Only what a person would expect behind a link; `masked` when its beginning could pass for another host.
 * @param {string} href
 */
export function safeTarget(href) {
  const url = URL.parse(entities(href));
  if (!url || !["http:", "https:", "mailto:"].includes(url.protocol)) return null;
  const host = url.protocol === "mailto:" ? decoded(url.pathname) : url.host;
  return { href: url.href, host, masked: url.username !== "" || url.password !== "" };
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** @type {Readonly<Record<string, string>>} */
const named = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };

/**
 * The few that people write. A character that would hide or turn text around stays as it was written.
 * @param {string} text
 */
export function entities(text) {
  return text.replace(
    /&(?:([a-z]{2,4})|#(\d{1,7})|#[xX]([\da-fA-F]{1,6}));/g,
    (whole, name, dec, hex) => {
      if (name) return named[name] ?? whole;
      const code = dec ? Number(dec) : Number.parseInt(hex, 16);
      if (code > 0x10ffff) return whole;
      const character = String.fromCodePoint(code);
      return /[\p{C}\p{Zl}\p{Zp}]/u.test(character) ? whole : character;
    },
  );
}
