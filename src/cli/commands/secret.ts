// sallyport secret: tokens and keys; their values are never shown.
import type { Command } from "commander";
import { report } from "../operator.ts";
import { table } from "../output.ts";
import { readSecretInput, type SecretFlags } from "../secret-input.ts";

export function addSecret(root: Command): void {
  const secret = root.command("secret").description("tokens and keys; never shown");
  secret
    .command("set <name> [value]")
    .description("set a secret: by --token-file, - (standard input) or a hidden prompt")
    .option("--token-file <file>", "read it from a file, or - for standard input")
    .option("--token <value>", "the value itself (stays in the shell's history)")
    .action(
      async (name: string, value: string | undefined, flags: SecretFlags, command: Command) => {
        const given = value === undefined ? flags : { ...flags, token: value };
        const input = { name, value: await readSecretInput("secret", given) };
        await report(command, { name: "secret.set", input }, () => `${name} is set.`);
      },
    );
  secret
    .command("list")
    .description("the names of the secrets")
    .action((_, command: Command) =>
      report(command, { name: "secret.list", input: {} }, (rows) =>
        rows.length === 0
          ? "There are no secrets."
          : table(rows, [{ title: "NAME", of: (row) => row.name }]),
      ),
    );
  secret
    .command("rm <name>")
    .description("remove a secret")
    .action((name: string, _: unknown, command: Command) =>
      report(command, { name: "secret.rm", input: { name } }, () => `${name} is removed.`),
    );
}
