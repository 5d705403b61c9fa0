// A mail as a person's mail program writes it: both alternatives, files, and the headers that make a thread.
import { randomUUID } from "node:crypto";
import { createTransport } from "nodemailer";
import { plainHtml } from "./mail-quote.ts";

export interface LetterFile {
  readonly name: string;
  readonly content: string | Buffer;
  readonly mime?: string;
}

export interface Letter {
  readonly subject?: string;
  readonly text?: string;
  /** Absent: made of the text; empty: plain text alone. */
  readonly html?: string;
  /** Absent: the agent. */
  readonly to?: readonly string[];
  readonly cc?: readonly string[];
  /** Ids without brackets. */
  readonly inReplyTo?: string;
  readonly references?: readonly string[];
  readonly messageId?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly files?: readonly LetterFile[];
  readonly date?: Date;
}

export interface Composed extends Letter {
  readonly from: { readonly name: string; readonly address: string };
  readonly to: readonly string[];
  readonly messageId: string;
}

const transport = () =>
  createTransport({ streamTransport: true, buffer: true, newline: "windows" });

export function newMessageId(address: string): string {
  return `${randomUUID()}@${address.split("@")[1] ?? "invalid"}`;
}

export async function composed(letter: Composed): Promise<Buffer> {
  const { text = "", html = text && plainHtml(text), references = [], inReplyTo } = letter;
  const { message } = await transport().sendMail({
    from: letter.from,
    to: [...letter.to],
    ...(letter.cc && { cc: [...letter.cc] }),
    subject: letter.subject ?? "",
    date: letter.date ?? new Date(),
    messageId: `<${letter.messageId}>`,
    ...(inReplyTo && { inReplyTo: `<${inReplyTo}>` }),
    ...(references.length > 0 && { references: references.map((id) => `<${id}>`) }),
    text,
    ...(html && { html }),
    headers: { ...letter.headers },
    attachments: (letter.files ?? []).map(({ name, content, mime }) => ({
      filename: name,
      content,
      ...(mime && { contentType: mime }),
    })),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return message as Buffer;
}
