// Tells an operator, line by line, whom a mail is from and why.
import { type CheckLine, examine, type Options } from "./authenticity.ts";
import type { Verdict } from "./mail.ts";
import { readMail } from "./reading.ts";

export interface Checked {
  readonly verdict: Verdict;
  /** One for each rule that was looked at, and the verdict at last. */
  readonly lines: readonly CheckLine[];
}

/** By the very rules of a mailbox. */
export async function checkMail(raw: Buffer, options: Omit<Options, "mime">): Promise<Checked> {
  const mail = withCrLf(raw);
  const { verdict, lines } = await examine(mail, { ...options, mime: await fieldsOf(mail) });
  const ok = verdict.is === "authenticated" ? true : verdict.is === "retry" ? null : false;
  const says = [verdict.is, verdict.address && `(${verdict.address})`, `- ${verdict.reason}`];
  const last = { rule: "verdict", ok, says: says.filter(Boolean).join(" ") };
  return { verdict, lines: [...lines, last] };
}

/** A file that was saved with the line breaks of Unix, and with no others, is the same mail. */
function withCrLf(raw: Buffer): Buffer {
  if (raw.includes("\r")) return raw;
  return Buffer.from(raw.toString("latin1").replaceAll("\n", "\r\n"), "latin1");
}

async function fieldsOf(mail: Buffer): Promise<Options["mime"]> {
  const read = await readMail(mail);
  if (read.is === "read") return read.mail;
  // Its body is too much for the reader, but not its header.
  const end = mail.indexOf("\r\n\r\n");
  const header = await readMail(end < 0 ? mail : mail.subarray(0, end + 4));
  return header.is === "read"
    ? { ...header.mail, loose: [] }
    : { from: [], to: [], cc: [], loose: [] };
}
