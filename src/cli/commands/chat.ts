// sallyport chat: the same chat as at `start`, beside a running gateway; scriptable with piped input.
import type { Command } from "commander";
import { readEnvironment } from "../../config/environment.ts";
import { socketOf } from "../../config/paths.ts";
import { call } from "../control-client.ts";
import { Failure, placeFor } from "../operator.ts";

export function addChat(root: Command): void {
  root
    .command("chat")
    .description("chat with the agent, as the owner; with piped input a line is a message")
    .action(async (_, command: Command) => {
      const { paths } = placeFor(command);
      const socket = () => socketOf(paths);
      await checkThere(socket());
      const leave = new AbortController();
      if (process.stdin.isTTY && process.stdout.isTTY) {
        const { openInteractive } = await import("../terminal/interactive.ts");
        const chat = openInteractive({
          socket,
          stdin: process.stdin,
          stdout: process.stdout,
          colour: readEnvironment().colour,
          greeting: "Type a message, /help for what can be said, /quit to leave.",
          signal: leave.signal,
        });
        await chat.ended;
        return;
      }
      const { runScript } = await import("../terminal/script.ts");
      const write = (text: string) => void process.stdout.write(text);
      process.once("SIGINT", () => leave.abort());
      await runScript({ socket, input: process.stdin, write, signal: leave.signal });
    });
}

async function checkThere(socket: string): Promise<void> {
  try {
    await call(socket, { path: "/admin/config.get", body: { key: "log.level" } });
  } catch {
    throw new Failure("No gateway runs on this workspace. Start it with: sallyport start");
  }
}
