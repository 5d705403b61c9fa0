// sallyport doctor: what is wrong, and what to do about it.
import type { Command } from "commander";
import { visibleLine } from "../../core/visible.ts";
import { operate, wantsJson } from "../operator.ts";
import { print, printJson } from "../output.ts";

const marks = { ok: "ok   ", risk: "!    ", wrong: "WRONG" } as const;

export function addDoctor(root: Command): void {
  root
    .command("doctor")
    .description("look for what is wrong: files, settings, channels, agent, clock, disk")
    .option("--fix", "close what is open to other users")
    .action(async (flags: { fix?: boolean }, command: Command) => {
      const diagnosis = await operate(command, "doctor", flags);
      if (wantsJson(command)) printJson(diagnosis);
      else {
        for (const { check, state, text } of diagnosis.findings)
          print(`${marks[state]}  ${check.padEnd(18)}  ${visibleLine(text)}`);
      }
      if (!diagnosis.healthy) process.exitCode = 1;
    });
}
