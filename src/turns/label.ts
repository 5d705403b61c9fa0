// Who wrote what in a conversation that is shared: each line begins with its author, so that nobody can write one of somebody else.
import { visibleLine } from "../core/visible.ts";

/** Whatever a model, or what it runs, may take for the end of a line. */
const lineBreak = /\r\n|(?!\t)[\p{Cc}\u2028\u2029]/u;

/** As it stands before each line. */
export function authorLabel(name: string): string {
  return `${visibleLine(name).replaceAll(":", ".")}: `;
}

export function labelled(text: string, label: string): string {
  return text
    .split(lineBreak)
    .map((line) => label + line)
    .join("\n");
}

/** Of somebody's words inside a line of ours. */
export function onOneLine(text: string): string {
  return text.split(lineBreak).join(" ");
}
