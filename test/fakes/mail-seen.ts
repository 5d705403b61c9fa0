// What somebody's mail program makes of a mail that arrived.
import PostalMime, { type Address, type Email } from "postal-mime";

export interface MailFile {
  readonly name: string;
  readonly mime: string;
  readonly content: Buffer;
}

/** A mail in somebody's inbox. */
export interface SeenMail {
  /** Of the header, without brackets; empty where there is none. */
  readonly messageId: string;
  readonly from: string;
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly subject: string;
  /** The plain text alternative; line ends are `\n`. */
  readonly text: string;
  readonly html: string;
  readonly files: readonly MailFile[];
  /** Without brackets. */
  readonly inReplyTo: string;
  readonly references: readonly string[];
  /** By lower-case name; the first where there are several. */
  readonly headers: ReadonlyMap<string, string>;
  /** How often each header is there, by lower-case name. */
  readonly counts: ReadonlyMap<string, number>;
  /** What the SMTP client said. */
  readonly envelope: { readonly from: string; readonly to: readonly string[] };
  readonly raw: Buffer;
}

export async function seenMail(raw: Buffer, envelope: SeenMail["envelope"]): Promise<SeenMail> {
  return seenOf(await PostalMime.parse(raw), raw, envelope);
}

export function seenOf(mail: Email, raw: Buffer, envelope: SeenMail["envelope"]): SeenMail {
  const headers = new Map<string, string>();
  const counts = new Map<string, number>();
  for (const { key, value } of mail.headers) {
    if (!headers.has(key)) headers.set(key, value);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return {
    messageId: idsIn(mail.messageId)[0] ?? "",
    from: mail.from?.address ?? "",
    to: addresses(mail.to),
    cc: addresses(mail.cc),
    subject: mail.subject ?? "",
    text: (mail.text ?? "").replaceAll("\r\n", "\n").trimEnd(),
    html: mail.html ?? "",
    files: mail.attachments.map(({ filename, mimeType, content }) => ({
      name: filename ?? "",
      mime: mimeType,
      content: Buffer.from(content as ArrayBuffer),
    })),
    inReplyTo: idsIn(mail.inReplyTo)[0] ?? "",
    references: idsIn(mail.references),
    headers,
    counts,
    envelope,
    raw,
  };
}

function addresses(list: readonly Address[] | undefined): string[] {
  return (list ?? []).flatMap(({ address }) => (address ? [address] : []));
}

function idsIn(header: string | undefined): string[] {
  return [...(header ?? "").matchAll(/<([^<>\s]+)>/g)].map(([, id = ""]) => id);
}

/** As a person reads it: head, text, and what hangs on it. */
export function readAloud(mail: SeenMail): string {
  const { from, to, cc, subject, text, files } = mail;
  const head = [
    `From: ${from}`,
    `To: ${to.join(", ")}`,
    ...(cc.length > 0 ? [`Cc: ${cc.join(", ")}`] : []),
    `Subject: ${subject}`,
    ...(mail.inReplyTo ? [`(answers <${mail.inReplyTo}>)`] : []),
  ];
  const hung = files.map(({ name, content }) => `<${name}, ${content.length} bytes>`);
  return [...head, "", ...text.split("\n"), ...hung]
    .map((line) => `   ${line}`.trimEnd())
    .join("\n");
}
