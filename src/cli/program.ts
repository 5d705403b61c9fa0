// The commands, their flags and their help; what they do is loaded when it is asked for.
import { Command, CommanderError } from "commander";
import { addAgent } from "./commands/agent.ts";
import { addApproval } from "./commands/approval.ts";
import { addAudit } from "./commands/audit.ts";
import { addChannel } from "./commands/channel.ts";
import { addChat } from "./commands/chat.ts";
import { addConfig } from "./commands/config.ts";
import { addDoctor } from "./commands/doctor.ts";
import { addEmail } from "./commands/email.ts";
import { addImage } from "./commands/image.ts";
import { addLink } from "./commands/link.ts";
import { addPair } from "./commands/pair.ts";
import { addSecret } from "./commands/secret.ts";
import { addStart } from "./commands/start.ts";
import { addTask } from "./commands/task.ts";
import { complain } from "./output.ts";

const usage = 2;
const failure = 1;

export function program(): Command {
  const root = new Command("sallyport")
    .description(
      "Chat with an AI agent where you already are, and approve what it does with a button.",
    )
    .option("--workspace <dir[:ro]>", "the folder the agent works in; :ro to look at only", ".")
    .option("--state <dir>", "where the state of this workspace is kept")
    .option("--json", "print JSON")
    .showHelpAfterError("(see sallyport --help)")
    .configureHelp({ showGlobalOptions: true })
    .enablePositionalOptions(false);
  for (const add of [
    addStart,
    addChat,
    addLink,
    addPair,
    addChannel,
    addEmail,
    addConfig,
    addSecret,
    addAgent,
    addImage,
    addTask,
    addApproval,
    addAudit,
    addDoctor,
  ])
    add(root);
  exitInsteadOfLeaving(root);
  return root;
}

function exitInsteadOfLeaving(command: Command): void {
  command.exitOverride();
  for (const child of command.commands) exitInsteadOfLeaving(child);
}

export async function run(argv: readonly string[]): Promise<void> {
  try {
    await program().parseAsync([...argv]);
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : usage;
      return;
    }
    complain(error instanceof Error ? error.message : String(error));
    process.exitCode = failure;
  }
}
