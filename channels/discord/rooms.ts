// The rooms the bot is in: what a channel id stands for, and the names of roles and channels. Kept small: no messages, no members.
import type { ChatRef } from "../../src/core/words.ts";
import type { Names } from "./mention.ts";

export interface Room {
  readonly id: string;
  readonly chat: ChatRef;
  readonly guild?: string;
  readonly name?: string;
}

/** What the chat is called; of a thread only its own name is known. */
export function titleOf({ chat, name }: Room): { readonly title?: string } {
  const isNamed = chat.kind === "group" && chat.thread === undefined && name;
  return isNamed ? { title: `#${name}` } : {};
}

/** A channel as any of Discord's events and answers shows it. */
export interface ChannelLike {
  readonly id: string;
  readonly type: number;
  readonly name?: string | null;
  readonly parent_id?: string | null;
  readonly guild_id?: string | undefined;
  readonly last_message_id?: string | null;
}

interface RoleLike {
  readonly id: string;
  readonly name: string;
  readonly tags?: { readonly bot_id?: string };
}

export interface GuildLike {
  readonly id: string;
  readonly name?: string;
  readonly joined_at?: string;
  readonly system_channel_id?: string | null;
  readonly roles?: readonly RoleLike[];
  readonly channels?: readonly ChannelLike[];
  readonly threads?: readonly ChannelLike[];
}

interface Guild {
  readonly name: string;
  readonly roles: Map<string, string>;
  ownRole?: string | undefined;
}

export interface Rooms {
  noteGuild(guild: GuildLike, bot: string): void;
  note(channel: ChannelLike, guild?: string): Room | null;
  noteRole(guild: string, role: RoleLike, bot: string): void;
  find(id: string): Room | undefined;
  forget(id: string): void;
  /** Its rooms, as far as they are known, and it is known no more. */
  forgetGuild(id: string): { readonly name?: string; readonly rooms: readonly Room[] };
  knowsGuild(id: string): boolean;
  names(guild: string | undefined): Names;
}

const threadTypes: ReadonlySet<number> = new Set([10, 11, 12]);
const direct = 1;
const groupDirect = 3;
const category = 4;
/** Threads that nobody closed add up; a room that fell out is asked for when it speaks. */
const mostRooms = 20_000;

/** Null for what nobody writes in, or no bot can be in. */
export function roomOf(channel: ChannelLike, guild = channel.guild_id): Room | null {
  const { id, type, parent_id: parent, name } = channel;
  if (type === groupDirect || type === category) return null;
  const about = { ...(guild ? { guild } : {}), ...(name ? { name } : {}) };
  if (type === direct) return { id, chat: { id, kind: "direct" } };
  if (threadTypes.has(type)) {
    if (!parent) return null;
    return { id, chat: { id: parent, kind: "group", thread: id }, ...about };
  }
  return { id, chat: { id, kind: "group" }, ...about };
}

export function createRooms(): Rooms {
  const rooms = new Map<string, Room>();
  const guilds = new Map<string, Guild>();
  const all: Rooms = {
    noteGuild({ id, name = "", roles = [], channels = [], threads = [] }, bot) {
      guilds.set(id, { name, roles: new Map() });
      for (const role of roles) all.noteRole(id, role, bot);
      for (const channel of [...channels, ...threads]) all.note(channel, id);
    },
    note(channel, guild) {
      const room = roomOf(channel, guild ?? channel.guild_id);
      if (!room) return null;
      rooms.delete(room.id);
      rooms.set(room.id, room);
      if (rooms.size > mostRooms) rooms.delete(rooms.keys().next().value ?? "");
      return room;
    },
    noteRole(guild, { id, name, tags }, bot) {
      const known = guilds.get(guild);
      known?.roles.set(id, name);
      if (known && tags?.bot_id === bot) known.ownRole = id;
    },
    find: (id) => rooms.get(id),
    forget: (id) => void rooms.delete(id),
    forgetGuild(id) {
      const its = [...rooms.values()].filter(({ guild }) => guild === id);
      for (const room of its) rooms.delete(room.id);
      const name = guilds.get(id)?.name;
      guilds.delete(id);
      return { ...(name ? { name } : {}), rooms: its };
    },
    knowsGuild: (id) => guilds.has(id),
    names(guild) {
      const known = guild === undefined ? undefined : guilds.get(guild);
      return {
        ownRole: known?.ownRole,
        role: (id) => known?.roles.get(id),
        channel: (id) => rooms.get(id)?.name,
      };
    },
  };
  return all;
}
