// The run command: a command line through the shell, after it was allowed.
import { cut } from "./markdown.ts";
import { openOutput } from "./output.ts";
import { type Ending, runShell } from "./shell.ts";
import { type Action, change, type Result, type Turn } from "./turn.ts";

const limitBytes = 100_000_000;

export async function run(turn: Turn, rest: string): Promise<void> {
  const command = rest.trim();
  if (command === "") return turn.say("Say what to run: `run git status`.");
  if (command.includes("\0")) return turn.say("A command line cannot contain a NUL character.");
  const call: Action = {
    title: `Run ${cut(command, 200)}`,
    kind: "execute",
    rawInput: { command, cwd: turn.root },
  };
  await change(turn, call, () => running(turn, command));
}

async function running(turn: Turn, command: string): Promise<Result> {
  let silent = true;
  const output = openOutput((text) => {
    silent = false;
    void turn.say(text);
  });
  const ending = await runShell({
    command,
    cwd: turn.root,
    signal: turn.signal,
    limitMs: turn.runLimitMs,
    limitBytes,
    onOutput: output.write,
  }).finally(output.end);
  const text = ended(ending, turn.runLimitMs);
  return {
    ok: ending.type === "exit" && ending.code === 0,
    text: silent ? `No output. ${text}` : text,
  };
}

function ended(ending: Ending, limitMs: number): string {
  if (ending.type === "exit") return `Exit code ${ending.code}.`;
  if (ending.type === "signal") return `Ended by the signal ${ending.name}.`;
  if (ending.why === "time") return `Killed: it ran longer than ${limitMs / 1000} seconds.`;
  if (ending.why === "output") return "Killed: it wrote too much.";
  return "Stopped: the command was killed.";
}
