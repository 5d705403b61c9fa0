// Asks for what a mailbox needs, and tries it out before it is added.
import { resolve } from "node:path";
import type { Command } from "commander";
import type { ChannelGiven } from "../admin/channel.ts";
import { askLine } from "./ask.ts";
import { Failure, operate } from "./operator.ts";
import { complain } from "./output.ts";
import { readSecretInput } from "./secret-input.ts";

export interface MailFlags {
  readonly address?: string;
  readonly imap?: string;
  readonly smtp?: string;
  readonly user?: string;
  readonly passwordFile?: string;
  readonly tokenCommand?: string;
  readonly ca?: string;
  readonly dns?: string;
  readonly name?: string;
  readonly folder?: string;
  readonly dkimDomain?: string;
  readonly dkimSelector?: string;
  readonly dkimKeyFile?: string;
  readonly skipTest?: boolean;
  readonly pace?: "on" | "off";
}

type Account = Required<Pick<ChannelGiven, "secrets" | "config">>;
type Mail = Awaited<ReturnType<typeof import("../gateway.ts")["mail"]>>;

export async function mailAccount(
  id: string,
  flags: MailFlags,
  command: Command,
): Promise<Account> {
  const channels = await operate(command, "channel.list", {});
  if (channels.some((one) => one.id === id))
    throw new Failure(
      `There is a channel ${id} already. Add another with --id ID, or remove it with: sallyport channel rm ${id}`,
    );
  const mail = await (await import("../gateway.ts")).mail();
  const address = await addressFrom(flags);
  const servers = await serversFrom(mail, address, flags);
  const config = { address, ...servers, ...(await signIn(address, flags)), ...optional(flags) };
  const secrets = await secretsFrom(mail, servers.imap, flags);
  const { pace } = flags;
  const checked = mail.checkConfig(id, { ...config, ...secrets, ...(pace ? { pace } : {}) });
  if (!checked.ok) throw new Failure(checked.problem);
  if (flags.skipTest) complain(`Not tried out. Try it with: sallyport channel test ${id}`);
  else await tryOut(mail, checked.config);
  return { config, secrets };
}

async function tryOut(mail: Mail, config: Parameters<Mail["tryMailbox"]>[0]): Promise<void> {
  const cut = new AbortController();
  // The second one ends it at once, and leaves the mail of the test where it is.
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => cut.abort());
  const problem = await mail.tryMailbox(config, { say: complain, signal: cut.signal });
  if (problem !== undefined) throw new Failure(`${problem}\nNothing was added.`);
}

const atTerminal = () => process.stdin.isTTY === true;

async function addressFrom({ address }: MailFlags): Promise<string> {
  if (!address && !atTerminal())
    throw new Failure("Say which mailbox it is: --address agent@example.org");
  const given = (address ?? (await askLine("The agent's address"))).trim().toLowerCase();
  if (!/^[^@\s]+@[^@\s]+$/.test(given))
    throw new Failure(`${JSON.stringify(given)} is no address. Give one like agent@example.org`);
  return given;
}

interface Urls {
  readonly imap: string;
  readonly smtp: string;
}

async function serversFrom(mail: Mail, address: string, flags: MailFlags): Promise<Urls> {
  const { imap, smtp } = flags;
  if (imap && smtp) return { imap, smtp };
  const domain = address.slice(address.lastIndexOf("@") + 1);
  const guessed = await mail.guessServers(domain, flags.dns);
  if (typeof guessed === "string") throw new Failure(guessed);
  if (guessed.trouble && atTerminal()) complain(`${guessed.trouble}.`);
  const choose = (end: "imap" | "smtp", question: string) =>
    serverOf({ domain, end, question, server: guessed[end], trouble: guessed.trouble });
  return {
    imap: imap ?? (await choose("imap", "Server where mail is read (IMAP)")),
    smtp: smtp ?? (await choose("smtp", "Server where mail is sent (SMTP)")),
  };
}

type Guessed = Exclude<Awaited<ReturnType<Mail["guessServers"]>>, string>;

interface Choice {
  readonly domain: string;
  readonly end: "imap" | "smtp";
  readonly question: string;
  readonly server: Guessed["imap"];
  readonly trouble: string | null;
}

async function serverOf({ domain, end, question, server, trouble }: Choice): Promise<string> {
  const flag = end === "imap" ? "--imap imaps://HOST:993" : "--smtp smtps://HOST:465";
  const none = `${domain} says that it offers no ${end.toUpperCase()} to mail programs`;
  if (atTerminal()) {
    if (server.is === "none") complain(`${none}.`);
    const answer = await askLine(question, server.is === "none" ? undefined : server.url);
    return withScheme(answer, end);
  }
  if (server.is === "none") throw new Failure(`${none}. If it does, name the server: ${flag}`);
  if (server.is === "likely")
    throw new Failure(
      `${trouble ?? `${domain} does not say which server it is`}. Name the server: ${flag}`,
    );
  if (!server.near)
    throw new Failure(
      `${domain} names ${server.host} as its server, which is elsewhere, and DNS can be forged. If it is right, say so with: --${end} ${server.url}`,
    );
  return server.url;
}

/** A bare name, as people know it, is the usual port with TLS. */
function withScheme(answer: string, end: "imap" | "smtp"): string {
  if (answer.includes("://")) return answer;
  const port = /:\d+$/.test(answer) ? "" : end === "imap" ? ":993" : ":465";
  return `${end}s://${answer}${port}`;
}

async function signIn(address: string, { user }: MailFlags): Promise<{ readonly user?: string }> {
  const name = user ?? (atTerminal() ? await askLine("Name to sign in with", address) : address);
  return name === address ? {} : { user: name };
}

function optional({ ca, tokenCommand, dns, name, folder, ...dkim }: MailFlags) {
  const { dkimDomain, dkimSelector } = dkim;
  const given = { tokenCommand, dns, name, folder, dkimDomain, dkimSelector };
  const present = Object.entries(given).filter(([, value]) => value !== undefined);
  // The gateway may be started elsewhere.
  return {
    ...(Object.fromEntries(present) as Record<string, string>),
    ...(ca ? { ca: resolve(ca) } : {}),
  };
}

async function secretsFrom(
  mail: Mail,
  imap: string,
  { passwordFile, tokenCommand, dkimKeyFile }: MailFlags,
): Promise<Account["secrets"]> {
  if (passwordFile !== undefined && tokenCommand !== undefined)
    throw new Failure("Give --password-file or --token-command, not both.");
  if (passwordFile === "-" && dkimKeyFile === "-")
    throw new Failure("Only one of the two can come from standard input. Put the other in a file.");
  const hint = mail.passwordHint(imap);
  if (hint && passwordFile === undefined && tokenCommand === undefined && atTerminal())
    complain(hint);
  const password = tokenCommand
    ? undefined
    : await readSecretInput("password", fileFlag(passwordFile), "--password-file");
  const dkimKey =
    dkimKeyFile === undefined
      ? undefined
      : await readSecretInput("DKIM key", fileFlag(dkimKeyFile), "--dkim-key-file");
  return { ...(password ? { password } : {}), ...(dkimKey ? { dkimKey } : {}) };
}

function fileFlag(tokenFile: string | undefined) {
  return tokenFile === undefined ? {} : { tokenFile };
}
