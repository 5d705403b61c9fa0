// sallyport task: what was asked for, and what came of it.
import type { Command } from "commander";
import { usageText } from "../../core/usage.ts";
import { visibleLine } from "../../core/visible.ts";
import { report, wholeNumber } from "../operator.ts";
import { short, table, when } from "../output.ts";

export function addTask(root: Command): void {
  const task = root.command("task").description("what was asked for, and what came of it");
  task
    .command("list")
    .description("the latest tasks")
    .option("--limit <n>", "how many", wholeNumber("--limit"), 50)
    .action((flags: { limit: number }, command: Command) =>
      report(command, { name: "task.list", input: flags }, (rows) =>
        rows.length === 0
          ? "There are no tasks."
          : table(rows, [
              { title: "ID", of: (row) => row.id.slice(0, 8) },
              { title: "STATE", of: (row) => row.state },
              { title: "BY", of: (row) => row.callerName },
              { title: "STARTED", of: (row) => when(row.createdAt) },
              { title: "WHAT", of: (row) => short(row.title) },
            ]),
      ),
    );
  task
    .command("show <id>")
    .description("one task and its turns")
    .action((id: string, _: unknown, command: Command) =>
      report(command, { name: "task.show", input: { id } }, (value) => {
        const { turns, from, usage, callerToday, ...row } = value;
        const fields = [
          ["id", row.id],
          ["state", row.state],
          ["by", `${row.callerName} (${row.caller})`],
          ...from.map(({ address, reason }) => ["from", `${address} — ${reason}`]),
          ["started", when(row.createdAt)],
          ["changed", when(row.updatedAt)],
          ["what", row.title],
          ...(usage.requests > 0 ? [["used", usageText(usage)]] : []),
          ...(callerToday.requests > 0
            ? [["today", `${usageText(callerToday)}, all tasks of this caller`]]
            : []),
          ...(row.reason ? [["reason", row.reason]] : []),
          ...turns.map((turn) => [
            "turn",
            `${turn.state}, run ${turn.run}, ${turn.effects ? "changed something" : "changed nothing"}, ${when(turn.startedAt)}`,
          ]),
        ];
        return fields
          .map(([name = "", text = ""]) => `${name.padEnd(8)} ${visibleLine(text)}`)
          .join("\n");
      }),
    );
  task
    .command("cancel <id>")
    .description("stop a task")
    .action((id: string, _: unknown, command: Command) =>
      report(command, { name: "task.cancel", input: { id } }, (value) => `${value.id} is stopped.`),
    );
}
