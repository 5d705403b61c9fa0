// sallyport email: whom a mail is from, as the gateway finds it out.
import type { Command } from "commander";

export function addEmail(root: Command): void {
  root
    .command("email")
    .description("mails, looked at by the rules of a mailbox")
    .command("check <file>")
    .description("whom a mail (.eml, or - for standard input) is from, rule by rule")
    .option("--dns <host:port>", "DNS server for keys and policies, e.g. 127.0.0.1:53")
    .option("--to <address>", "the mailbox it was sent to; that of the only email channel else")
    .action(async (file: string, flags: { dns?: string; to?: string }, command: Command) => {
      const { checkMailFile } = await import("../mail-check.ts");
      await checkMailFile(file, flags, command);
    });
}
