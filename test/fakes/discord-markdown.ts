// Reads Discord's Markdown as its apps do: what people see of a text, and which marks are in it.

export interface Shown {
  readonly text: string;
  /** Kinds of marks, in the order in which they were met. */
  readonly marks: readonly string[];
}

export function readMarkdown(content: string): Shown {
  const marks: string[] = [];
  return { text: read(content, { marks, inQuote: false, atStart: true }), marks };
}

interface Place {
  readonly marks: string[];
  readonly inQuote: boolean;
  /** A line begins here. */
  readonly atStart: boolean;
}

/** Length of what is taken, and what is seen of it. */
interface Taken {
  readonly length: number;
  readonly shown: string;
}

type Rule = (rest: string, place: Place) => Taken | undefined;

function read(source: string, place: Place): string {
  let text = "";
  let start = place.atStart;
  for (let at = 0; at < source.length; ) {
    const rest = source.slice(at);
    const here = { ...place, atStart: start };
    const taken = first(rest, here) ?? { length: 1, shown: rest[0] ?? "" };
    text += taken.shown;
    at += taken.length;
    start = source[at - 1] === "\n" || (start && /^[ \t]*$/.test(taken.shown));
  }
  return text;
}

function first(rest: string, place: Place): Taken | undefined {
  for (const rule of rules) {
    const taken = rule(rest, place);
    if (taken) return taken;
  }
  return undefined;
}

const escaped: Rule = (rest) => {
  const found = /^\\([^0-9A-Za-z\s])/.exec(rest);
  return found ? { length: 2, shown: found[1] ?? "" } : undefined;
};

const fence: Rule = (rest, { marks }) => {
  const found = /^```(?:([a-z0-9_+\-.#]+?)\n)?\n*([^\n][\s\S]*?)\n*```/i.exec(rest);
  if (!found) return undefined;
  marks.push(found[1] ? `fence ${found[1]}` : "fence");
  return { length: found[0].length, shown: found[2] ?? "" };
};

const code: Rule = (rest, { marks }) => {
  const found = /^(`+)([\s\S]*?[^`])\1(?!`)/.exec(rest);
  if (!found) return undefined;
  marks.push("code");
  return { length: found[0].length, shown: (found[2] ?? "").replace(/^ (?= *`)|(` *) $/g, "$1") };
};

const quote: Rule = (rest, place) => {
  if (!place.atStart || place.inQuote) return undefined;
  const whole = /^>>> ([\s\S]*)/.exec(rest);
  const lines = /^> [^\n]*(?:\n> [^\n]*)*/.exec(rest);
  const found = whole ?? lines;
  if (!found) return undefined;
  place.marks.push("quote");
  const inner = whole ? (whole[1] ?? "") : found[0].replace(/^> /gm, "");
  const inside = { marks: place.marks, inQuote: true, atStart: true };
  return { length: found[0].length, shown: read(inner, inside) };
};

const block: Rule = (rest, { atStart, marks }) => {
  const found = atStart ? /^(#{1,3}|-#|[-*]|\d{1,9}\.) +(?=\S)/.exec(rest) : null;
  if (!found) return undefined;
  marks.push(found[1]?.includes("#") ? "heading" : "list");
  return { length: found[0].length, shown: "" };
};

const between: Rule = (rest, { marks }) => {
  const kinds = {
    link: /^<(https?:\/\/[^\s>]+)>/i,
    mention: /^<(?:@[!&]?|#|t:|id:|\/[^:>]+:|a?:\w+:)[^>\s]*>/,
    everyone: /^@(?:everyone|here)/,
    emoji: /^:[\w+-]+:/,
  };
  for (const [kind, pattern] of Object.entries(kinds)) {
    const found = pattern.exec(rest);
    if (!found) continue;
    marks.push(kind);
    return { length: found[0].length, shown: found[1] ?? found[0] };
  }
  return undefined;
};

const url: Rule = (rest) => {
  const found = /^https?:\/\/[^\s<]+[^<.,:;"'\]\s]/i.exec(rest);
  return found ? { length: found[0].length, shown: found[0] } : undefined;
};

const masked: Rule = (rest, place) => {
  const found = /^\[((?:\\[\s\S]|[^[\]\\])*)\]\(<?([^\s<>()]*)>?\)/.exec(rest);
  if (!found || /https?:\/\//i.test(found[1] ?? "")) return undefined;
  place.marks.push(`to ${found[2]}`);
  return { length: found[0].length, shown: read(found[1] ?? "", inline(place)) };
};

const spans = {
  bold: /^\*\*((?:\\[\s\S]|[^\\])+?)\*\*(?!\*)/,
  underline: /^__((?:\\[\s\S]|[^\\])+?)__(?!_)/,
  italic:
    /^\*(?=\S)((?:\*\*|\\[\s\S]|\s+(?:\\[\s\S]|[^\s*\\]|\*\*)|[^\s*\\])+?)\*(?!\*)|^_((?:__|\\[\s\S]|[^\\_])+?)_(?!\w)/,
  strike: /^~~([\s\S]+?)~~(?!_)/,
  spoiler: /^\|\|([\s\S]+?)\|\|/,
};

/** Several may fit: the longest counts. */
const span: Rule = (rest, place) => {
  let best: { readonly kind: string; readonly found: RegExpExecArray } | undefined;
  for (const [kind, pattern] of Object.entries(spans)) {
    const found = pattern.exec(rest);
    if (found && found[0].length > (best?.found[0].length ?? 0)) best = { kind, found };
  }
  if (!best) return undefined;
  place.marks.push(best.kind);
  const inner = best.found[1] ?? best.found[2] ?? "";
  return { length: best.found[0].length, shown: read(inner, inline(place)) };
};

function inline(place: Place): Place {
  return { ...place, inQuote: true, atStart: false };
}

const rules: readonly Rule[] = [escaped, fence, quote, block, between, url, masked, span, code];
