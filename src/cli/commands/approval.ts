// sallyport approval: what waits for a decision.
import type { Command } from "commander";
import { harmless } from "../../core/visible.ts";
import { report } from "../operator.ts";
import { alreadyVisible, short, table, when } from "../output.ts";

interface DecideFlags {
  readonly option?: string;
  readonly reason?: string;
}

/** Nobody decides from a title: what would be done stands below the table, to its end. */
function wholeEffect(row: { readonly id: string; readonly title: string; readonly body: string }) {
  return `\n${row.id.slice(0, 8)} ${alreadyVisible(row.title)}\n${harmless(row.body)}\n`;
}

export function addApproval(root: Command): void {
  const approval = root.command("approval").description("what waits for a decision");
  approval
    .command("list")
    .description("open questions")
    .action((_, command: Command) =>
      report(command, { name: "approval.list", input: {} }, (rows) =>
        rows.length === 0
          ? "Nothing waits for a decision."
          : `${table(rows, [
              { title: "ID", of: (row) => row.id.slice(0, 8) },
              { title: "NUMBER", of: (row) => (row.number === null ? "-" : String(row.number)) },
              { title: "UNTIL", of: (row) => when(row.expiresAt) },
              { title: "OPTIONS", of: (row) => row.options.map(({ key }) => key).join(", ") },
              { title: "WHAT", visible: true, of: (row) => short(row.title) },
            ])}\n${rows.map(wholeEffect).join("")}`,
      ),
    );
  for (const verb of ["allow", "deny"] as const) {
    const command = approval
      .command(`${verb} <question>`)
      .description(`${verb} it, by its id or your number`)
      .option("--reason <text>", "goes with the agent's next prompt");
    if (verb === "allow")
      command.option("--option <key>", "one of its options, when it is not a plain yes or no");
    command.action((question: string, flags: DecideFlags, self: Command) =>
      report(
        self,
        { name: `approval.${verb}`, input: { question, ...flags } },
        (value) => `${verb === "allow" ? "Allowed" : "Denied"}: ${alreadyVisible(value.title)}`,
      ),
    );
  }
}
