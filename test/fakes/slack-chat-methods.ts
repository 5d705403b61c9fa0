// The chat methods of the fake Web API, with Slack's own errors and limits.
import { checkBlocks } from "./slack-blocks.ts";
import { change, type Platform, post, remove } from "./slack-posting.ts";
import { appMessage, whisper, withIds } from "./slack-pressing.ts";
import { type Block, type Room, SlackFailure, type StoredMessage } from "./slack-types.ts";
import type { Params } from "./telegram-types.ts";

export type Method = (platform: Platform, params: Params) => Params;

const longestPost = 40_000;
const longestUpdate = 4_000;

/** Private conversations that the app is not in do not exist for it. */
export function ownRoom({ world }: Platform, channel: unknown): Room {
  if (channel === undefined) throw new SlackFailure("channel_not_found");
  const id = String(channel);
  const room = world.members.has(id) && /^[UW]/.test(id) ? world.dm(id) : world.roomOf(id);
  const member = room.members.has(world.me.user);
  if (!member)
    throw new SlackFailure(room.kind === "channel" ? "not_in_channel" : "channel_not_found");
  return room;
}

function writable(platform: Platform, channel: unknown): Room {
  const room = ownRoom(platform, channel);
  if (room.archived) throw new SlackFailure("is_archived");
  return room;
}

interface Content {
  readonly text: string;
  readonly blocks: Block[] | undefined;
}

function contentOf({ text, blocks, attachments }: Params, longest: number): Content {
  const words = text === undefined ? "" : String(text);
  const some = Array.isArray(blocks) ? blocks.length > 0 : blocks !== undefined;
  if (words === "" && !some && attachments === undefined) throw new SlackFailure("no_text");
  if (words.length > longest) throw new SlackFailure("msg_too_long");
  if (blocks !== undefined) checkBlocks(blocks);
  return { text: words, blocks: some ? (blocks as Block[]) : undefined };
}

/** Threads are named by the message that they are about, never by a reply. */
function threadOf({ world }: Platform, room: Room, thread: unknown): string | undefined {
  if (thread === undefined) return undefined;
  const parent = room.messages.find(({ message }) => message.ts === thread);
  if (!parent || parent.onlyFor !== undefined) throw new SlackFailure("thread_not_found");
  const { ts, thread_ts } = parent.message;
  if (thread_ts !== undefined && thread_ts !== ts)
    throw new SlackFailure("cannot_reply_to_message");
  if (parent.gone && world.repliesTo(room, ts).length === 0)
    throw new SlackFailure("thread_not_found");
  return ts;
}

const postMessage: Method = (platform, params) => {
  const { world } = platform;
  const room = writable(platform, params.channel);
  const content = contentOf(params, longestPost);
  const thread = threadOf(platform, room, params.thread_ts);
  const message = appMessage(platform, { ...content, thread });
  if (thread && params.reply_broadcast === true) message.subtype = "thread_broadcast";
  const preview = params.unfurl_links !== false || params.unfurl_media !== false;
  world.counters.sent += 1;
  post(platform, room, { message, byBot: true, preview });
  return { channel: room.id, ts: message.ts, message };
};

const update: Method = (platform, params) => {
  const { world } = platform;
  const room = writable(platform, params.channel);
  const stored = ownMessage(platform, room, { ts: params.ts, otherwise: "cant_update_message" });
  const content = contentOf(params, longestUpdate);
  const { text, blocks } = content;
  const edited = { user: world.me.user, ts: world.ts() };
  world.counters.edits += 1;
  // Given text alone, the blocks go.
  const fields = { text, blocks: blocks && withIds(blocks), edited } as StoredMessage["message"];
  change(platform, { room, stored }, fields);
  const { ts } = stored.message;
  return { channel: room.id, ts, text, message: stored.message };
};

const remove_: Method = (platform, params) => {
  const room = ownRoom(platform, params.channel);
  const stored = ownMessage(platform, room, { ts: params.ts, otherwise: "cant_delete_message" });
  remove(platform, { room, stored });
  return { channel: room.id, ts: stored.message.ts };
};

function ownMessage(
  { world }: Platform,
  room: Room,
  { ts, otherwise }: { ts: unknown; otherwise: string },
): StoredMessage {
  const stored = world.find(room, ts);
  // Nothing but its response_url reaches what one person alone sees.
  if (!stored || stored.onlyFor !== undefined) throw new SlackFailure("message_not_found");
  if (!stored.byBot) throw new SlackFailure(otherwise);
  return stored;
}

const postEphemeral: Method = (platform, params) => {
  const { world } = platform;
  const room = writable(platform, params.channel);
  const user = String(params.user ?? "");
  if (!room.members.has(user)) throw new SlackFailure("user_not_in_channel");
  const content = contentOf(params, longestPost);
  const thread = threadOf(platform, room, params.thread_ts);
  const message = appMessage(platform, { ...content, thread });
  whisper(platform, room, { message, user: world.memberOf(user).id });
  return { message_ts: message.ts };
};

export const CHAT_METHODS: Record<string, Method> = {
  "chat.postMessage": postMessage,
  "chat.update": update,
  "chat.delete": remove_,
  "chat.postEphemeral": postEphemeral,
};
