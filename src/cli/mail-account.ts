// Asks for what a mailbox needs, and tries it out before it is added.
import { resolve } from "node:path";
import type { Command } from "commander";
import type { ChannelGiven } from "../admin/channel.ts";
import { inWords } from "../admin/channel-words.ts";
import { twinProblem } from "../admin/mailboxes.ts";
import { loadSettings } from "../config/settings-file.ts";
import { askLine } from "./ask.ts";
import { serversFrom } from "./mail-servers.ts";
import { Failure, operate, placeFor } from "./operator.ts";
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
  await refuseTwin({ address, ...optional(flags) }, command);
  const servers = await serversFrom(mail, address, flags);
  const config = { address, ...servers, ...(await signIn(address, flags)), ...optional(flags) };
  for (let tries = mostTries; ; tries -= 1) {
    const secrets = await secretsFrom(mail, servers.imap, flags);
    const problem = await problemWith({ mail, id, flags, given: { ...config, ...secrets } });
    if (problem === undefined) return { config, secrets };
    if (!isMistyped(problem, flags) || tries === 1)
      throw new Failure(`${problem}\nNothing was added.`);
    complain(problem);
  }
}

const mostTries = 3;

/** A file or a command would give the same again. */
function isMistyped(problem: string, { passwordFile, tokenCommand }: MailFlags): boolean {
  const typed = passwordFile === undefined && tokenCommand === undefined && atTerminal();
  return typed && /does not take this name and password/.test(problem);
}

async function refuseTwin(config: Account["config"] & object, command: Command): Promise<void> {
  const loaded = await loadSettings(placeFor(command).paths);
  if (!loaded.ok) throw new Failure(loaded.problem);
  const problem = twinProblem(loaded.settings.channels, config);
  if (problem !== undefined) throw new Failure(problem);
}

interface Tried {
  readonly mail: Mail;
  readonly id: string;
  readonly flags: MailFlags;
  readonly given: Readonly<Record<string, unknown>>;
}

async function problemWith({ mail, id, flags, given }: Tried): Promise<string | undefined> {
  const { pace, skipTest } = flags;
  const checked = mail.checkConfig(id, { ...given, ...(pace ? { pace } : {}) });
  if (!checked.ok) return inWords(checked.problem);
  if (!skipTest) return tryOut(mail, checked.config);
  complain(`Not tried out. Try it with: sallyport channel test ${id}`);
  return undefined;
}

async function tryOut(
  mail: Mail,
  config: Parameters<Mail["tryMailbox"]>[0],
): Promise<string | undefined> {
  const cut = new AbortController();
  const { signal } = cut;
  const stop = () => cut.abort();
  // The second one ends it at once, and leaves the mail of the test where it is.
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, stop);
  try {
    return await mail.tryMailbox(config, { say: complain, signal });
  } finally {
    for (const name of ["SIGINT", "SIGTERM"] as const) process.off(name, stop);
  }
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
