// What Discord would read as markup, shown as it is written: prose, code, fences and addresses.

const keptApart = "\u200B";

const address = /(https?:\/\/[^\s<>]+)/i;
const markup = /[\\`*_~|[\]<]|@(?=everyone|here)|:(?=[\w+-]+:)/g;
/** Headings, small print, quotes and lists; a number keeps its dot. */
const lineStart = /^([ \t]*)(?:(\d{1,9})(?=[.)])|(?=#{1,3}|-|>))/;

/** Prose: after a backslash a mark is only a character. Addresses stay whole, or they would lead elsewhere. */
export function escapeText(text: string, atLineStart: boolean): string {
  return text
    .split(address)
    .map((part, index) => (index % 2 === 1 ? inAddress(part) : part.replace(markup, "\\$&")))
    .join("")
    .split("\n")
    .map((line, index) => (index > 0 || atLineStart ? line.replace(lineStart, "$1$2\\") : line))
    .join("\n");
}

/** No less than what it becomes, wherever it is cut and whatever stands beside it. */
export function escapedCost(text: string): number {
  const few = text.match(/[_[\]<@:]/g)?.length ?? 0;
  const more = text.match(/[*`|\\~]/g)?.length ?? 0;
  return text.length + few + 2 * more + (/^[#>\d-]/.test(text) ? 1 : 0);
}

/** An address in prose ends no mark that is open around it. */
function inAddress(url: string): string {
  return url.replace(/[*`|\\]|~(?=~)/g, (mark) => encoded(mark));
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
