// sallyport start: its flags; what it does is loaded when it is asked for.
import { Command, Option } from "commander";
import { Failure } from "../operator.ts";

export function addStart(root: Command): void {
  const start = new Command("start")
    .description("run the gateway; at a terminal the chat opens right there")
    .option("--agent <name>", "workspace (built in), claude, codex, opencode, gemini")
    .option("--command <line>", "any other agent that speaks ACP: 'PROGRAM ARGS'")
    .addOption(
      new Option("--sandbox <name>", "what the agent runs in; local isolates nothing").choices([
        "docker",
        "local",
      ]),
    )
    .option("--image <name>", "image of the sandbox, instead of one made of this machine's files")
    .addOption(list("--mount <dir[:ro]>", "a further folder that the agent sees; :ro to read only"))
    .addOption(list("--env <name=value>", "a variable of the agent's environment"))
    .addOption(list("--secret <name>", "a secret put into the agent's environment: risky"))
    .option("--read-only", "the agent may look at the workspace, and change nothing in it")
    .option("--host <host>", "serve the page on this address")
    .addOption(new Option("--port <n>", "serve the page on this port").argParser(portOf))
    .option("--allow-open-bind", "really serve it to other machines without TLS in front")
    .addOption(
      new Option("--public-access <who>", "let people without a pairing talk to the agent").choices(
        ["anyone"],
      ),
    )
    .option("--allow-anonymous-on-host", "really let them, with a sandbox that isolates nothing")
    .option("--playground", "in a playground folder of this clone, unless --workspace is given")
    .action(async (_, command: Command) => {
      const { start: run } = await import("../start.ts");
      await run(command);
    });
  root.addCommand(start);
}

/** May be given several times. */
function list(flags: string, description: string): Option {
  const option = new Option(flags, description);
  return option.argParser((value: string, before?: string[]) => [...(before ?? []), value]);
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new Failure(`--port ${JSON.stringify(text)} is not a port: give a number from 0 to 65535.`);
}
