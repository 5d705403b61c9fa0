// The whole mail platform of a test: a mailbox for the agent, a server that takes what it sends, DNS, and people who read and write.
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Dovecot, startDovecot } from "./dovecot.ts";
import { makeCertificate } from "./mail-certificate.ts";
import { type MailDns, startMailDns } from "./mail-dns.ts";
import type { HoldMail, MailHold } from "./mail-holds.ts";
import type { MailPerson } from "./mail-person.ts";
import { type Happening, openPlatform } from "./mail-platform.ts";
import type { SeenMail } from "./mail-seen.ts";
import { mailDomain } from "./mail-signed.ts";
import { type MailSmtp, startMailSmtp } from "./mail-smtp.ts";
import { startTcpCut, type TcpCut } from "./tcp-cut.ts";
import type { WaitOptions } from "./watchers.ts";

export interface MailTownOptions {
  readonly agent?: string;
  /** With key and policy; the agent's is one of them. */
  readonly domains?: readonly string[];
  /** Nothing is encrypted, so that `cut` can tell what goes through. */
  readonly plain?: true;
}

export interface MailTown {
  readonly agent: string;
  readonly password: string;
  readonly dovecot: Dovecot;
  readonly smtp: MailSmtp;
  readonly dns: MailDns;
  /** Between whoever reads the mailbox and Dovecot. */
  readonly cut: TcpCut;
  readonly story: readonly Happening[];
  /** All that the agent sent, repeats included. */
  readonly sent: readonly SeenMail[];
  /** Of `channels.email`; the password is a secret of its own. */
  settings(more?: Readonly<Record<string, unknown>>): Record<string, unknown>;
  person(address: string, name?: string): MailPerson;
  /** Puts bytes into the mailbox, after what is under way; gives the UID. */
  deliver(raw: Buffer | string): Promise<number>;
  /** Resolves when all that was written is in the mailbox. */
  settled(): Promise<void>;
  /** The agent's next mail to somebody is held, before or after they have it. */
  hold(how: HoldMail): MailHold;
  /** The mailbox has another password, and whoever was signed in is thrown out. */
  changePassword(): Promise<void>;
  watch(listener: () => void): () => void;
  /** What is waited for is looked at again. */
  nudge(): void;
  waitFor<T>(look: () => T | undefined | null | false, options?: WaitOptions): Promise<T>;
  /** As people would read it: all of it, or what one of them wrote and got. */
  transcript(address?: string): string;
  close(): Promise<void>;
}

const usual = ["example.test", "other.test", "evil.test"];

export async function startMailTown(options: MailTownOptions = {}): Promise<MailTown> {
  const ends: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const end of ends.splice(0).reverse()) await end();
  };
  try {
    return { ...(await open(options, ends)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** What was started is ended in the opposite order, also when not all of it could be. */
async function open(
  options: MailTownOptions,
  ends: (() => Promise<unknown>)[],
): Promise<Omit<MailTown, "close">> {
  const { agent = "agent@example.test", domains = usual, plain } = options;
  const password = "correct horse";
  const certificate = makeCertificate();
  const dns = await startMailDns();
  ends.push(dns.close);
  const keys = new Map(domains.map((domain) => [domain, mailDomain(domain, dns)]));
  const tls = plain && ({ tls: "none" } as const);
  const dovecot = await startDovecot({ accounts: { [agent]: password }, certificate, ...tls });
  ends.push(dovecot.close);
  const users: Record<string, string> = { [agent]: password };
  const platform = openPlatform({ agent, keys, deliver: (raw) => dovecot.deliver(raw) });
  const smtp = await startMailSmtp({ certificate, users, deliver: platform.taken, ...tls });
  ends.push(smtp.close);
  const cut = await startTcpCut({ port: plain ? dovecot.ports.imap : dovecot.ports.imaps });
  ends.push(cut.close, platform.town.settled);
  ends.push(async () => platform.end());
  return {
    agent,
    password,
    dovecot,
    smtp,
    dns,
    cut,
    ...platform.town,
    settings: (more = {}) => ({
      kind: "email",
      address: agent,
      imap: `${plain ? "imap" : "imaps"}://localhost:${cut.port}`,
      smtp: smtp.url,
      ca: dovecot.caFile,
      dns: dns.at,
      pace: "off",
      ...more,
    }),
    async changePassword() {
      users[agent] = "another";
      const file = join(dirname(dovecot.caFile), "users");
      writeFileSync(file, `${agent}:{PLAIN}another::::::\n`, { mode: 0o644 });
      await dovecot.kill();
      await dovecot.start();
    },
  };
}
