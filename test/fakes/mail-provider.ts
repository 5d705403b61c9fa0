// A provider of mailboxes on loopback, as whoever sets one up meets it: IMAP, SMTP that signs or not, and DNS.
import type { TestContext } from "node:test";
import { type Dovecot, type DovecotOptions, startDovecot } from "./dovecot.ts";
import { makeCertificate } from "./mail-certificate.ts";
import { type MailDns, startMailDns } from "./mail-dns.ts";
import { mailDomain, signed } from "./mail-signed.ts";
import { type MailSmtp, type SmtpOptions, startMailSmtp } from "./mail-smtp.ts";

export interface ProviderOptions {
  readonly domain?: string;
  readonly signs?: boolean;
  readonly dovecot?: DovecotOptions;
  readonly smtp?: SmtpOptions;
  /** What becomes of mail that was sent, instead of the inbox. */
  readonly deliver?: (raw: Buffer, dovecot: Dovecot) => Promise<void> | void;
}

export interface MailProvider {
  readonly address: string;
  readonly password: string;
  readonly dovecot: Dovecot;
  readonly smtp: MailSmtp;
  readonly dns: MailDns;
  /** All there is to say on a command line, but for the password. */
  readonly flags: readonly string[];
}

export async function mailProvider(
  t: TestContext,
  options: ProviderOptions = {},
): Promise<MailProvider> {
  const { domain = "example.org", signs = true } = options;
  const [address, password] = [`agent@${domain}`, "correct horse"];
  const certificate = makeCertificate();
  const dns = await startMailDns();
  t.after(() => dns.close());
  const key = mailDomain(domain, dns);
  const accounts = { [address]: password };
  const dovecot = await startDovecot({ accounts, certificate, ...options.dovecot }, t);
  const { deliver = (raw) => dovecot.deliver(raw) } = options;
  const smtp = await startMailSmtp({
    certificate,
    users: accounts,
    deliver: async ({ raw }) => deliver(signs ? await signed(raw, key) : raw, dovecot),
    ...options.smtp,
  });
  t.after(() => smtp.close());
  const flags = [
    ...["channel", "add", "email", "--address", address, "--dns", dns.at],
    ...["--imap", dovecot.url, "--smtp", smtp.url, "--ca", dovecot.caFile],
  ];
  return { address, password, dovecot, smtp, dns, flags };
}
