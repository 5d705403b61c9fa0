// The table of API methods that answer at once. getUpdates is the queue's, see telegram-server.ts.
import { getFile, sendDocument, sendPhoto } from "./telegram-documents.ts";
import {
  answerCallbackQuery,
  deleteMessage,
  editMessageCaption,
  editMessageReplyMarkup,
  editMessageText,
  type MethodCall,
  sendChatAction,
  sendMessage,
} from "./telegram-messages.ts";
import { intParam, isRecord, jsonParam } from "./telegram-params.ts";
import { badRequest } from "./telegram-types.ts";

export const METHODS: Record<string, (call: MethodCall) => unknown> = {
  answerCallbackQuery,
  deleteMessage,
  deleteMyCommands,
  editMessageCaption,
  editMessageReplyMarkup,
  editMessageText,
  getChat,
  getFile,
  getMyCommands,
  sendChatAction,
  sendDocument,
  sendMessage,
  sendPhoto,
  setMyCommands,
};

/** Those that count against the rate limits. Typing does not; edits do. */
export function isPaced(method: string): boolean {
  return (method.startsWith("send") && method !== "sendChatAction") || method.startsWith("edit");
}

function getChat({ world, params }: MethodCall): Record<string, unknown> {
  const { chat } = world.roomForBot(intParam(params, "chat_id"));
  return { ...chat, accent_color_id: 0, max_reaction_count: 11, accepted_gift_types: {} };
}

function setMyCommands({ world, params }: MethodCall): true {
  const commands = jsonParam(params, "commands");
  if (!Array.isArray(commands)) throw badRequest("expected an Array of BotCommand");
  if (commands.length > 100) throw badRequest("BOT_COMMANDS_TOO_MUCH");
  for (const given of commands) {
    const { command, description } = isRecord(given) ? given : {};
    if (typeof command !== "string" || !/^[a-z0-9_]{1,32}$/.test(command))
      throw badRequest("BOT_COMMAND_INVALID");
    if (typeof description !== "string" || description === "" || description.length > 256)
      throw badRequest("BOT_COMMAND_DESCRIPTION_INVALID");
  }
  world.commands.set(scopeOf(params), commands);
  return true;
}

function getMyCommands({ world, params }: MethodCall): unknown {
  return world.commands.get(scopeOf(params)) ?? [];
}

function deleteMyCommands({ world, params }: MethodCall): true {
  world.commands.delete(scopeOf(params));
  return true;
}

function scopeOf(params: MethodCall["params"]): string {
  const scope = jsonParam(params, "scope") ?? { type: "default" };
  return `${JSON.stringify(scope)} ${String(params.language_code ?? "")}`;
}
