// Looks whether both ends of a mailbox let it in, with or without a gateway.
import type { Command } from "commander";
import { secretsOf } from "../config/secrets.ts";
import { loadSettings } from "../config/settings-file.ts";
import { Failure, operate, placeFor, wantsJson } from "./operator.ts";
import { print, printJson } from "./output.ts";

export async function testMailbox(id: string, command: Command): Promise<void> {
  const { paths } = placeFor(command);
  const loaded = await loadSettings(paths);
  if (!loaded.ok) throw new Failure(loaded.problem);
  const channel = loaded.settings.channels[id];
  if (!channel) throw new Failure(`The channel ${id} is gone. See: sallyport channel list`);
  const mail = await (await import("../gateway.ts")).mail();
  const { kind, ...config } = channel;
  const secrets = secretsOf(paths, { id, kind });
  if (typeof secrets === "string") throw new Failure(secrets);
  const checked = mail.checkConfig(id, { ...config, ...secrets });
  if (!checked.ok) throw new Failure(checked.problem);
  const { read, sent } = await mail.tryBothEnds(id, checked.config);
  const problems = [read, sent].filter((problem) => problem !== undefined);
  if (problems.length > 0) throw new Failure([...new Set(problems)].join("\n"));
  const state = await stateOf(id, command);
  const { imap, smtp } = checked.config;
  if (wantsJson(command)) printJson({ id, kind, state, imap, smtp });
  else print(`${id} can be read (${imap}) and can send (${smtp}).\n${stateText(id, state)}`);
}

/** In the gateway, where one runs. */
async function stateOf(id: string, command: Command): Promise<string> {
  const rows = await operate(command, "channel.list", {});
  const { state } = rows.find((row) => row.id === id) ?? { state: "not running" };
  return state === "not running" ? state : (await operate(command, "channel.test", { id })).state;
}

function stateText(id: string, state: string): string {
  return state === "not running"
    ? "No gateway runs, so nothing is answered. Start it with: sallyport start"
    : `${id} is ${state}.`;
}
