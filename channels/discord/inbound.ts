// From Discord's messages to events: pure. What no person said to us ends here.
import type { APIMessage } from "discord.js";
import type { EventSender, InboundMessage, MessageRef } from "../../src/core/events.ts";
import type { ChatRef } from "../../src/core/words.ts";
import { filesOf, nameOfUser, quoteOf, unreadableOf } from "./content.ts";
import { addressing, type Me, type Names, readable } from "./mention.ts";
import { type Room, titleOf } from "./rooms.ts";
import { timeOf } from "./snowflake.ts";

export interface Bot extends Me {
  readonly allowBots: boolean;
}

export interface Where {
  readonly room: Room;
  readonly names: Names;
}

/** The gateway says more of the author than an answer to a request. */
export type Message = APIMessage & { readonly member?: { readonly nick?: string | null } };

const ordinary = 0;
const reply = 19;

/** Null: not for us. Throws for what is no message. */
export function messageEvent(message: Message, where: Where, bot: Bot): InboundMessage | null {
  const { room, names } = where;
  const sender = senderOf(message, bot);
  if (!sender || !isSpoken(message) || saysNothing(message)) return null;
  const { text, addressed } = addressing(message, bot, names);
  const unreadable = unreadableOf(message);
  const { quote } = quoteOf(message, bot.id);
  const replied = message.referenced_message;
  return {
    kind: "message",
    key: keyOf(message, bot.id),
    at: timeOf(message.id),
    chat: room.chat,
    sender,
    message: refOf(room.chat, message.id),
    text,
    ...titleOf(room),
    addressed: room.chat.kind === "direct" || addressed,
    ...(quote && replied
      ? {
          quote: {
            ...quote,
            text: readable(quote.text, replied, { me: bot, names }),
            message: refOf(room.chat, replied.id),
          },
        }
      : {}),
    files: filesOf(message),
    ...(unreadable === undefined ? {} : { unreadable }),
  };
}

/** Null also where only a preview or a pin was added: the person changed nothing. */
export function editEvent(message: Message, where: Where, bot: Bot): InboundMessage | null {
  const { edited_timestamp: edited, author } = message;
  const at = Date.parse(edited ?? "");
  if (!author || Number.isNaN(at)) return null;
  const event = messageEvent(message, where, bot);
  return event && { ...event, key: `${event.key}:edit:${at}`, at, edited: { key: event.key } };
}

/** In a server, a message of a person in which Discord hides everything: the intent for message content is missing. */
export function isHidden(message: Message, { room }: Where, bot: Bot): boolean {
  return (
    room.chat.kind === "group" &&
    !isBot(message) &&
    senderOf(message, bot) !== null &&
    isSpoken(message) &&
    saysNothing(message)
  );
}

export function isBot({ author, webhook_id }: Message): boolean {
  return author.bot === true || webhook_id !== undefined;
}

/** Joins, pins, boosts, thread openings and the like are messages too; nobody said them. */
function isSpoken({ type }: Message): boolean {
  return type === ordinary || type === reply;
}

function saysNothing(message: Message): boolean {
  if (message.content !== "" || message.attachments?.length) return false;
  const shown = [message.embeds, message.components, message.message_snapshots];
  return unreadableOf(message) === undefined && !shown.some((some) => some?.length);
}

function senderOf(message: Message, bot: Bot): EventSender | null {
  const { author, member } = message;
  if (author.id === bot.id || author.system) return null;
  if (isBot(message) && !bot.allowBots) return null;
  return { account: idOf(author.id), name: member?.nick || nameOfUser(author) };
}

export function refOf({ id: chat, thread }: ChatRef, id: string): MessageRef {
  return { chat, id, ...(thread === undefined ? {} : { thread }) };
}

function keyOf({ channel_id, id }: Message, bot: string): string {
  return `${bot}:${idOf(channel_id)}:${idOf(id)}`;
}

export function idOf(id: unknown): string {
  if (typeof id !== "string" || !/^\d{1,20}$/.test(id)) throw new Error("an id is not a number");
  return id;
}
