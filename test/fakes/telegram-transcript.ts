// What a user would see of a chat: the current state of its messages, structured and as plain text.
import type { Button, Entity, FakeMessage, FakeUser } from "./telegram-types.ts";
import type { Room, StoredMessage, World } from "./telegram-world.ts";

export interface SeenMessage {
  id: number;
  from: FakeUser | undefined;
  byBot: boolean;
  /** The topic, when there is one. */
  thread: number | undefined;
  text: string;
  entities: Entity[];
  buttons: Button[][];
  edits: number;
  replyTo: number | undefined;
  silent: boolean;
  /** Whether the platform would fetch a link of it. */
  linkPreview: boolean;
  file: { name: string; mime: string; size: number; bytes: Uint8Array | undefined } | undefined;
  /** The message as the Bot API shows it. */
  raw: FakeMessage;
}

export function seenMessages(world: World, room: Room): SeenMessage[] {
  const seen: SeenMessage[] = [];
  for (const entry of room.entries.values())
    if (entry.kind === "message") seen.push(seenOf(world, entry));
  return seen;
}

function seenOf(world: World, { message, edits, silent, file }: StoredMessage): SeenMessage {
  const text = message.text ?? message.caption ?? "";
  const entities = message.entities ?? message.caption_entities ?? [];
  const topicOpening = message.reply_to_message?.forum_topic_created !== undefined;
  return {
    id: message.message_id,
    from: message.from,
    byBot: message.from?.id === world.me.id,
    thread: message.is_topic_message ? message.message_thread_id : undefined,
    text,
    entities,
    buttons: message.reply_markup?.inline_keyboard ?? [],
    edits,
    replyTo: topicOpening ? undefined : message.reply_to_message?.message_id,
    silent,
    linkPreview: hasPreview(message, text, entities),
    file: file && { name: file.name, mime: file.mime, size: file.size, bytes: file.bytes },
    raw: message,
  };
}

function hasPreview(message: FakeMessage, text: string, entities: Entity[]): boolean {
  const options = message.link_preview_options as { is_disabled?: boolean } | undefined;
  if (message.text === undefined || options?.is_disabled) return false;
  return /https?:\/\//.test(text) || entities.some((entity) => entity.type === "text_link");
}

export function transcriptOf(world: World, room: Room): string {
  const lines: string[] = [];
  for (const entry of room.entries.values()) {
    if (entry.kind === "notice") {
      const how = entry.alert ? "alert" : "notice";
      lines.push(`   (${how} to ${entry.to.first_name}: ${entry.text})`);
    } else {
      lines.push(...messageLines(room, entry, seenOf(world, entry)));
    }
  }
  return lines.join("\n");
}

function messageLines(room: Room, stored: StoredMessage, seen: SeenMessage): string[] {
  const topic = seen.thread === undefined ? "" : ` {${topicName(room, seen.thread)}}`;
  const reply = seen.replyTo === undefined ? "" : ` → ${seen.replyTo}`;
  const edited = seen.edits > 0 ? " (edited)" : "";
  const file = seen.file ? [`<${seen.file.name}, ${readableSize(seen.file.size)}>`] : [];
  const body = [...file, ...(seen.text === "" ? [] : seen.text.split("\n"))];
  if (body.length === 0) body.push(`<${kindOf(stored.message)}>`);
  const [first = "", ...rest] = body;
  return [
    `${seen.id}${topic} ${nameOf(seen.from)}${reply}${edited}: ${first}`,
    ...rest.map((line) => `   ${line}`.trimEnd()),
    ...seen.buttons.map((row) => `   ${row.map((button) => `[${button.text}]`).join(" ")}`),
  ];
}

function topicName(room: Room, id: number): string {
  const opened = room.topics.get(id)?.forum_topic_created as { name: string } | undefined;
  return opened?.name ?? String(id);
}

function nameOf(user: FakeUser | undefined): string {
  if (!user) return "?";
  return user.is_bot ? (user.username ?? user.first_name) : user.first_name;
}

const BASICS = ["message_id", "date", "chat", "from", "message_thread_id", "is_topic_message"];

/** For what has neither text nor file: the name of the field that says what it is. */
function kindOf(message: FakeMessage): string {
  const special = Object.keys(message).filter((key) => !BASICS.includes(key));
  return (special.find((key) => key !== "reply_to_message") ?? "message").replaceAll("_", " ");
}

function readableSize(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
