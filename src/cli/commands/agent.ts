// sallyport agent: an agent's own log-in, in the home of whoever it is to work for, and a home that is started afresh.
import { Argument, type Command } from "commander";
import { type KnownAgentName, knownAgents } from "../../core/known-agents.ts";
import { harmless } from "../../core/visible.ts";
import { Failure, operate, placeFor, wantsJson } from "../operator.ts";
import { complain, print, printJson } from "../output.ts";

export function addAgent(root: Command): void {
  const agent = root.command("agent").description("agents and their log-ins");
  agent
    .command("login")
    .addArgument(new Argument("<agent>", "which").choices(Object.keys(knownAgents)))
    .description("log an agent in with its own program, instead of giving it a key")
    .option("--as <name>", "the pairing it works for", "local")
    .action(login);
  agent
    .command("reset")
    .argument("<name>", "the pairing whose home it is")
    .description("end somebody's agent and give it an empty home; the last one is kept beside it")
    .action(reset);
}

async function reset(of: string, _: object, command: Command): Promise<void> {
  const { aside, earlierRemoved } = await operate(command, "agent.reset", { of });
  if (wantsJson(command)) return printJson({ name: of, aside, earlierRemoved });
  print(`The agent of ${of} gets an empty home. What was in it lies in ${aside}`);
  if (!earlierRemoved) print("Something that was put aside before could not be removed.");
}

async function login(
  agent: KnownAgentName,
  { as }: { as: string },
  command: Command,
): Promise<void> {
  const { stdin, stdout } = process;
  const place = placeFor(command);
  const to = await operate(command, "agent.home", { as });
  if (to.sandbox === "docker" && !(stdin.isTTY && stdout.isTTY))
    throw new Failure("A log-in needs a terminal. Over SSH: ssh -t");
  const { logInAgent } = await import("../../admin/log-in-agent.ts");
  const cut = new AbortController();
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, () => cut.abort());
  const say = (text: string) => complain(harmless(text));
  const outcome = await logInAgent({
    ...{ place, agent, to, say },
    terminal: { stdin, stdout },
    signal: cut.signal,
  });
  if (!outcome.ok) throw new Failure(outcome.problem);
  await operate(command, "agent.login", { agent, as });
  const { files } = outcome.value;
  if (wantsJson(command)) return printJson({ agent, as, files });
  print(`${agent} is logged in for ${as}: ${files.join(", ")} in ${to.home}`);
  print(
    "It may reach where that is used. A key of the gateway's, where one is set, goes before it.",
  );
}
