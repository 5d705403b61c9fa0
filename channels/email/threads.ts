// Which conversation a mail belongs to, our own Message-IDs, and what an answer has to know of the mail before it.
import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Notes } from "../../src/core/channel.ts";

export interface Headers {
  readonly messageId: string | null;
  readonly inReplyTo: readonly string[];
  /** Oldest first. */
  readonly references: readonly string[];
}

/** What an answer says again of the mail that it answers. */
export interface Echo {
  /** The proved From as it was written: the same as the account but for capitals. */
  readonly address: string;
  /** Without `Re:`; empty where the person gave none. */
  readonly subject: string;
  /** Those of the mail: the first and the last ones. */
  readonly references: readonly string[];
}

export interface Own {
  readonly account: string;
  /** Absent: a mail that begins a thread of its own. */
  readonly thread?: string;
  /** Of the outbox: the same key is the same mail. */
  readonly key: string;
}

export interface Threads {
  /** The thread of a mail that is proved to be from this account. */
  threadOf(account: string, mail: Headers): string;
  /** One of our own Message-IDs, whomever it was sent to. */
  isOurs(messageId: string): boolean;
  /** With its brackets; always the same for the same mail. */
  messageId(own: Own): string;
  /** Where the answers to a mail of ours belong, which nobody wrote to us before. */
  newThread(own: Own): string;
}

const keptReferences = 20;
/** What mail programs make has less than 100; a header line takes 998. */
const longestId = 250;
const idShape = /^<[^\s<>@\u007f-\u{10ffff}]+@[^\s<>@\u007f-\u{10ffff}]+>$/u;
const ownShape =
  /^<([A-Za-z0-9_-]{1,40})\.([a-z0-9]{14})\.([a-z0-9]{10})\.([a-z0-9]{20})@[^\s<>@]+>$/;

export async function openThreads(notes: Notes, address: string): Promise<Threads> {
  const key = await keyOf(notes);
  const domain = address.slice(address.lastIndexOf("@") + 1);
  const mac = (what: string, ...of: string[]) =>
    createHmac("sha256", key)
      .update(JSON.stringify([what, ...of]))
      .digest("hex");
  const whoOf = (account: string) => short(mac("who", account), 10);
  const sealOf = (row: string, thread: string, who: string) =>
    short(mac("id", row, thread, who), 20);
  const newThread = ({ account, key: row }: Own) => short(mac("thread", account, row), 14);
  const read = (id: string) => {
    const [, row = "", thread = "", who = "", seal = ""] = ownShape.exec(id) ?? [];
    const good = row !== "" && same(seal, sealOf(row, thread, who));
    return good ? { thread, who } : undefined;
  };
  return {
    threadOf(account, { messageId, inReplyTo, references }) {
      const who = whoOf(account);
      // Whoever answers somebody else's mail, or one that was forwarded to them, is in a thread of their own.
      for (const id of [...inReplyTo.toReversed(), ...references.toReversed()]) {
        const own = read(id);
        if (own?.who === who) return own.thread;
      }
      return firstThread(account, references[0] ?? inReplyTo[0] ?? messageId ?? "");
    },
    isOurs: (id) => read(id) !== undefined,
    messageId(own) {
      const { account, thread = newThread(own), key: row } = own;
      const name = /^[A-Za-z0-9_-]{1,40}$/.test(row) ? row : hashed(row).slice(0, 32);
      const who = whoOf(account);
      return `<${name}.${thread}.${who}.${sealOf(name, thread, who)}@${domain}>`;
    },
    newThread,
  };
}

/** Made of the account as well: two people who answer one mail are in two threads. */
function firstThread(account: string, id: string): string {
  return short(hashed(JSON.stringify([account, id])), 14);
}

function hashed(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Lines of a header are short, and many programs fold a Message-ID badly: five bits and more to a character. */
function short(hex: string, length: number): string {
  return BigInt(`0x${hex}`).toString(36).padStart(length, "0").slice(-length);
}

function same(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}

async function keyOf(notes: Notes): Promise<Buffer> {
  const known = await notes.read("key");
  if (known && /^[a-f0-9]{64}$/.test(known)) return Buffer.from(known, "hex");
  const made = randomBytes(32);
  await notes.write("key", made.toString("hex"));
  return made;
}

/** Goes with the message that was heard, wherever that is kept, and nowhere else. */
export function echoOf({ address, subject, references }: Echo): string {
  const echo: Echo = {
    address,
    subject: bareSubject(subject, longestSubject),
    references: bounded(references.filter(isMessageId)),
  };
  return JSON.stringify(echo);
}

export function echoIn(text: string | undefined): Echo | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as Echo);
}

/** One that can stand in a header of ours as it is. */
export function isMessageId(id: string): boolean {
  return id.length <= longestId && idShape.test(id);
}

/** The first, which is what mail programs find a thread by, and the last ones. */
export function bounded(ids: readonly string[]): string[] {
  const [first, ...others] = new Set(ids);
  return first === undefined ? [] : [first, ...others.slice(-keptReferences)];
}

const answerMark =
  /^\s*(?:re|aw|sv|vs|antw|antwort|rif|odp|ynt|отв|fw|fwd|wg|tr|rv|enc|doorst|vb|vl|vidaresend|i\.l|pd|пер)(?:\[\d{1,3}\]|\^\d{1,3}|\(\d{1,3}\))?\s*[:：]\s*/iu;

/** On one line, without the marks of answers and forwards in the languages that mail programs speak. */
export function bareSubject(subject: string, most = 1000): string {
  let bare = oneLine(subject, most);
  for (let next = bare.replace(answerMark, ""); next !== bare; next = bare.replace(answerMark, ""))
    bare = next;
  return bare;
}

export const longestSubject = 200;

/** Without what breaks a line, steers its direction, cannot be seen at all, or is something else once it is decoded. */
export function oneLine(text: string, most = longestSubject): string {
  const line = text
    .slice(0, 10 * most)
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
    .replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\p{Cs}]/gu, "")
    .replaceAll("=?", "=_")
    .trim();
  if (line.length <= most) return line;
  return `${line
    .slice(0, most)
    .replace(/[\ud800-\udbff]$/, "")
    .trimEnd()}…`;
}
