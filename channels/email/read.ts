// What a mail that was taken apart says: in the words that the rest of the channel works with. Runs in the worker.
import { automaticReason } from "./automatic.ts";
import type { Mailbox, Reading } from "./mail.ts";
import { mailboxes, type Parts } from "./parts.ts";
import { isForward, isReply } from "./quote-words.ts";
import { newText } from "./trim.ts";

/** Characters of new text. */
const mostText = 500_000;
const mostSubject = 1000;
const mostIds = 100;
const longestName = 200;
const longestAddress = 1000;

export function readingOf({
  headers,
  type,
  email,
  text,
  files,
  unreadable,
  loose,
}: Parts): Reading {
  const subject = line(email.subject ?? "", mostSubject);
  const ids = (name: string) => messageIds(headers.find(({ key }) => key === name)?.value ?? "");
  const inReplyTo = ids("in-reply-to");
  const references = ids("references");
  const from = mailboxes(headers, "from").map(bounded);
  const reply = inReplyTo.length > 0 || references.length > 0;
  const forward = isForward(subject);
  const automatic = automaticReason(headers, { type, from, subject, reply, files });
  const about = { reply: (reply || isReply(subject)) && !forward, forward };
  return {
    from,
    to: mailboxes(headers, "to").map(bounded),
    cc: mailboxes(headers, "cc").map(bounded),
    subject,
    messageId: ids("message-id")[0] ?? null,
    inReplyTo,
    references,
    text: cut(newText(text, about)),
    attachments: files.map(({ name, mime, content }) => ({ name, mime, size: content.byteLength })),
    automatic,
    unreadable,
    loose,
  };
}

/** Where a cut went through one. */
const halfCharacter = /[\ud800-\udbff]$/;

function bounded({ name, address }: Mailbox): Mailbox {
  return { name: line(name, longestName), address: line(address, longestAddress) };
}

function line(text: string, most: number): string {
  return text
    .slice(0, 2 * most)
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim()
    .slice(0, most)
    .replace(halfCharacter, "");
}

/** The first one, which names the thread, and the last ones. */
function messageIds(value: string): string[] {
  const ids = [...value.slice(0, 200_000).matchAll(/<[^<>\s]{1,998}>/g)].map(([id]) => id);
  const [first, ...more] = [...new Set(ids)];
  return first === undefined ? [] : [first, ...more.slice(1 - mostIds)];
}

function cut(text: string): string {
  if (text.length <= mostText) return text;
  const left = text.length - mostText;
  return `${text.slice(0, mostText).replace(halfCharacter, "")}\n[… ${left} more characters of this mail are left out]`;
}
