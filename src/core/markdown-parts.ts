// Parts for what shows Markdown by itself, the terminal and the page: it stays Markdown, disarmed and split at lines.
import type { Part } from "./channel.ts";
import { harmless } from "./visible.ts";
import type { Markdown } from "./words.ts";

const fence = /^ {0,3}(`{3,}|~{3,})(.*)$/;

export function markdownParts(text: Markdown, limit: number): Part[] {
  const clean = harmless(text).trimEnd();
  if (clean.trim() === "") return [];
  return split(clean, limit).map((body) => ({ body, plain: body }));
}

/** Whole lines while they fit; a fence that a cut falls into is closed and opened again. */
function split(text: string, limit: number): string[] {
  if (text.length <= limit) return [text];
  const parts: string[] = [];
  let lines: string[] = [];
  let size = 0;
  let open: { readonly mark: string; readonly line: string } | undefined;
  const cut = () => {
    parts.push([...lines, ...(open ? [open.mark] : [])].join("\n"));
    lines = open ? [open.line] : [];
    size = open ? open.line.length + 1 : 0;
  };
  for (const line of text.split("\n")) {
    const then = fenceAfter(open, line, limit);
    // Room to close what is open after it.
    const room = limit - (then ? then.mark.length + 1 : 0);
    for (const piece of pieces(line, limit >> 1)) {
      if (size + piece.length > room && lines.length > (open ? 1 : 0)) cut();
      lines.push(piece);
      size += piece.length + 1;
    }
    open = then;
  }
  if (lines.length > 0) parts.push(lines.join("\n"));
  return parts.filter((part) => part.trim() !== "");
}

function fenceAfter(
  open: { mark: string; line: string } | undefined,
  line: string,
  limit: number,
): { mark: string; line: string } | undefined {
  const [, mark = "", rest = ""] = fence.exec(line) ?? [];
  if (!mark || mark.length > limit >> 3) return open;
  if (!open) return { mark, line: line.length > limit >> 2 ? mark : line };
  return mark.startsWith(open.mark) && rest.trim() === "" ? undefined : open;
}

/** A line longer than a part, cut between characters. */
function pieces(line: string, most: number): string[] {
  const found: string[] = [];
  let rest = line;
  while (rest.length > most) {
    const code = rest.charCodeAt(most - 1);
    const end = code >= 0xd800 && code <= 0xdbff ? most - 1 : most;
    found.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return [...found, rest];
}
