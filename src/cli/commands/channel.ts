// sallyport channel: where callers arrive.
import type { Command } from "commander";
import type { ChannelGiven } from "../../admin/channel.ts";
import { channelKinds } from "../../config/settings.ts";
import type { MailFlags } from "../mail-account.ts";
import { Failure, operate, report } from "../operator.ts";
import { table, when } from "../output.ts";
import { readSecretInput } from "../secret-input.ts";

interface AddFlags extends MailFlags {
  readonly id?: string;
  readonly token?: string;
  readonly tokenFile?: string;
  readonly appTokenFile?: string;
  readonly signingSecretFile?: string;
  readonly apiRoot?: string;
  readonly pace?: "on" | "off";
}

export function addChannel(root: Command): void {
  const channel = root.command("channel").description("where callers arrive");
  addAdd(channel);
  addRest(channel);
}

function addAdd(channel: Command): void {
  const add = channel
    .command("add <kind>")
    .description(
      "add a channel: telegram, discord, slack or email; what is secret comes by file, - (standard input) or a hidden prompt",
    )
    .option("--id <id>", "its name here, when there are several of a kind")
    .option("--token-file <file>", "read the token from a file, or - for standard input")
    .option("--token <token>", "the token itself (stays in the shell's history)")
    .option("--app-token-file <file>", "slack: the app-level token of Socket Mode, likewise")
    .option("--signing-secret-file <file>", "slack: the signing secret of HTTP mode, likewise")
    .option("--api-root <url>", "base URL of the platform's API, for a server of your own")
    .option("--pace <on|off>", "keep to the platform's published limits");
  for (const [flag, what] of mailFlags) add.option(flag, `email: ${what}`);
  add.action(async (kind: string, flags: AddFlags, command: Command) => {
    const { id = kind, apiRoot, pace } = flags;
    refuseUnknown(kind);
    refuseForeign(kind, flags);
    const input: ChannelGiven = {
      id,
      kind: kind as ChannelGiven["kind"],
      ...(kind === "email"
        ? await mailbox(id, flags, command)
        : { secrets: await secretsFrom(kind, flags) }),
      ...(apiRoot === undefined ? {} : { apiRoot }),
      ...(pace === undefined ? {} : { pace }),
    };
    await report(command, { name: "channel.add", input }, (value) =>
      value.trouble
        ? `${value.id} is added, but not connected: ${value.trouble.replace(/\.$/, "")}. It tries again by itself; see: sallyport doctor`
        : value.open
          ? `${value.id} is added and open. ${lettingIn(kind)}`
          : `${value.id} is added. It opens with: sallyport start. ${lettingIn(kind)}`,
    );
  });
}

function lettingIn(kind: string): string {
  const invite = "Invite somebody with: sallyport pair invite --name NAME";
  return kind === "email"
    ? `${invite}; or let an address or domain in with: sallyport config add access.allowEmail ana@example.org`
    : invite;
}

const mailFlags = [
  ["--address <address>", "the agent's address"],
  ["--imap <url>", "where mail is read: imaps://host:993, or imap://host:143 (STARTTLS)"],
  ["--smtp <url>", "where mail is sent: smtps://host:465, or smtp://host:587 (STARTTLS)"],
  ["--user <name>", "name to sign in with; the address else"],
  ["--password-file <file>", "read the password from a file, or - for standard input"],
  ["--token-command <command>", "what prints an OAuth2 access token, instead of a password"],
  ["--ca <file>", "certificates to trust, for servers of your own"],
  ["--dns <host:port>", "DNS server for keys, policies and the guess at the servers"],
  ["--name <name>", "what it is called in a mail program"],
  ["--folder <folder>", "the folder that is read; INBOX else"],
  ["--dkim-domain <domain>", "sign what goes out for this domain"],
  ["--dkim-selector <selector>", "the selector of its key"],
  ["--dkim-key-file <file>", "the key (PEM)"],
  ["--skip-test", "add it without signing in and without a mail to itself"],
] as const;

async function mailbox(id: string, flags: AddFlags, command: Command) {
  const { mailAccount } = await import("../mail-account.ts");
  return mailAccount(id, flags, command);
}

function refuseUnknown(kind: string): void {
  const known: readonly string[] = channelKinds;
  if (!known.includes(kind))
    throw new Failure(
      `There is no kind of channel ${JSON.stringify(kind)}. There are: ${known.join(", ")}`,
    );
}

/** What is meant for another kind would be passed over in silence. */
function refuseForeign(kind: string, flags: AddFlags): void {
  const others = ["token", "tokenFile", "appTokenFile", "signingSecretFile", "apiRoot"];
  const mails = mailFlags.map(([flag]) => camel(flag));
  const foreign = Object.keys(flags).find((flag) =>
    (kind === "email" ? others : mails).includes(flag),
  );
  if (!foreign) return;
  const flag = `--${foreign.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  throw new Failure(`A channel of kind ${kind} has no ${flag}. See: sallyport channel add --help`);
}

function camel(flag: string): string {
  const [name = ""] = flag.slice(2).split(" ");
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Slack has a second secret: which one decides how it is listened to. */
async function secretsFrom(kind: string, flags: AddFlags): Promise<Record<string, string>> {
  const { appTokenFile, signingSecretFile } = flags;
  const token = await readSecretInput("token", flags);
  if (kind === "slack" && !appTokenFile && !signingSecretFile && !process.stdin.isTTY)
    throw new Failure(
      "Slack needs a second secret: --app-token-file FILE (Socket Mode, xapp-…) or --signing-secret-file FILE (HTTP mode).",
    );
  const appToken =
    appTokenFile || (kind === "slack" && !signingSecretFile)
      ? await readSecretInput("app-level token", fileFlag(appTokenFile))
      : undefined;
  const signingSecret = signingSecretFile
    ? await readSecretInput("signing secret", fileFlag(signingSecretFile))
    : undefined;
  return {
    token,
    ...(appToken ? { appToken } : {}),
    ...(signingSecret ? { signingSecret } : {}),
  };
}

function fileFlag(tokenFile: string | undefined) {
  return tokenFile === undefined ? {} : { tokenFile };
}

function addRest(channel: Command): void {
  channel
    .command("list")
    .description("the channels and how they are")
    .action((_, command: Command) =>
      report(command, { name: "channel.list", input: {} }, (rows) =>
        rows.length === 0
          ? "There are no channels. Add one with: sallyport channel add telegram"
          : table(rows, [
              { title: "ID", of: (row) => row.id },
              { title: "KIND", of: (row) => row.kind },
              { title: "STATE", of: (row) => row.state },
              { title: "SECRET", of: (row) => row.token },
              { title: "LAST EVENT", of: (row) => when(row.lastEvent) },
              { title: "LAST ERROR", of: (row) => row.lastError ?? "-" },
            ]),
      ),
    );
  channel
    .command("rm <id>")
    .description("close a channel and forget its token")
    .action((id: string, _: unknown, command: Command) =>
      report(command, { name: "channel.rm", input: { id } }, (value) => `${value.id} is removed.`),
    );
  channel
    .command("test <id>")
    .description("is it connected? a mailbox: do both ends let it in?")
    .action(async (id: string, _: unknown, command: Command) => {
      const rows = await operate(command, "channel.list", {});
      if (rows.some((row) => row.id === id && row.kind === "email")) {
        const { testMailbox } = await import("../mail-test.ts");
        return testMailbox(id, command);
      }
      return report(
        command,
        { name: "channel.test", input: { id } },
        (value) => `${value.id} is ${value.state}.`,
      );
    });
}
