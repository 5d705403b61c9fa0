// From a mail that was read, and what was found out about its sender, to an event: pure. Whom nobody proved is not heard.
import type { EventSender, FileRef, InboundMessage } from "../../src/core/events.ts";
import type { ChatRef } from "../../src/core/words.ts";
import { accountOf } from "./address.ts";
import type { Mailbox, Reading, Verdict } from "./mail.ts";
import { bareSubject, longestSubject, oneLine } from "./threads.ts";

export interface Arrived {
  readonly mail: Reading;
  /** Never one that is to be tried again: that mail stays on the server. */
  readonly verdict: Verdict;
  readonly key: string;
  /** When the server got it, ms since 1970. */
  readonly at: number;
  /** The mailbox: its address, and what it is called. */
  readonly own: { readonly address: string; readonly name?: string | undefined };
  readonly thread: string;
  /** It carries a Message-ID of ours. */
  readonly isOurs: boolean;
  /** By its place among the attachments. */
  fileId(index: number): string;
}

export function toInboundEvent(arrived: Arrived): InboundMessage {
  const { mail, verdict, thread } = arrived;
  const account =
    verdict.is === "authenticated"
      ? accountOf(verdict.address)
      : `unproved:${oneLine(verdict.address ?? "").toLowerCase()}`;
  const chat: ChatRef = { id: account, kind: "direct", thread };
  const event: InboundMessage = {
    kind: "message",
    key: arrived.key,
    at: arrived.at,
    chat,
    sender: senderOf(account, arrived),
    message: { chat: account, id: mail.messageId ?? "", thread },
    text: "",
    addressed: true,
    files: [],
  };
  const silent = silence(arrived);
  if (silent !== null) return { ...event, silent: reasonLine(silent) };
  const { text, subject } = wordsOf(mail);
  const marks = verdict.is === "authenticated" ? verdict.marks : [];
  return {
    ...event,
    ...(marks.length > 0 ? { marks } : {}),
    text,
    ...(subject ? { subject } : {}),
    files: mail.attachments.map((file, index): FileRef => ({ id: arrived.fileId(index), ...file })),
    ...(mail.unreadable === null ? {} : { unreadable: mail.unreadable }),
  };
}

function senderOf(account: string, { mail, verdict }: Arrived): EventSender {
  if (verdict.is !== "authenticated") return { account, name: "" };
  const { address, reason } = verdict;
  const name = oneLine(mail.from[0]?.name ?? "").slice(0, 100);
  return { account, name: name || address, proof: { address, reason: reasonLine(reason) } };
}

/** Why nobody is to be answered; null: somebody is. */
function silence({ mail, verdict, own, isOurs }: Arrived): string | null {
  const from = mail.from.map(({ address }) => address.toLowerCase());
  if (isOurs || from.includes(own.address.toLowerCase())) return "our own mail came back";
  if (verdict.is !== "authenticated") {
    const also = mail.automatic === null ? "" : `; ${mail.automatic}`;
    return `not proved whom it is from: ${oneLine(verdict.reason)}${also}`;
  }
  if (mail.automatic !== null) return mail.automatic;
  if (isIn(mail.to, own.address)) return null;
  if (callsByName(mail.text, own)) return null;
  return isIn(mail.cc, own.address)
    ? "we are only in Cc, and not called by name"
    : "it is not addressed to us, and does not call us by name";
}

function isIn(boxes: readonly Mailbox[], address: string): boolean {
  return boxes.some((box) => box.address.toLowerCase() === address.toLowerCase());
}

const greetingLines = 3;

/** In its first lines, as a word of its own: whoever is only talked about further down is not asked. */
function callsByName(text: string, own: Arrived["own"]): boolean {
  const local = own.address.slice(0, own.address.lastIndexOf("@"));
  const first = text
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.startsWith(">"))
    .slice(0, greetingLines)
    .map((line) => line.slice(0, 1000))
    .join("\n");
  return [own.name ?? "", local].some((name) => name !== "" && holdsWord(first, name));
}

function holdsWord(text: string, word: string): boolean {
  const escaped = word.trim().replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&");
  return new RegExp(`(?<![\\p{L}\\p{N}_])${escaped}(?![\\p{L}\\p{N}_])`, "iu").test(text);
}

/**
 * People write the whole matter into the subject; then that is what they say, unless they may have said more that nobody
 * could read. The subject of a reply was said before: an empty one asks for nothing again.
 */
function wordsOf({ text, subject, unreadable }: Reading): Pick<Reading, "text" | "subject"> {
  const bare = bareSubject(subject);
  const isSaidAnew = bare === oneLine(subject, 1000);
  if (text.trim() === "" && unreadable === null && isSaidAnew) return { text: bare, subject: "" };
  return { text: text.trim() === "" ? "" : text, subject: bareSubject(subject, longestSubject) };
}

const longestReason = 500;

/** `oneLine` for what is longer than a subject. */
function reasonLine(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
  return line.length > longestReason ? `${line.slice(0, longestReason - 1)}…` : line;
}
