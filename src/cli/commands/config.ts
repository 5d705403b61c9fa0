// sallyport config: settings, and what a project asks for.
import { createInterface } from "node:readline/promises";
import type { Command } from "commander";
import type { Changed } from "../../admin/settings.ts";
import type { ProjectFile } from "../../config/project.ts";
import { visibleLine } from "../../core/visible.ts";
import { Failure, operate, report, wantsJson } from "../operator.ts";
import { complain, print, printJson, table } from "../output.ts";

export function addConfig(root: Command): void {
  const config = root.command("config").description("settings of this state; they act at once");
  config
    .command("list")
    .description("all settings, with what is allowed")
    .action((_, command: Command) =>
      report(command, { name: "config.list", input: {} }, (rows) =>
        table(rows, [
          { title: "KEY", of: (row) => row.key },
          { title: "VALUE", of: (row) => valueText(row.value) },
          { title: "DEFAULT", of: (row) => valueText(row.default) },
          { title: "ALLOWED", of: (row) => row.allowed },
          { title: "WHAT IT IS", of: (row) => row.description },
        ]),
      ),
    );
  config
    .command("get <key>")
    .description("one setting")
    .action((key: string, _: unknown, command: Command) =>
      report(command, { name: "config.get", input: { key } }, (row) =>
        visibleLine(valueText(row.value)),
      ),
    );
  config
    .command("set <key> <value...>")
    .description("change a setting; several values make a list")
    .action((key: string, values: string[], _: unknown, command: Command) =>
      report(command, { name: "config.set", input: { key, values } }, showSetting),
    );
  config
    .command("add <key> <value...>")
    .description("add to a setting that is a list; what is in it stays")
    .action((key: string, values: string[], _: unknown, command: Command) =>
      report(command, { name: "config.add", input: { key, values } }, showSetting),
    );
  config
    .command("drop <key> <value...>")
    .description(
      "take out of a setting that is a list; a folder by its path, a variable by its name",
    )
    .action((key: string, values: string[], _: unknown, command: Command) =>
      report(command, { name: "config.drop", input: { key, values } }, showSetting),
    );
  config
    .command("unset <key>")
    .description("back to the default")
    .action((key: string, _: unknown, command: Command) =>
      report(command, { name: "config.unset", input: { key } }, showSetting),
    );
  config
    .command("confirm")
    .description("look at what the project's .sallyport/config.yaml asks for, and let it count")
    .option("--yes", "without asking")
    .action(confirm);
}

function showSetting({ key, value, nextStart, warnings = [] }: Changed): string {
  const from = nextStart ? " It counts from the next start of the gateway." : "";
  return [`${key} is ${visibleLine(valueText(value))}.${from}`, ...warnings].join("\n");
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return "-";
  if (Array.isArray(value)) return value.length === 0 ? "-" : value.join(", ");
  return String(value);
}

export function projectText({
  path,
  unconfirmed,
}: Pick<ProjectFile, "path" | "unconfirmed">): string {
  const lines = unconfirmed.map(({ text, fresh }) => `${fresh ? "!" : " "} ${text}`);
  return [`${path} asks for (! is new or changed):`, ...lines].join("\n");
}

async function confirm(flags: { yes?: boolean }, command: Command): Promise<void> {
  const file = await operate(command, "config.project", {});
  if (file.problem) throw new Failure(`${file.path} does not count: ${file.problem}`);
  if (file.unconfirmed.length === 0) {
    print("The project asks for nothing that is not confirmed.");
    return;
  }
  complain(projectText(file));
  if (!flags.yes && !(await askYes("Let it count?")))
    throw new Failure("Nothing is confirmed. Confirm it with: sallyport config confirm --yes");
  const lines = file.unconfirmed.map((line) => line.text);
  const done = await operate(command, "config.confirm", { lines });
  if (wantsJson(command)) printJson(done);
  else print("It counts from the next start.");
}

/** No without a terminal. */
export async function askYes(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await lines.question(`${question} [y/N] `);
  lines.close();
  return /^y(es)?$/i.test(answer.trim());
}
