// A person's side of the fake platform: writing, editing, pressing buttons, and what the bot then hears of it.
import { withoutReply } from "./telegram-content.ts";
import { describe, photoSizes } from "./telegram-documents.ts";
import { findEntities } from "./telegram-entities.ts";
import type { Button, Entity, FakeChat, FakeMessage, FakeUser } from "./telegram-types.ts";
import type { UpdateQueue } from "./telegram-updates.ts";
import type { Room, StoredFile, World } from "./telegram-world.ts";

interface FileSpec {
  name?: string;
  mime?: string;
  content?: string | Uint8Array;
  /** For a file that only pretends to be large. */
  size?: number;
}

/** What goes with a message. Anything else that the Bot API knows may be given as it is. */
export interface SendExtra {
  document?: FileSpec;
  photo?: FileSpec;
  voice?: FileSpec;
  video?: FileSpec;
  audio?: FileSpec;
  sticker?: FileSpec;
  /** The id of the message that is answered. */
  reply_to?: number;
  message_thread_id?: number;
  /** Entities beyond those that the platform finds by itself. */
  entities?: Entity[];
  /** A chat that speaks in place of the person: anonymous administrators, linked channels. */
  sender_chat?: FakeChat;
  [field: string]: unknown;
}

export interface Sent {
  messageId: number;
  /** Undefined when the bot is not told: privacy mode, or its allowed_updates. */
  updateId: number | undefined;
}

export interface Pressed {
  queryId: string;
  updateId: number | undefined;
}

export interface Platform {
  world: World;
  queue: UpdateQueue;
  /** In groups the bot hears only commands, mentions and replies to it. */
  privacy: boolean;
  changed: () => void;
}

const FILE_FIELDS = ["document", "photo", "voice", "video", "audio", "sticker"] as const;
const ANONYMOUS_ADMIN: FakeUser = {
  id: 1087968824,
  is_bot: true,
  first_name: "Group",
  username: "GroupAnonymousBot",
};
const LINKED_CHANNEL: FakeUser = { id: 777000, is_bot: false, first_name: "Telegram" };
const CHANNEL_AUTHOR: FakeUser = {
  id: 136817688,
  is_bot: true,
  first_name: "Channel",
  username: "Channel_Bot",
};

export class Person {
  readonly user: FakeUser;
  readonly #platform: Platform;

  constructor(user: FakeUser, platform: Platform) {
    this.user = user;
    this.#platform = platform;
  }

  /** With an attachment the text is its caption. */
  sends(chat: FakeChat | number, text: string, extra: SendExtra = {}): Sent {
    const { world, queue, changed } = this.#platform;
    const room = world.roomOf(idOf(chat));
    const { content, file } = contentOf(world, text, extra);
    const message: FakeMessage = {
      message_id: world.nextMessageId(room),
      date: world.seconds,
      chat: room.chat,
      from: authorOf(this.user, room, extra),
      ...placeOf(world, room, extra),
      ...content,
    };
    world.store(room, message, file ? { file } : {});
    const updateId = this.#isHeard(room, message) ? queue.push({ message }) : undefined;
    changed();
    return { messageId: message.message_id, updateId };
  }

  edits(chat: FakeChat | number, messageId: number, text: string): Sent {
    const { world, queue, changed } = this.#platform;
    const room = world.roomOf(idOf(chat));
    const stored = world.find(room, messageId);
    if (!stored) throw new Error(`there is no message ${messageId} to edit`);
    const caption = stored.message.text === undefined;
    const { entities: _e, caption_entities: _c, ...old } = stored.message;
    stored.message = {
      ...old,
      ...shownText(text, { caption, more: [] }),
      edit_date: world.seconds,
    };
    stored.edits += 1;
    const updateId = queue.push({ edited_message: stored.message });
    changed();
    return { messageId, updateId };
  }

  /** `button` is a label or the data. With `inaccessible` the bot gets no message, and `button` is taken as the data. */
  presses(
    chat: FakeChat | number,
    messageId: number,
    button: string,
    { inaccessible = false }: { inaccessible?: boolean } = {},
  ): Pressed {
    const { world, queue, changed } = this.#platform;
    const room = world.roomOf(idOf(chat));
    const stored = world.find(room, messageId);
    const message = inaccessible
      ? { chat: room.chat, message_id: messageId, date: 0 }
      : stored?.message;
    if (!message) throw new Error(`there is no message ${messageId} with buttons`);
    const data = findButton(stored?.message, button)?.callback_data;
    if (data === undefined && !inaccessible)
      throw new Error(`message ${messageId} has no button ${JSON.stringify(button)} to press`);
    const queryId = String(4_000_000_000_000 + world.serial());
    const at = world.now();
    world.presses.set(queryId, {
      ...{ id: queryId, from: this.user, chatId: room.chat.id, messageId, at, answers: [] },
    });
    const chatInstance = String(7_000_000 + Math.abs(room.chat.id));
    const updateId = queue.push({
      callback_query: {
        ...{ id: queryId, from: this.user, message, data: data ?? button },
        chat_instance: chatInstance,
      },
    });
    changed();
    return { queryId, updateId };
  }

  #isHeard(room: Room, message: FakeMessage): boolean {
    const { privacy, world } = this.#platform;
    if (!privacy || room.chat.type === "private") return true;
    const text = message.text ?? message.caption ?? "";
    const mention = `@${world.me.username ?? ""}`.toLowerCase();
    return (
      text.startsWith("/") ||
      text.toLowerCase().includes(mention) ||
      message.reply_to_message?.from?.id === world.me.id
    );
  }
}

function findButton(message: FakeMessage | undefined, wanted: string): Button | undefined {
  const buttons = message?.reply_markup?.inline_keyboard.flat() ?? [];
  return (
    buttons.find((button) => button.text === wanted) ??
    buttons.find((button) => button.callback_data === wanted)
  );
}

export function idOf(chat: FakeChat | number): number {
  return typeof chat === "number" ? chat : chat.id;
}

function authorOf(user: FakeUser, room: Room, { sender_chat, ...extra }: SendExtra): FakeUser {
  if (!sender_chat) return user;
  if (extra.is_automatic_forward) return LINKED_CHANNEL;
  return sender_chat.id === room.chat.id ? ANONYMOUS_ADMIN : CHANNEL_AUTHOR;
}

function contentOf(
  world: World,
  text: string,
  extra: SendExtra,
): { content: Partial<FakeMessage>; file: StoredFile | undefined } {
  const { reply_to: _reply, entities = [], ...content } = extra;
  const field = FILE_FIELDS.find((name) => extra[name] !== undefined);
  const spec = field && extra[field];
  const file = field && spec ? world.addFile(fileOf(field, spec)) : undefined;
  if (field && file) Object.assign(content, { [field]: shownFile(field, file) });
  const shown =
    text === "" ? {} : shownText(text, { caption: field !== undefined, more: entities });
  return { content: { ...content, ...shown } as Partial<FakeMessage>, file };
}

function fileOf(field: string, spec: FileSpec): Parameters<World["addFile"]>[0] {
  const bytes =
    spec.content === undefined && spec.size !== undefined
      ? undefined
      : new Uint8Array(Buffer.from(spec.content ?? "content"));
  return {
    name: spec.name ?? `${field}.bin`,
    mime: spec.mime ?? "application/octet-stream",
    size: spec.size ?? bytes?.length ?? 0,
    bytes,
    folder: `${field}s`,
  };
}

function shownFile(field: string, file: StoredFile): unknown {
  if (field === "photo") return photoSizes(file);
  if (field === "document") return describe(file);
  const { file_name: _name, ...rest } = describe(file);
  if (field === "sticker")
    return { ...rest, type: "regular", width: 512, height: 512, is_animated: false, emoji: "👍" };
  return { ...rest, duration: 3 };
}

function shownText(
  text: string,
  { caption, more }: { caption: boolean; more: Entity[] },
): Partial<FakeMessage> {
  const entities = [...findEntities(text), ...more].sort((a, b) => a.offset - b.offset);
  const found = entities.length > 0;
  if (caption) return { caption: text, ...(found && { caption_entities: entities }) };
  return { text, ...(found && { entities }) };
}

/**
 * Inside a topic the platform lets every message answer the topic's first one. A reply outside of topics
 * carries a thread id that names no topic, and has no is_topic_message.
 */
function placeOf(world: World, room: Room, extra: SendExtra): Partial<FakeMessage> {
  const topic = extra.message_thread_id;
  const replied = world.find(room, extra.reply_to)?.message;
  if (extra.reply_to !== undefined && !replied)
    throw new Error(`there is no message ${extra.reply_to} to reply to`);
  const opening = topic === undefined ? undefined : room.topics.get(topic);
  const answered = replied ?? opening;
  const reply = answered ? { reply_to_message: withoutReply(answered) } : {};
  if (topic !== undefined)
    return { message_thread_id: topic, ...(opening && { is_topic_message: true }), ...reply };
  if (replied && room.chat.type === "supergroup")
    return { message_thread_id: replied.message_thread_id ?? replied.message_id, ...reply };
  return reply;
}
