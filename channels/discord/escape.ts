// What Discord would read as markup, shown as it is written: prose, code, fences and addresses.

const keptApart = "\u200B";

const address = /(https?:\/\/[^\s<>]+)/i;
/** Other addresses than those of the web lead into other programs. */
const markup = /[\\`*_~|[\]<]|@(?=everyone|here)|:(?=[\w+-]+:|\/\/)/g;
/** Headings, small print, quotes and lists; a number keeps its dot. */
const lineStart = /^([ \t]*)(?:(\d{1,9})(?=[.)])|(?=#{1,3}|-|>))/;

interface Around {
  readonly atLineStart: boolean;
  /** Discord would take the mark for a part of an address that ends there. */
  readonly markFollows: boolean;
}

/** Prose: after a backslash a mark is only a character. Addresses stay whole, or they would lead elsewhere. */
export function escapeText(text: string, { atLineStart, markFollows }: Around): string {
  const goesOn = (next = markFollows ? "<" : "") => /^[<>]/.test(next);
  return text
    .split(address)
    .map((part, index, parts) =>
      index % 2 === 1
        ? inAddress(part, goesOn(parts[index + 1] || undefined))
        : prose(part, index + 1 < parts.length),
    )
    .join("")
    .split("\n")
    .map((line, index) => (index > 0 || atLineStart ? line.replace(lineStart, "$1$2\\") : line))
    .join("\n");
}

/** The name of an emoji may go on into the address that follows, to its colon. */
function prose(text: string, addressFollows: boolean): string {
  const escaped = text.replace(markup, "\\$&");
  return addressFollows ? escaped.replace(/(?<!\\):(?=[\w+-]*$)/, "\\:") : escaped;
}

/** No less than what it becomes, wherever it is cut and whatever stands beside it. */
export function escapedCost(text: string): number {
  const few = text.match(/[_[\]<@]/g)?.length ?? 0;
  // With a colon an address may begin, which may get brackets.
  const more = text.match(/[*`|\\~:]/g)?.length ?? 0;
  return text.length + few + 2 * more + (/^[#>\d-]/.test(text) ? 1 : 0);
}

/** An address in prose ends no mark that is open around it, and takes in nothing that stands behind it. */
function inAddress(url: string, closed: boolean): string {
  const shown = url.replace(/[*`|\\]|~(?=~)/g, (mark) => encoded(mark));
  return closed ? `<${shown}>` : shown;
}

/** For between angle brackets. */
export function safeUrl(url: string): string {
  return url.replace(/[*`|\\()]|~(?=~)/g, (mark) => encoded(mark));
}

function encoded(mark: string): string {
  return `%${mark.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** Nothing but three backticks means anything in there. */
export function inFence(text: string): string {
  return text.replace(/``(?=`)/g, `\`\`${keptApart}`);
}

export function inCode(text: string): string {
  if (!text.includes("`")) return `\`${text}\``;
  const apart = text.replace(/`(?=`)/g, `\`${keptApart}`);
  const before = text.startsWith("`") ? " " : "";
  const after = text.endsWith("`") ? " " : "";
  return `\`\`${before}${apart}${after}\`\``;
}

/** Two marks of one kind that touch would be read as another one. */
export function apart(before: string, next: string): string {
  const last = before.at(-1) ?? "";
  return "*~`_".includes(last) && last !== "" && next.startsWith(last) ? keptApart + next : next;
}
