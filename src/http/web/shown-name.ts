// The name of a file that somebody sent up, as people see it.
import { visibleLine } from "../../core/visible.ts";

const longest = 120;
const longestEnding = 16;

/** Without folders; what cannot be seen is made visible; short, with its ending. */
export function shownName(name: string): string {
  const base = name.slice(-4096).split(/[/\\]/).at(-1) ?? "";
  const shown = visibleLine(base).trim();
  if (shown === "" || /^\.+$/.test(shown)) return "file";
  if (shown.length <= longest) return shown;
  const dot = shown.lastIndexOf(".");
  const ending = dot > 0 && shown.length - dot <= longestEnding ? shown.slice(dot) : "";
  return `${wholeCharacters(shown.slice(0, longest - ending.length - 1))}…${ending}`;
}

/** A cut may fall into a pair of surrogates. */
function wholeCharacters(text: string): string {
  return text.replace(/[\uD800-\uDBFF]$/, "");
}
