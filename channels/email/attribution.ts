// Is this the line above what a mail program quotes ("On … wrote:", a header block)? Asked for a few lines at a time.
import EmailReplyParser from "email-reply-parser";
import {
  forwardedMessage,
  labels,
  opens,
  originalMessage,
  saidBefore,
  wrote,
} from "./quote-words.ts";

/** Longer ones are nothing that a mail program writes. */
const longest = 300;
const mostLines = 3;

/** Lines `from` to `to`, both included. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Recogniser {
  /** An attribution whose last line this is. */
  attributionAt(lines: readonly string[], last: number): Span | null;
  /** How a letter ends, or what a phone puts under it. */
  isClosing(line: string): boolean;
}

/** The library reads all of a text with patterns that can take for ever, so it is asked seldom, and for little. */
export function recogniser(): Recogniser {
  const library = new EmailReplyParser();
  let questions = 200;
  const ask = (text: string) => {
    questions -= 1;
    return questions < 0 ? [] : library.read(text).getFragments();
  };
  const knows = (header: string) => {
    const [own, ...quoted] = ask(`Mine.\n\n${header}\n\n> theirs`);
    return own?.toString().trim() === "Mine." && quoted.every((fragment) => fragment.isHidden());
  };
  return {
    attributionAt(lines, last) {
      if (!mayEnd(lines[last])) return null;
      for (let from = last; from > last - mostLines && from >= 0; from--) {
        const header = joined(lines, { from, to: last });
        if (header === null) return null;
        if (isDated(header) && (isOurs(header) || knows(header)))
          return { from: begin(lines, from), to: last };
      }
      return null;
    },
    isClosing: (line) =>
      line.length <= longest && ask(`Mine.\n${line}`).some((fragment) => fragment.isSignature()),
  };
}

function mayEnd(line: string | undefined): boolean {
  return line !== undefined && line.length <= longest && /[:：]\s{0,9}$/u.test(line);
}

/** Null: a blank line lies between, or it is too long. */
function joined(lines: readonly string[], { from, to }: Span): string | null {
  const parts = lines.slice(from, to + 1).map((line) => line.slice(0, longest + 1).trim());
  const header = parts.join(" ");
  return parts.includes("") || header.length > longest ? null : header;
}

const address = /[<([]\s?(?:mailto:)?[^\s<>()[\]@]{1,64}@[^\s<>()[\]@]{1,253}[\])>]/u;
const year = /(?:^|\D)(?:19|20)\d\d(?:\D|$)/;
const shortDate = /(?:^|\D)\d{1,2}[./-]\d{1,2}[./-]\d{2}(?:\D|$)/;
const time = /(?:^|\D)\d{1,2}[:.]\d\d(?:\D|$)/;

/** People write "as Ana wrote:" too; programs give an address, or a date. */
export function isDated(header: string): boolean {
  return address.test(header) || dated(header);
}

function dated(header: string): boolean {
  return (year.test(header) || shortDate.test(header)) && time.test(header);
}

/** What the library does not know: more languages, and dates with an address alone. */
function isOurs(header: string): boolean {
  if (!dated(header) && !year.test(header)) return false;
  return (
    wrote.test(header) || saidBefore.test(header) || (opens.test(header) && address.test(header))
  );
}

/** A long attribution is wrapped, and its end alone may look whole. */
function begin(lines: readonly string[], from: number): number {
  if (opens.test(lines[from]?.trim() ?? "")) return from;
  const before = lines[from - 1]?.trim() ?? "";
  return before !== "" && before.length <= longest && opens.test(before) && !/[.!?]$/.test(before)
    ? from - 1
    : from;
}

/** `-----Original Message-----` */
export function isOriginalMark(line: string): boolean {
  return line.length <= 100 && originalMessage.test(line.trim());
}

export function isForwardMark(line: string): boolean {
  return line.length <= 150 && forwardedMessage.test(line.trim());
}

/** A line that programs draw between a mail and what it answers. */
export function isRule(line: string): boolean {
  return line.length <= 200 && /^[-_=*]{5,}$/.test(line.trim());
}

/** From, Sent, To, Subject: where such a block begins here, its last line, else null. */
export function headerBlockAt(lines: readonly string[], from: number): number | null {
  const found = new Set<keyof typeof labels>();
  let last = from;
  let values = "";
  for (let at = from; at < lines.length && at < from + 14; at++) {
    const line = plain(lines[at]);
    const kind = kindOf(line);
    if (kind) {
      found.add(kind);
      values += ` ${line}`;
      last = at;
      continue;
    }
    // Between two of them may lie a blank line (HTML), or the rest of a long one.
    if (found.size === 0 || (line === "" ? at - last > 1 : at - last > 3)) break;
  }
  const whole = found.has("from") && found.has("date") && (found.has("to") || found.has("subject"));
  return whole && (year.test(values) || dated(values)) ? last : null;
}

/** Programs set the labels in bold, which becomes `*From:*` in a plain text. */
function plain(line: string | undefined): string {
  return (line ?? "").slice(0, longest).replace(/\*/g, "").trim();
}

function kindOf(line: string): keyof typeof labels | null {
  const kinds = Object.keys(labels) as (keyof typeof labels)[];
  return kinds.find((kind) => labels[kind].test(line)) ?? null;
}
