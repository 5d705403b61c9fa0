// The command menu: Discord's slash commands, the same in direct chats and in servers.
import type { REST } from "discord.js";
import type { MenuEntry } from "../../src/core/channel.ts";
import { describe } from "./errors.ts";
import { cutTo } from "./message-body.ts";

const text = {
  type: 3,
  name: "text",
  description: "What comes after the command",
  required: false,
} as const;
const descriptionMost = 100;

export async function setMenu(
  rest: REST,
  { application, token }: { readonly application: string; readonly token: string },
  commands: readonly MenuEntry[],
): Promise<void> {
  const body = commands.map(({ command, description, groupsOnly = false }) => ({
    type: 1,
    name: command.toLowerCase(),
    description: cutTo(description, descriptionMost),
    options: [text],
    // In servers and in the bot's own direct chats, for who added the bot there: nowhere else is it heard.
    dm_permission: !groupsOnly,
    contexts: groupsOnly ? [0] : [0, 1],
    integration_types: [0],
  }));
  try {
    await rest.put(`/applications/${application}/commands`, { body });
  } catch (error) {
    throw new Error(`The slash commands could not be set: ${describe(error, token)}`);
  }
}
