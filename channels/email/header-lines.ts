// The header of a mail, read strictly: one way to read it, or none.
import type { Readable } from "node:stream";

export interface HeaderLine {
  /** In lower case. */
  readonly name: string;
  /** Without its folds; a character per byte. */
  readonly value: string;
}

export type ReadHeader =
  | { readonly ok: true; readonly lines: readonly HeaderLine[] }
  | { readonly ok: false; readonly why: string };

/** A mail of which the header was cut off: `whole` is all of it, header included. */
export interface Mail {
  /** All lines of the header, each with its CRLF; null where it does not end within bounds. */
  readonly head: Buffer | null;
  readonly whole: Buffer | AsyncIterable<Buffer>;
}

const mostBytes = 64 * 1024;
const mostLines = 1000;
/** Programs that look for the end of such a run take quadratic time for it. */
const longRun = /[ \t]{500}/;
const emptyLine = Buffer.from("\r\n\r\n");

/** Reads no further than the header, and never destroys a stream. */
export async function cutHead(raw: Buffer | Readable): Promise<Mail> {
  if (Buffer.isBuffer(raw)) return { head: headOf(raw, true), whole: raw };
  const rest = raw.iterator({ destroyOnReturn: false });
  let read: Buffer = Buffer.alloc(0);
  let ended = false;
  while (!ended && read.length <= mostBytes && !read.includes(emptyLine)) {
    const next = await rest.next();
    ended = next.done === true;
    if (!ended) read = Buffer.concat([read, Buffer.from(next.value)]);
  }
  return { head: headOf(read, ended), whole: together(read, rest) };
}

function headOf(read: Buffer, ended: boolean): Buffer | null {
  const end = read.subarray(0, mostBytes + 2).indexOf(emptyLine);
  if (end >= 0) return read.subarray(0, end + 2);
  // A mail may be all header.
  return ended && read.length <= mostBytes ? read : null;
}

async function* together(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  if (first.length > 0) yield first;
  yield* rest;
}

/** Every line is `name: value`, or the fold of the one above. */
export function readHeader(head: Buffer | null): ReadHeader {
  if (!head) return refused("the header is longer than 64 KB");
  const text = head.toString("latin1");
  if (text === "" || text.startsWith("\r\n")) return refused("there is no header");
  if (text.includes("\0")) return refused("the header holds a NUL byte");
  if (!text.endsWith("\r\n")) return refused("the last line of the header does not end");
  const rows = text.slice(0, -2).split("\r\n");
  if (rows.length > mostLines) return refused(`the header has more than ${mostLines} lines`);
  const lines: { name: string; value: string }[] = [];
  for (const [index, row] of rows.entries()) {
    const problem = addRow(lines, row);
    if (problem) return refused(`line ${index + 1} of the header ${problem}`);
  }
  const long = lines.find(({ value }) => longRun.test(value));
  if (long) return refused(`the field ${long.name.slice(0, 50)} holds a long run of blanks`);
  return { ok: true, lines };
}

function addRow(lines: { name: string; value: string }[], row: string): string | null {
  if (/[\r\n]/.test(row)) return "holds a line break that is not CR LF";
  const last = lines.at(-1);
  if (/^[ \t]/.test(row)) {
    if (!last) return "begins with a space";
    if (row.trim() === "") return "is blank";
    last.value += row;
    return null;
  }
  const [, name, value] = /^([\x21-\x39\x3b-\x7e]+):(.*)$/s.exec(row) ?? [];
  if (name === undefined || value === undefined) return "is not `name: value`";
  lines.push({ name: name.toLowerCase(), value });
  return null;
}

function refused(why: string): ReadHeader {
  return { ok: false, why };
}

/** The values of a field, as they stand in the mail. */
export function valuesOf(lines: readonly HeaderLine[], name: string): readonly string[] {
  return lines.filter((line) => line.name === name).map(({ value }) => value);
}
