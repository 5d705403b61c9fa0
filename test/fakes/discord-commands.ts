// The slash commands that a bot registers, checked as Discord does.
import type { Platform } from "./discord-events.ts";
import type { Request } from "./discord-messages.ts";
import { badForm, type Json, RestFailure } from "./discord-types.ts";

const MOST = 100;
const OPTIONS = 25;
const NAME = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;

export function putCommands({ world }: Platform, { path, body }: Request): Json[] {
  if (path.application !== world.me.id)
    throw new RestFailure(403, {
      ...{
        code: 20012,
        message: "You are not authorized to perform this action on this application",
      },
    });
  const list = Array.isArray(body.list) ? (body.list as Json[]) : [];
  if (list.length > MOST)
    throw new RestFailure(400, {
      ...{ code: 30032, message: "Maximum number of application commands reached (100)." },
    });
  checkAll(list, "");
  const made = list.map((command) => ({
    ...{ type: 1, ...command, id: world.id(), application_id: world.me.id, version: world.id() },
    ...(path.guild && { guild_id: path.guild }),
  }));
  world.commands.set(path.guild ?? "", made);
  return made;
}

function checkAll(list: readonly Json[], at: string): void {
  const names = new Set<unknown>();
  for (const [index, { name, description, options }] of list.entries()) {
    const path = `${at}${index}`;
    if (typeof name !== "string" || !NAME.test(name) || name !== name.toLowerCase())
      throw badForm({
        [`${path}.name`]: {
          code: "APPLICATION_COMMAND_INVALID_NAME",
          message: "Command name is invalid",
        },
      });
    if (typeof description !== "string" || description === "" || [...description].length > 100)
      throw badForm({
        [`${path}.description`]: {
          code: "BASE_TYPE_BAD_LENGTH",
          message: "Must be between 1 and 100 in length.",
        },
      });
    if (names.has(name))
      throw badForm({
        [path]: {
          code: "APPLICATION_COMMANDS_DUPLICATE_NAME",
          message: "Application command names must be unique",
        },
      });
    names.add(name);
    const inner = Array.isArray(options) ? (options as Json[]) : [];
    if (inner.length > OPTIONS)
      throw badForm({
        [`${path}.options`]: {
          code: "BASE_TYPE_MAX_LENGTH",
          message: `Must be ${OPTIONS} or fewer in length.`,
        },
      });
    checkAll(inner, `${path}.options.`);
  }
}
