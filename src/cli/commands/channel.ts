// sallyport channel: where callers arrive.
import type { Command } from "commander";
import { Failure, report } from "../operator.ts";
import { table, when } from "../output.ts";
import { readSecretInput } from "../secret-input.ts";

interface AddFlags {
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
  channel
    .command("add <kind>")
    .description(
      "add a channel: telegram, discord or slack; its token comes by file, - (standard input) or a hidden prompt",
    )
    .option("--id <id>", "its name here, when there are several of a kind")
    .option("--token-file <file>", "read the token from a file, or - for standard input")
    .option("--token <token>", "the token itself (stays in the shell's history)")
    .option("--app-token-file <file>", "slack: the app-level token of Socket Mode, likewise")
    .option("--signing-secret-file <file>", "slack: the signing secret of HTTP mode, likewise")
    .option("--api-root <url>", "base URL of the platform's API, for a server of your own")
    .option("--pace <on|off>", "keep to the platform's published limits")
    .action(async (kind: string, flags: AddFlags, command: Command) => {
      const { id = kind, apiRoot, pace } = flags;
      const input = {
        id,
        kind: kind as ChannelKind,
        secrets: await secretsFrom(kind, flags),
        ...(apiRoot === undefined ? {} : { apiRoot }),
        ...(pace === undefined ? {} : { pace }),
      };
      await report(command, { name: "channel.add", input }, (value) =>
        value.trouble
          ? `${value.id} is added, but not connected: ${value.trouble.replace(/\.$/, "")}. It tries again by itself; see: sallyport doctor`
          : value.open
            ? `${value.id} is added and open. Invite somebody with: sallyport pair invite --name NAME`
            : `${value.id} is added. It opens with: sallyport start`,
      );
    });
}

type ChannelKind = "telegram" | "discord" | "slack";

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
              { title: "TOKEN", of: (row) => row.token },
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
    .description("is it connected?")
    .action((id: string, _: unknown, command: Command) =>
      report(
        command,
        { name: "channel.test", input: { id } },
        (value) => `${value.id} is ${value.state}.`,
      ),
    );
}
