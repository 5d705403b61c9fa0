// What stands under a letter: a signature, the name of a phone, a greeting. When in doubt it stays.
import type { Recogniser } from "./attribution.ts";
import { filler, footers, product, signOff } from "./quote-words.ts";

/** Without them; `lines` end with what the person wrote. */
export function withoutClosing(lines: readonly string[], known: Recogniser): readonly string[] {
  let rest = withoutFooters(withoutDelimited(withoutFooters(trimmedEnd(lines), known)), known);
  rest = withoutGreeting(rest, known);
  return trimmedEnd(rest);
}

export function trimmedEnd(lines: readonly string[]): readonly string[] {
  return lines.slice(0, lines.findLastIndex((line) => line.trim() !== "") + 1);
}

const mostSignature = 12;

/** From the line `-- ` on, when what follows is short. */
function withoutDelimited(lines: readonly string[]): readonly string[] {
  const from = Math.max(0, lines.length - mostSignature - 1);
  const tail = lines.slice(from);
  const at = tail.findIndex((line) => /^-- ?$/.test(line));
  if (at < 0 || tail.some((line, index) => index > at && line.length > 120)) return lines;
  return isCode(lines.slice(0, from + at)) ? lines : trimmedEnd(lines.slice(0, from + at));
}

/** In a patch `-- ` is a line that was taken out; between fences anything may stand. */
function isCode(lines: readonly string[]): boolean {
  const patch = lines.some((line) => /^(?:diff --git |@@ -\d|\+\+\+ \S|Index: \S)/.test(line));
  return patch || lines.filter((line) => /^\s*(?:```|~~~)/.test(line)).length % 2 === 1;
}

/** "Sent from my iPhone", at the very end. */
function withoutFooters(lines: readonly string[], known: Recogniser): readonly string[] {
  let rest = lines;
  for (let times = 0; times < 4; times++) {
    const last = rest.at(-1) ?? "";
    const apart =
      rest.length < 2 || rest.at(-2)?.trim() === "" || isFooter(rest.at(-2) ?? "", known);
    if (!apart || !isFooter(last, known)) break;
    rest = trimmedEnd(rest.slice(0, -1));
  }
  return rest;
}

function isFooter(line: string, known: Recogniser): boolean {
  if (line.length > 200) return false;
  const bare = line
    .replace(/[[<(]?\bhttps?:\/\/[^\s\]>)]{1,200}[\]>)]?/giu, " ")
    .replace(/[*_]/g, " ")
    .replace(/\s+/g, " ")
    .trim()
    .replace(/[.!]$/, "");
  const rest = footers.map((footer) => footer.exec(bare)?.groups?.rest).find((found) => found);
  if (rest !== undefined) return namesProduct(rest);
  return namesProduct(bare) && known.isClosing(bare);
}

/** A device or a program, and nothing but names and small words around it: "from my iPhone crashes" is no footer. */
function namesProduct(text: string): boolean {
  const words = text.split(/[\s\u00a0-]+/u).filter((word) => word !== "");
  if (words.length > 10 || !words.some((word) => product.test(word))) return false;
  return words.every(
    (word) => product.test(word) || /^[\p{Lu}\d]/u.test(word) || filler.has(word.toLowerCase()),
  );
}

/** "Kind regards", with a name and how to reach it under it. */
function withoutGreeting(lines: readonly string[], known: Recogniser): readonly string[] {
  const from = Math.max(0, lines.length - 10);
  for (let at = lines.length - 1; at >= from; at--) {
    const line = lines[at]?.trim() ?? "";
    const apart = at === 0 || lines[at - 1]?.trim() === "";
    if (!apart || line.length > 60 || !/^\p{L}[\p{L}\s]+[,.!]?$/u.test(line)) continue;
    if (footers.some((footer) => footer.test(line))) continue;
    if (signOff.test(line) || known.isClosing(line))
      return isCard(lines.slice(at + 1)) ? trimmedEnd(lines.slice(0, at)) : lines;
  }
  return lines;
}

const name =
  /^\p{Lu}[\p{L}.'’-]*(?: (?:(?:van|von|de|der|den|da|di|del|la|le|zu) ){0,3}\p{Lu}[\p{L}.'’-]*){0,3}$/u;
const contact = /@|https?:|www\.|^\+?[\d\s()/.-]{6,}$|^(?:tel|phone|mobile?|mob|fax|t|m|e|w)[.:]/iu;

/** A name first; then lines that name something and say nothing. */
function isCard(lines: readonly string[]): boolean {
  const [first, ...more] = lines.map((line) => line.trim()).filter((line) => line !== "");
  if (first === undefined) return true;
  if (!name.test(first)) return false;
  return more.every(
    (line) =>
      line.length <= 100 &&
      (contact.test(line) ||
        (/^\p{Lu}/u.test(line) && !/[.!?:]$/.test(line) && line.split(" ").length <= 6)),
  );
}
