// What a message carries beside its text: files, what we cannot read, and what it answers.
import type { APIAttachment, APIMessage } from "discord.js";
import type { FileRef, InboundMessage } from "../../src/core/events.ts";

/** What a bot may send without a paid server, and what we take. */
export const fileMost = 10 * 1024 * 1024;

/** Bits of a message's flags. */
export const flags = { suppressEmbeds: 1 << 2, ephemeral: 1 << 6, voice: 1 << 13 } as const;

export function isVoice(message: Pick<APIMessage, "flags">): boolean {
  return ((message.flags ?? 0) & flags.voice) !== 0;
}

/** An address is good for a day, so the file is named by where it hangs and asked for when it is fetched. */
export function filesOf(message: APIMessage): FileRef[] {
  if (isVoice(message)) return [];
  return (message.attachments ?? []).map((attachment) => ({
    id: `${message.channel_id}/${message.id}/${attachment.id}`,
    name: nameOf(attachment),
    mime: attachment.content_type?.split(";")[0]?.trim() || "application/octet-stream",
    ...(Number.isSafeInteger(attachment.size) ? { size: attachment.size } : {}),
  }));
}

/** Discord makes the name plain and keeps what the person called it, without its ending, as the title. */
function nameOf({ id, filename, title }: APIAttachment): string {
  const name = filename || `file-${id}`;
  const ending = /\.[^.]{1,16}$/.exec(name)?.[0] ?? "";
  return title ? `${title}${title.endsWith(ending) ? "" : ending}` : name;
}

const forward = 1;

/** As it fits into "I cannot read …". */
export function unreadableOf(message: APIMessage): string | undefined {
  if (isVoice(message)) return "a voice message";
  if (message.sticker_items?.length) return "a sticker";
  if (message.poll) return "a poll";
  if (message.message_reference?.type === forward) return "a forwarded message";
  if (message.activity) return "an invitation to an activity";
  return undefined;
}

/** What a deleted message said is gone with it, and so is the quote. */
export function quoteOf(message: APIMessage, bot: string): Pick<InboundMessage, "quote"> {
  const replied = message.referenced_message;
  if (!replied || message.message_reference?.type === forward) return {};
  const { author } = replied;
  const shown = replied.content || `(${unreadableOf(replied) ?? nothingSaid(replied)})`;
  return { quote: { text: shown, author: nameOfUser(author), ours: author.id === bot } };
}

function nothingSaid(message: APIMessage): string {
  const [file] = filesOf(message);
  return file ? `the file ${file.name}` : "no text";
}

export function nameOfUser(user: {
  readonly id: string;
  readonly username: string;
  readonly global_name?: string | null;
}): string {
  return user.global_name || user.username || user.id;
}
