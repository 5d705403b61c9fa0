// What happens to the bot's rooms: it is added to a server, thrown out, or a channel goes. Pure.
import type { ChatChange, EventSender } from "../../src/core/events.ts";
import type { ChannelLike, GuildLike, Room } from "./rooms.ts";
import { roomOf } from "./rooms.ts";

const nobody: EventSender = { account: "", name: "" };

/** The key is the time of joining: told again at every connection, it stays one event. */
export function addedTo(guild: GuildLike, bot: string, by: EventSender = nobody): ChatChange {
  const { id, name, joined_at: joined, system_channel_id: system } = guild;
  const at = Date.parse(joined ?? "");
  return {
    kind: "chat",
    key: `${bot}:guild:${id}:added:${at}`,
    at,
    chat: { id: system ?? id, kind: "group" },
    sender: by,
    change: "added",
    ...(name ? { title: name } : {}),
  };
}

/** One for the server, and one for each of its rooms that something was said in. */
export function removedFrom(
  { id, name, rooms }: { id: string; name?: string; rooms: readonly Room[] },
  bot: string,
  at: number,
): ChatChange[] {
  const chats = new Set([id, ...rooms.map(({ chat }) => chat.id)]);
  return [...chats].map((chat) => removed(chat, { bot, at, ...(name ? { title: name } : {}) }));
}

/** Null for a thread: what waits elsewhere in its channel goes on. */
export function channelGone(channel: ChannelLike, bot: string, at: number): ChatChange | null {
  const room = roomOf(channel);
  if (!room || room.chat.thread !== undefined || room.chat.kind === "direct") return null;
  return removed(channel.id, { bot, at, ...(room.name ? { title: room.name } : {}) });
}

function removed(
  chat: string,
  { bot, at, title }: { bot: string; at: number; title?: string },
): ChatChange {
  return {
    kind: "chat",
    key: `${bot}:chat:${chat}:removed:${at}`,
    at,
    chat: { id: chat, kind: "group" },
    sender: nobody,
    change: "removed",
    ...(title ? { title } : {}),
  };
}
