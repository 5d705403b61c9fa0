// The way out: messages, edits and removals.
import type { WebClient } from "@slack/web-api";
import { type Part, SendError, type SendKey } from "../../src/core/channel.ts";
import type { MessageRef } from "../../src/core/events.ts";
import type { Address } from "../../src/core/words.ts";
import { codeOf, toSendError } from "./errors.ts";
import { isStamp } from "./ids.ts";
import { needsPlain } from "./mrkdwn.ts";
import { type Block, textMost, toMessage } from "./outbound.ts";
import type { Threads } from "./threads.ts";
import { type UploadPorts, upload } from "./uploads.ts";

export interface SendingPorts extends UploadPorts {
  readonly client: WebClient;
  readonly threads: Threads;
  /** A message of ours is there: Slack will tell us of it as of any other. */
  onSent(chat: string): void;
}

export interface Sending {
  send(to: Address, part: Part, key: SendKey): Promise<MessageRef>;
  edit(ref: MessageRef, part: Part): Promise<void>;
  remove(ref: MessageRef): Promise<void>;
}

const rememberedFiles = 1000;

export function createSending(ports: SendingPorts): Sending {
  const { client } = ports;
  // A file and its text may be two messages: when the text must be sent again, the file is there already.
  const filesOut = new Set<SendKey>();
  const failing = (error: unknown): never => {
    throw toSendError(error);
  };
  return {
    async send(to, part, key) {
      const { file, ...text } = part;
      if (!file) return await post(ports, to, part).catch(failing);
      if (goesAlong(part)) return await upload(ports, to, { file, comment: text }).catch(failing);
      if (!filesOut.has(key)) await upload(ports, to, { file }).catch(failing);
      remember(filesOut, key);
      return await post(ports, to, text).catch(failing);
    },
    async edit(ref, part) {
      if (!isStamp(ref.id))
        throw new SendError("gone", "There is no message that could be changed.");
      const { text, blocks } = toMessage(part);
      const shown = { ...quiet, text: text.slice(0, blocks.length > 0 ? textMost : undefined) };
      await client.chat
        .update({ channel: ref.chat, ts: ref.id, ...shown, blocks: taken(blocks) })
        .catch(failing);
    },
    async remove({ chat, id }) {
      if (!isStamp(id)) return;
      await client.chat.delete({ channel: chat, ts: id }).catch((error) => {
        if (codeOf(error) !== "message_not_found") throw toSendError(error);
      });
    },
  };
}

/**
 * Only short text without buttons can be the comment of a file, and only as mrkdwn. Slack fetches what a comment links to,
 * and cannot be told not to, nor not to read names: `files.completeUploadExternal` has no word for that.
 */
function goesAlong({ plain, body, buttons = [], file }: Part): boolean {
  if (buttons.length > 0 || plain.length > textMost) return false;
  const others = (body ?? plain).replaceAll(file?.name || " ", " ");
  if (/@|:\/\/|[\p{L}\p{N}]\.\p{L}/u.test(others)) return false;
  return body !== undefined || !needsPlain(plain);
}

function remember(keys: Set<SendKey>, key: SendKey): void {
  keys.add(key);
  for (const oldest of keys) {
    if (keys.size <= rememberedFiles) return;
    keys.delete(oldest);
  }
}

/** No name becomes a mention, and no link a preview. */
export const quiet = { parse: "none", link_names: false } as const;
const unseen = { unfurl_links: false, unfurl_media: false } as const;

/** The SDK knows more kinds of blocks than there are here, and names them in its own way. */
export function taken(blocks: readonly Block[]): never[] {
  return blocks as unknown as never[];
}

async function post(ports: SendingPorts, to: Address, part: Part): Promise<MessageRef> {
  if (part.plain.trim() === "") throw new SendError("rejected", "There is nothing to send.");
  const { client, threads, onSent } = ports;
  const { text, blocks } = toMessage(part);
  const { thread } = to;
  const sent = await client.chat.postMessage({
    channel: to.chat,
    ...quiet,
    ...unseen,
    text,
    ...(blocks.length > 0 ? { blocks: taken(blocks) } : {}),
    ...(thread === undefined ? {} : { thread_ts: thread }),
  });
  threads.note(to.chat, thread);
  onSent(to.chat);
  return { chat: to.chat, id: sent.ts ?? "", ...(thread === undefined ? {} : { thread }) };
}
