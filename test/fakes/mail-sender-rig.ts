// The way out of the mail channel, over a real SMTP server, as its tests use it.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { configSchema } from "../../channels/email/config.ts";
import { createSender, type Sender } from "../../channels/email/sending.ts";
import { echoOf, openThreads, type Threads } from "../../channels/email/threads.ts";
import type { OutFile, Part, SendError } from "../../src/core/channel.ts";
import type { MessageRef } from "../../src/core/events.ts";
import type { Address } from "../../src/core/words.ts";
import { type MailSmtp, type SentMail, type SmtpOptions, startMailSmtp } from "./mail-smtp.ts";
import { notesInMemory } from "./notes.ts";

export const agent = "agent@sally.test";
export const ana = "ana@example.org";

export interface SenderRig {
  readonly smtp: MailSmtp;
  readonly threads: Threads;
  readonly sender: Sender;
  /** All that was logged, as JSON. */
  readonly logged: string[];
  /** Somebody writes; the address of the answer. */
  hear(mail?: Partial<HeardMail>): Promise<Address>;
  /** Sends, and gives what the server got. */
  sent(to: Address, part: Part, key?: string): Promise<SentMail>;
  failure(to: Address, part?: Part): Promise<SendError>;
  file(name: string, content: string | Buffer): Promise<OutFile>;
}

export interface HeardMail {
  readonly account: string;
  readonly address: string;
  readonly subject: string;
  readonly messageId: string | null;
  readonly inReplyTo: readonly string[];
  readonly references: readonly string[];
}

export interface RigOptions {
  readonly smtp?: SmtpOptions;
  readonly config?: Readonly<Record<string, unknown>>;
  /** How the config names the host, instead of `localhost`. */
  readonly elsewhere?: string;
  /** The certificate is not trusted. */
  readonly untrusting?: true;
  readonly accessToken?: (command: string) => Promise<string>;
}

export async function senderRig(test: TestContext, options: RigOptions = {}): Promise<SenderRig> {
  const smtp = await startMailSmtp({ users: { [agent]: "a secret" }, ...options.smtp });
  const folder = await mkdtemp(join(tmpdir(), "mail-"));
  test.after(async () => {
    await smtp.close();
    await rm(folder, { recursive: true });
  });
  const ca = join(folder, "ca.pem");
  await writeFile(ca, smtp.ca);
  const config = configSchema.parse({
    address: agent,
    name: "Sally",
    imap: "imaps://localhost:1",
    smtp: smtp.url.replace("localhost", options.elsewhere ?? "localhost"),
    password: "a secret",
    ...(options.untrusting ? {} : { ca }),
    ...options.config,
  });
  const logged: string[] = [];
  const note = (...of: unknown[]) => void logged.push(JSON.stringify(of));
  const log = { debug: note, info: note, warn: note, error: note };
  const threads = await openThreads(notesInMemory(), config.address);
  const { accessToken = async () => "" } = options;
  const heard = new Map<string, MessageRef>();
  const sender = answering(createSender({ config, threads, log, accessToken }), heard);
  test.after(() => sender.close());
  let keys = 0;
  const next = () => {
    keys += 1;
    return keys;
  };
  return {
    smtp,
    threads,
    sender,
    logged,
    async hear(mail) {
      const { to, message } = hear(threads, mail);
      heard.set(placeOf(to), message);
      return to;
    },
    async sent(to, part, key = `o${next()}`) {
      const before = smtp.mails.length;
      await sender.send(to, part, key);
      return await smtp.until(before + 1);
    },
    async failure(to, part = { plain: "An answer" }) {
      return await sender.send(to, part, `o${next()}`).then(
        () => Promise.reject(new Error("The mail was sent")),
        (error: SendError) => error,
      );
    },
    async file(name, content) {
      const path = join(folder, `file-${next()}`);
      await writeFile(path, content);
      return { path, name, mime: "application/octet-stream", size: content.length };
    },
  };
}

function placeOf({ chat, thread }: Address): string {
  return `${chat} ${thread}`;
}

/** What goes to a thread answers the mail that was heard in it, as it does behind the gateway. */
function answering(sender: Sender, heard: ReadonlyMap<string, MessageRef>): Sender {
  return {
    ...sender,
    send(to, part, key) {
      const replyTo = part.replyTo ?? heard.get(placeOf(to));
      return sender.send(to, { ...part, ...(replyTo ? { replyTo } : {}) }, key);
    },
  };
}

function hear(threads: Threads, mail: Partial<HeardMail> = {}) {
  const heard = {
    account: ana,
    address: ana,
    subject: "The build",
    messageId: "<a1@example.org>",
    inReplyTo: [],
    references: [],
    ...mail,
  };
  const thread = threads.threadOf(heard.account, heard);
  const to: Address = { listener: "email", chat: heard.account, thread };
  const id = heard.messageId ?? "";
  const message: MessageRef = { chat: heard.account, id, thread, echo: echoOf(heard) };
  return { to, message };
}

/** The top headers of a mail: names in lower case, values unfolded. */
export function headersOf({ raw }: SentMail): [name: string, value: string][] {
  const head = raw.toString("latin1").split("\r\n\r\n", 1)[0] ?? "";
  return head
    .replace(/\r\n[ \t]/g, " ")
    .split("\r\n")
    .map((line) => {
      const at = line.indexOf(":");
      return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
    });
}

export function headerOf(mail: SentMail, name: string): string | undefined {
  return headersOf(mail).find(([one]) => one === name)?.[1];
}
