// sallyport pair: who may talk to the agent.
import type { Command } from "commander";
import type { Invitation } from "../../admin/pair.ts";
import { report } from "../operator.ts";
import { table, when } from "../output.ts";

export function addPair(root: Command): void {
  const pair = root.command("pair").description("who may talk to the agent");
  addInvite(pair);
  addLink(pair);
  addList(pair);
  addChanges(pair);
}

function addList(pair: Command): void {
  pair
    .command("list")
    .description("the pairings and their accounts")
    .action((_, command: Command) =>
      report(command, { name: "pair.list", input: {} }, (rows) =>
        rows.length === 0
          ? "Nobody is paired. Invite somebody with: sallyport pair invite --name NAME"
          : table(rows, [
              { title: "NAME", of: (row) => row.name },
              { title: "ROLE", of: (row) => row.role },
              { title: "KIND", of: (row) => row.kind },
              { title: "ACCOUNTS", of: (row) => accountsText(row.accounts) },
              { title: "SESSIONS", of: (row) => String(row.sessions) },
              { title: "LAST TASK", of: (row) => when(row.lastTaskAt) },
            ]),
      ),
    );
}

function addChanges(pair: Command): void {
  pair
    .command("set <name>")
    .description("change a pairing; acts at once")
    .option("--role <role>", "owner or authenticated")
    .option("--rotate", "make a new token; the old one stops counting")
    .action(
      (
        name: string,
        flags: { role?: "owner" | "authenticated"; rotate?: boolean },
        command: Command,
      ) =>
        report(command, { name: "pair.set", input: { name, ...flags } }, (value) =>
          [
            `${value.name} is ${value.role}.`,
            ...("token" in value && value.token ? [`New token, shown once: ${value.token}`] : []),
          ].join("\n"),
        ),
    );
  pair
    .command("unlink <name> <channel>")
    .description("take a pairing's accounts on a channel away; acts at once")
    .action((name: string, channel: string, _: unknown, command: Command) =>
      report(
        command,
        { name: "pair.unlink", input: { name, channel } },
        (value) =>
          `${value.name} has no account on ${channel} any more (${value.unlinked.join(", ")}).`,
      ),
    );
  pair
    .command("rm <name>")
    .description("remove a pairing, its accounts and its work; acts at once")
    .option("--purge", "remove its home as well")
    .action((name: string, flags: { purge?: boolean }, command: Command) =>
      report(
        command,
        { name: "pair.rm", input: { name, ...flags } },
        ({ name: removed, purged, again }) =>
          `${removed} is removed${purged ? ", with its home" : ""}.${again ? letsInAgain(again) : ""}`,
      ),
    );
}

function addLink(pair: Command): void {
  pair
    .command("link <name> <channel> <account>")
    .description("say whose an account is, without a code, e.g. of another bot; acts at once")
    .action((name: string, channel: string, account: string, _: unknown, command: Command) =>
      report(
        command,
        { name: "pair.link", input: { name, channel, account } },
        (value) =>
          `${value.account} on ${value.channel} is ${value.name} now (${value.role})${value.movedFrom ? `, no longer ${value.movedFrom}` : ""}.`,
      ),
    );
}

function addInvite(pair: Command): void {
  pair
    .command("invite")
    .description("make a code that links an account, once, within 15 minutes")
    .requiredOption("--name <name>", "the pairing: a new one, or one that gets one more account")
    .option("--role <role>", "owner or authenticated", "authenticated")
    .action((flags: { name: string; role: "owner" | "authenticated" }, command: Command) =>
      report(command, { name: "pair.invite", input: flags }, invitationText),
    );
}

function letsInAgain(entries: readonly string[]): string {
  return ` The next mail from there is let in again, as long as access.allowEmail has ${entries.join(", ")}. Take that out with: sallyport config drop access.allowEmail ${entries.join(" ")}`;
}

function invitationText(invitation: Invitation): string {
  const { code, name, role, expiresAt, join, links, mailboxes, page } = invitation;
  const forward = links.map(({ listener, url }) => `  ${listener}: ${url}`);
  return [
    `Code for ${name} (${role}), until ${when(expiresAt)}, shown once: ${code}`,
    "",
    `In a direct chat with the bot: ${join}`,
    ...(mailboxes.length > 0
      ? [`Or by mail to ${mailboxes.join(" or ")}, as the first line.${atMost(role)}`]
      : []),
    ...(forward.length > 0 ? ["Or forward this link:", ...forward] : []),
    ...(page ? [`Or in a browser, typing the code: ${page}`] : []),
  ].join("\n");
}

/** A code that is mailed could have been read on its way. */
function atMost(role: Invitation["role"]): string {
  return role === "owner" ? " By mail it makes at most authenticated." : "";
}

function accountsText(
  accounts: readonly { listener: string; account: string; name: string; most: string | null }[],
): string {
  if (accounts.length === 0) return "-";
  return accounts
    .map(
      ({ listener, account, name, most }) =>
        `${listener}:${account} (${name}${most ? `, at most ${most}` : ""})`,
    )
    .join(", ");
}
