// The way out: messages, edits, files, typing and the answers to presses.
import { type Api, InputFile } from "grammy";
import type { InlineKeyboardMarkup } from "grammy/types";
import { type Part, SendError, type SendKey } from "../../src/core/channel.ts";
import type { MessageRef, PressRef } from "../../src/core/events.ts";
import type { Address } from "../../src/core/words.ts";
import { retryAfterOf, toSendError } from "./errors.ts";
import { toKeyboard } from "./outbound.ts";

export interface SendingPorts {
  readonly api: Api;
  /** The same with more patience, for files. */
  readonly uploads: Api;
  readonly token: string;
}

export interface Sending {
  send(to: Address, part: Part, key: SendKey): Promise<MessageRef>;
  edit(ref: MessageRef, part: Part): Promise<void>;
  remove(ref: MessageRef): Promise<void>;
  answerPress(press: PressRef, notice?: string): Promise<void>;
  showTyping(to: Address): Promise<void>;
}

export const captionMost = 1024;
const noticeMost = 200;
/** A longer notice is shown as a window, not as a line that passes. */
const passing = 60;
const rememberedFiles = 1000;

export function createSending(ports: SendingPorts): Sending {
  const { api, token } = ports;
  // A file and its text are two messages: when the text must be sent again, the file is there already.
  const filesOut = new Set<SendKey>();
  let typingAfter = 0;
  const failing = (error: unknown): never => {
    throw toSendError(error, token);
  };
  return {
    async send(to, part, key) {
      const alone = part.file && part.plain.length <= captionMost;
      if (!part.file) return await sendText(ports, to, part).catch(failing);
      if (alone) return await sendFile(ports, to, part).catch(failing);
      const { file, buttons: _, body: __, ...rest } = part;
      if (!filesOut.has(key))
        await sendFile(ports, to, { ...rest, file, plain: "" }).catch(failing);
      remember(filesOut, key);
      const { file: _file, replyTo: _replyTo, ...text } = part;
      return await sendText(ports, to, text).catch(failing);
    },
    async edit(ref, part) {
      await editText(api, ref, part).catch((error) => {
        const failure = toSendError(error, token);
        if (!/message is not modified/i.test(failure.message)) throw failure;
      });
    },
    async remove({ chat, id }) {
      await api.deleteMessage(Number(chat), Number(id)).catch((error) => {
        const failure = toSendError(error, token);
        if (!/message to delete not found/i.test(failure.message)) throw failure;
      });
    },
    async answerPress({ id }, notice) {
      const text = notice === undefined ? undefined : cutTo(notice, noticeMost);
      const shown = text === undefined ? {} : { text, show_alert: text.length > passing };
      // Too old, or not reachable: the presser sees a button that stops turning, no more.
      await api.answerCallbackQuery(id, shown).catch(() => undefined);
    },
    async showTyping(to) {
      if (Date.now() < typingAfter) return;
      await api.sendChatAction(Number(to.chat), "typing", threadOf(to)).catch((error) => {
        typingAfter = Date.now() + (retryAfterOf(error) ?? 0);
      });
    },
  };
}

function remember(keys: Set<SendKey>, key: SendKey): void {
  keys.add(key);
  for (const oldest of keys) {
    if (keys.size <= rememberedFiles) return;
    keys.delete(oldest);
  }
}

async function sendText({ api }: SendingPorts, to: Address, part: Part): Promise<MessageRef> {
  const text = part.body ?? part.plain;
  if (part.plain.trim() === "") throw new SendError("rejected", "There is nothing to send.");
  const sent = await api.sendMessage(Number(to.chat), text, {
    ...shown(part),
    ...placed(to, part),
  });
  return refOf(to, sent.message_id);
}

async function sendFile({ uploads }: SendingPorts, to: Address, part: Part): Promise<MessageRef> {
  const { file } = part;
  if (!file) throw new SendError("rejected", "There is no file to send.");
  const { link_preview_options: _, ...marked } = shown(part);
  const caption = part.plain.trim() === "" ? {} : { caption: part.body ?? part.plain, ...marked };
  const input = new InputFile(file.path, file.name);
  const options = { ...caption, ...keyboard(part), ...placed(to, part) };
  const sent = await uploads.sendDocument(Number(to.chat), input, options);
  return refOf(to, sent.message_id);
}

/** A message with a file has a caption and no text; which one it is only the platform knows. */
async function editText(api: Api, ref: MessageRef, part: Part): Promise<void> {
  const [chat, id] = [Number(ref.chat), Number(ref.id)];
  const text = part.body ?? part.plain;
  try {
    await api.editMessageText(chat, id, text, shown(part));
  } catch (error) {
    if (!/there is no text in the message/i.test(String(error))) throw error;
    const { link_preview_options: _, ...marked } = shown(part);
    await api.editMessageCaption(chat, id, { caption: text, ...marked });
  }
}

function shown(part: Part) {
  return {
    ...(part.body === undefined ? {} : { parse_mode: "HTML" as const }),
    link_preview_options: { is_disabled: true },
    ...keyboard(part),
  };
}

/** Absent on an edit: the buttons that were there go. */
function keyboard({ buttons = [] }: Part): { reply_markup?: InlineKeyboardMarkup } {
  return buttons.length > 0 ? { reply_markup: { inline_keyboard: toKeyboard(buttons) } } : {};
}

function placed(to: Address, { replyTo }: Part) {
  const message = Number(replyTo?.id || Number.NaN);
  return {
    ...threadOf(to),
    ...(Number.isSafeInteger(message)
      ? { reply_parameters: { message_id: message, allow_sending_without_reply: true } }
      : {}),
  };
}

function threadOf({ thread }: Address): { message_thread_id?: number } {
  return thread === undefined ? {} : { message_thread_id: Number(thread) };
}

function refOf({ chat, thread }: Address, id: number): MessageRef {
  return { chat, id: String(id), ...(thread === undefined ? {} : { thread }) };
}

function cutTo(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
