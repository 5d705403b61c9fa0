// From Telegram's updates to events: pure. What no person said to us ends here.
import type { CallbackQuery, Message, Update } from "grammy/types";
import type {
  ButtonPress,
  EventSender,
  InboundEvent,
  InboundMessage,
} from "../../src/core/events.ts";
import type { ChatRef } from "../../src/core/words.ts";
import { memberChange, migration } from "./chat-change.ts";
import { filesOf, quoteOf, unreadableOf } from "./content.ts";
import { addressing, type Me } from "./mention.ts";

export interface Bot extends Me {
  /** For presses, which carry no time of their own. */
  now(): number;
}

/** Null: not for us. Throws for what is no update. */
export function toInboundEvent(update: Update, bot: Bot): InboundEvent | null {
  if (update.message) return messageEvent(update.message, bot);
  if (update.edited_message) return messageEvent(update.edited_message, bot);
  if (update.callback_query) return pressEvent(update.callback_query, bot);
  if (update.my_chat_member) return memberChange(update.my_chat_member, bot.id);
  return null;
}

function messageEvent(message: Message, bot: Bot): InboundEvent | null {
  const moved = migration(message, bot.id);
  if (moved) return moved;
  const sender = personOf(message, bot.id);
  const chat = chatOf(message);
  if (!sender || !chat) return null;
  const files = filesOf(message);
  const unreadable = unreadableOf(message);
  const said = message.text ?? message.caption;
  // Somebody joined, a title changed, a message was pinned: nothing was said.
  if (said === undefined && files.length === 0 && unreadable === undefined) return null;
  const { text, addressed } = addressing(message, bot);
  const key = keyOf(message, bot.id);
  const event: InboundMessage = {
    kind: "message",
    key,
    at: message.date * 1000,
    chat,
    sender,
    message: refOf(message),
    text,
    addressed: chat.kind === "direct" || addressed,
    ...quoteOf(message, bot.id),
    files,
    ...(message.media_group_id ? { album: message.media_group_id } : {}),
    ...(unreadable === undefined ? {} : { unreadable }),
  };
  if (message.edit_date === undefined) return event;
  const edit = { key: `${key}:edit:${message.edit_date}`, at: message.edit_date * 1000 };
  return { ...event, ...edit, edited: { key } };
}

function pressEvent(query: CallbackQuery, bot: Bot): ButtonPress | null {
  const { id, data, from, message } = query;
  if (data === undefined || from.is_bot) return null;
  const direct: ChatRef = { id: String(from.id), kind: "direct" };
  // A message that is too old comes without its content, and with the date 0; its chat and id are still true.
  const chat = message ? chatOf(message as Message) : direct;
  if (!chat) return null;
  return {
    kind: "press",
    key: `${bot.id}:cb:${id}`,
    at: bot.now(),
    chat,
    sender: senderOf(from),
    press: { id },
    data,
    ...(message ? { message: refOf(message as Message) } : {}),
  };
}

const telegramItself = 777000;

/** Chats that speak (anonymous admins, channels), bots, Telegram itself and our own inline results are no persons. */
function personOf({ from, sender_chat, via_bot }: Message, bot: number): EventSender | null {
  if (!from || from.is_bot || from.id === telegramItself) return null;
  if (sender_chat || via_bot?.id === bot) return null;
  return senderOf(from);
}

export function senderOf(from: NonNullable<Message["from"]>): EventSender {
  const name = [from.first_name, from.last_name].filter(Boolean).join(" ");
  return { account: String(whole(from.id)), name: name || from.username || String(from.id) };
}

function chatOf({ chat, ...message }: Message): ChatRef | null {
  if (chat.type === "channel") return null;
  const kind = chat.type === "private" ? "direct" : "group";
  return { id: String(whole(chat.id)), kind, ...threadOf(message) };
}

/** Replies outside of topics carry a thread id too, which names no topic and must not be answered into. */
function threadOf(message: Pick<Message, "is_topic_message" | "message_thread_id">) {
  const { is_topic_message, message_thread_id: thread } = message;
  return is_topic_message && thread !== undefined ? { thread: String(thread) } : {};
}

function refOf(message: Message) {
  const { chat, message_id } = message;
  return { chat: String(chat.id), id: String(message_id), ...threadOf(message) };
}

/** Message ids of private chats count per bot, so the bot is part of it. */
function keyOf({ chat, message_id }: Message, bot: number): string {
  return `${bot}:${whole(chat.id)}:${whole(message_id)}`;
}

function whole(id: number): number {
  if (!Number.isSafeInteger(id)) throw new Error("an id is not a number");
  return id;
}
