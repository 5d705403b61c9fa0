// sallyport audit: every refusal and decision.
import type { Command } from "commander";
import { report, wholeNumber } from "../operator.ts";
import { table, when } from "../output.ts";

interface Flags {
  readonly limit: number;
  readonly who?: string;
  readonly action?: string;
  readonly outcome?: string;
  readonly before?: number;
}

export function addAudit(root: Command): void {
  const audit = root.command("audit").description("every refusal and decision");
  audit
    .command("list")
    .description("newest first")
    .option("--limit <n>", "how many", wholeNumber("--limit"), 50)
    .option("--who <who>", "only of this caller: a name, or an id as in --json")
    .option("--action <action>", "only of this action")
    .option("--outcome <outcome>", "only with this outcome")
    .option(
      "--before <id>",
      "only rows before this one, for the next page",
      wholeNumber("--before"),
    )
    .action((flags: Flags, command: Command) =>
      report(command, { name: "audit.list", input: flags }, (rows) =>
        rows.length === 0
          ? "Nothing is on record."
          : table(rows, [
              { title: "ID", of: (row) => String(row.id) },
              { title: "WHEN", of: (row) => when(row.at) },
              { title: "WHO", visible: true, of: (row) => row.name || row.who },
              { title: "WHERE", visible: true, of: (row) => row.place },
              { title: "ACTION", of: (row) => row.action },
              { title: "OUTCOME", of: (row) => row.outcome },
              { title: "WHAT", visible: true, of: (row) => row.target },
              { title: "WHY", visible: true, of: (row) => row.why },
            ]),
      ),
    );
}
