// What a message carries beside its text: files, what we cannot read, and what it answers.
import type { Message } from "grammy/types";
import type { FileRef, InboundMessage } from "../../src/core/events.ts";
import { isReply } from "./mention.ts";

/** What the Bot API hands out, and what we take. */
export const fileMost = 20 * 1024 * 1024;

export function filesOf(message: Message): FileRef[] {
  const photo = photoOf(message);
  if (photo) return [photo];
  const id = message.message_id;
  if (message.document) return [named(message.document, `document-${id}`)];
  if (message.video) return [named(message.video, `video-${id}.mp4`, "video/mp4")];
  if (message.audio) return [named(message.audio, `audio-${id}.mp3`, "audio/mpeg")];
  return [];
}

/** It comes in several sizes: the largest that can be fetched. */
function photoOf({ photo, message_id }: Message): FileRef | undefined {
  const sizes = [...(photo ?? [])].sort((a, b) => b.width * b.height - a.width * a.height);
  const best = sizes.find(({ file_size }) => (file_size ?? 0) <= fileMost) ?? sizes[0];
  return best && named(best, `photo-${message_id}.jpg`, "image/jpeg");
}

interface TelegramFile {
  readonly file_id: string;
  readonly file_size?: number;
  readonly file_name?: string;
  readonly mime_type?: string;
}

function named(file: TelegramFile, name: string, mime = "application/octet-stream"): FileRef {
  return {
    id: file.file_id,
    name: file.file_name || name,
    mime: file.mime_type || mime,
    ...(file.file_size === undefined ? {} : { size: file.file_size }),
  };
}

/** As they fit into "I cannot read …". */
const kinds = {
  voice: "a voice message",
  video_note: "a video message",
  sticker: "a sticker",
  venue: "a place on the map",
  location: "a location",
  contact: "a contact",
  poll: "a poll",
  dice: "a throw of dice",
  game: "a game",
  story: "a story",
  checklist: "a checklist",
  paid_media: "paid media",
  invoice: "an invoice",
  giveaway: "a giveaway",
} as const satisfies Partial<Record<keyof Message, string>>;

export function unreadableOf(message: Message): string | undefined {
  for (const [field, words] of Object.entries(kinds))
    if (message[field as keyof typeof kinds] !== undefined) return words;
  return undefined;
}

export function quoteOf(message: Message, bot: number): Pick<InboundMessage, "quote"> {
  const replied = message.reply_to_message;
  if (!replied || !isReply(message)) return {};
  const { from, sender_chat } = replied;
  const author = sender_chat?.title ?? from?.first_name ?? "";
  const whole = replied.text ?? replied.caption ?? "";
  const shown = message.quote?.text ?? (whole || `(${unreadableOf(replied) ?? "no text"})`);
  const ref = { chat: String(message.chat.id), id: String(replied.message_id) };
  return { quote: { text: shown, author, ours: from?.id === bot, message: ref } };
}
