// A listener on a real mailbox, with a proxy in between that breaks what a test wants broken, and signed mail to put in.
import type { TestContext } from "node:test";
import { channel } from "../../channels/email/index.ts";
import type { Listener, Notes } from "../../src/core/channel.ts";
import type { InboundEvent, InboundMessage } from "../../src/core/events.ts";
import { memoryLog } from "./agent-rig.ts";
import { type Dovecot, type DovecotOptions, startDovecot } from "./dovecot.ts";
import { type MailDns, startMailDns } from "./mail-dns.ts";
import { type MailParts, mailDomain, plainMail, signed } from "./mail-signed.ts";
import { notesInMemory } from "./notes.ts";
import { startTcpCut, type TcpCut } from "./tcp-cut.ts";
import { Watchers } from "./watchers.ts";

export interface MailboxOptions extends DovecotOptions {
  /** Of the channel, instead of what a test has usually. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly notes?: Notes;
  readonly accept?: (events: readonly InboundEvent[]) => Promise<void>;
}

export interface MailboxRig extends ListeningRig {
  readonly dovecot: Dovecot;
  writes(text: string, more?: Partial<MailParts>): Promise<void>;
}

/** The same with whatever mail server. */
export interface ListeningRig {
  readonly dns: MailDns;
  readonly cut: TcpCut;
  readonly log: ReturnType<typeof memoryLog>;
  readonly kept: Map<string, string>;
  /** What was accepted, in its order. */
  readonly heard: InboundMessage[];
  readonly texts: () => string[];
  /** The same mailbox in another listener, with the notes of the one before. */
  open(more?: Readonly<Record<string, unknown>>): Listener;
  start(listener: Listener): Promise<void>;
  /** A signed mail whose text is this. */
  mail(text: string, more?: Partial<MailParts>): Promise<Buffer>;
  sign(raw: Buffer): Promise<Buffer>;
  /** Resolves when it holds; looked at after everything that is accepted or noted, and now and then. */
  until(what: string, holds: () => boolean): Promise<void>;
}

export const agent = "agent@example.org";
export const ana = "ana@example.test";

/** Without TLS, so that the proxy can tell what is said; `tls: "offered"` for what is to be encrypted. */
export async function mailboxRig(
  t: TestContext,
  options: MailboxOptions = {},
): Promise<MailboxRig> {
  const { tls = "none" } = options;
  const dovecot = await startDovecot({ ...options, tls }, t);
  const { ports, password, caFile: ca } = dovecot;
  const at = { port: tls === "none" ? ports.imap : ports.imaps, tls, password, ca };
  const rig = await listeningRig(t, at, options);
  return {
    ...{ ...rig, dovecot },
    writes: async (text, more) => dovecot.deliver(await rig.mail(text, more)),
  };
}

interface ServerAt {
  readonly port: number;
  readonly tls?: DovecotOptions["tls"];
  readonly password?: string;
  readonly ca?: string;
}

export async function listeningRig(
  t: TestContext,
  { port, tls = "none", password = "sesame", ca }: ServerAt,
  { settings = {}, accept, notes: given }: MailboxOptions = {},
): Promise<ListeningRig> {
  const dns = await startMailDns();
  t.after(() => dns.close());
  const cut = await startTcpCut({ port });
  const key = mailDomain("example.test", dns);
  const watchers = new Watchers();
  const log = memoryLog();
  const kept = new Map<string, string>();
  const heard: InboundMessage[] = [];
  const opened: Listener[] = [];
  const notes = given ?? notesInMemory(kept);
  const context = { listener: "email", log, notes, fetchFrom: () => fetch };
  t.after(async () => {
    for (const listener of opened) await listener.stop();
    await cut.close();
  });
  const sign = (raw: Buffer) => signed(raw, key);
  const from = `Ana <${ana}>`;
  const mail: ListeningRig["mail"] = (text, more) =>
    sign(plainMail({ from, to: agent, subject: "Work", text: `${text}\n`, ...more }));
  return {
    ...{ dns, cut, log, kept, heard, mail, sign },
    texts: () => heard.map(({ text }) => text),
    open(more = {}) {
      const listener = channel.open(
        {
          address: agent,
          imap: `${tls === "none" ? "imap" : "imaps"}://localhost:${cut.port}`,
          smtp: "smtps://localhost:1",
          ...{ password, ca, dns: dns.at },
          ...{ idleSeconds: 1, answerSeconds: 1, deafSeconds: 5 },
          ...settings,
          ...more,
        },
        context,
      );
      opened.push(listener);
      return listener;
    },
    start: (listener) =>
      listener.start(async (events) => {
        await accept?.(events);
        for (const event of events) if (event.kind === "message") heard.push(event);
        watchers.changed();
      }),
    async until(what, holds) {
      const look = setInterval(() => watchers.changed(), 25);
      try {
        const seen = () => `heard ${heard.length}\n${log.lines.slice(-20).join("\n")}`;
        await watchers.waitFor(holds, seen, { what, timeoutMs: 40_000 });
      } finally {
        clearInterval(look);
      }
    },
  };
}
