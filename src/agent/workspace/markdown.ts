// Pieces of Markdown that stay valid whatever text is put into them.
import { visibleLine } from "../../core/visible.ts";

/** The fence that nothing in the text can close. */
export function fenceFor(text: string): string {
  const runs = text.match(/`{3,}/g) ?? [];
  const longest = runs.reduce((most, run) => Math.max(most, run.length), 2);
  return "`".repeat(longest + 1);
}

export function fenced(text: string, language = ""): string {
  const fence = fenceFor(text);
  return `${fence}${language}\n${text}${text.endsWith("\n") ? "" : "\n"}${fence}`;
}

/** A name inside a sentence, on one line, with what cannot be seen made visible. */
export function code(name: string): string {
  const text = visibleLine(name);
  const runs = text.match(/`+/g) ?? [];
  const mark = "`".repeat(runs.reduce((most, run) => Math.max(most, run.length), 0) + 1);
  const pad = text.startsWith("`") || text.endsWith("`") ? " " : "";
  return `${mark}${pad}${text}${pad}${mark}`;
}

/** The start of a text, never ending in half a character. */
export function cut(text: string, most: number): string {
  return text.length <= most ? text : text.slice(0, most).replace(/[\uD800-\uDBFF]$/, "");
}

export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  const inKilo = bytes / 1000;
  return inKilo < 1000 ? `${inKilo.toFixed(1)} kB` : `${(inKilo / 1000).toFixed(1)} MB`;
}
