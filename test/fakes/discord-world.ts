// The state of the fake Discord: who and what is there, and the ids that the platform gives.
import {
  CHANNEL_TYPES,
  type Channel,
  type FakeUser,
  type Guild,
  type Id,
  type Interaction,
  type Json,
  type Permission,
  refusals,
  type Stored,
  type StoredFile,
} from "./discord-types.ts";

const EPOCH = 1_420_070_400_000;
const BOT_MAY: Permission[] = [
  "ViewChannel",
  "SendMessages",
  "EmbedLinks",
  "AttachFiles",
  "ReadMessageHistory",
  "MentionEveryone",
  "SendMessagesInThreads",
];

export interface WorldOptions {
  me: FakeUser;
  now: () => number;
  /** How many messages of a channel are kept. */
  keep: number;
  /** The intent for the content of messages is switched on for the application. */
  messageContentAllowed: boolean;
  /** Where files are fetched. */
  cdn: () => string;
}

export class World {
  readonly me: FakeUser;
  readonly now: () => number;
  readonly users = new Map<Id, FakeUser>();
  readonly guilds = new Map<Id, Guild>();
  readonly channels = new Map<Id, Channel>();
  readonly interactions = new Map<Id, Interaction>();
  readonly files = new Map<Id, StoredFile>();
  /** The commands as they were last put, by guild; "" is everywhere. */
  readonly commands = new Map<Id, Json[]>();
  /** People who take no direct messages. */
  readonly closed = new Set<Id>();
  /** People who can be written to although no guild is shared. */
  readonly reachable = new Set<Id>();
  readonly nonces = new Map<string, { stored: Stored; at: number }>();
  readonly counters = {
    sent: 0,
    edited: 0,
    deleted: 0,
    repeated: 0,
    calls: {} as Record<string, number>,
  };
  messageContentAllowed: boolean;
  readonly #keep: number;
  readonly #cdn: () => string;
  #lastId = 0n;

  constructor({ me, now, keep, messageContentAllowed, cdn }: WorldOptions) {
    this.me = me;
    this.now = now;
    this.#keep = keep;
    this.#cdn = cdn;
    this.messageContentAllowed = messageContentAllowed;
    this.users.set(me.id, me);
  }

  addInteraction(interaction: Interaction): void {
    this.interactions.set(interaction.id, interaction);
    if (this.interactions.size > this.#keep) dropFirst(this.interactions);
  }

  /** Ids hold the time, and each is greater than the one before. */
  id(): Id {
    const timed = BigInt(Math.max(0, Math.floor(this.now() - EPOCH))) << 22n;
    this.#lastId = timed > this.#lastId ? timed : this.#lastId + 1n;
    return String(this.#lastId);
  }

  addUser(name: string, bot: boolean): FakeUser {
    const user: FakeUser = {
      ...{ id: this.id(), username: name.toLowerCase().replaceAll(/\W+/g, "_"), avatar: null },
      ...{ global_name: bot ? null : name, discriminator: "0" },
      ...(bot && { bot: true as const }),
    };
    this.users.set(user.id, user);
    return user;
  }

  addGuild(name: string, owner: FakeUser, members: readonly FakeUser[]): Guild {
    const all = new Map([owner, ...members].map((user) => [user.id, user]));
    const permissions = new Set(BOT_MAY);
    const guild = { id: this.id(), name, owner, members: all, permissions };
    const made: Guild = { ...guild, joined: false, auditLog: [] };
    this.guilds.set(made.id, made);
    return made;
  }

  addChannel(
    type: number,
    about: Partial<Pick<Channel, "name" | "guild" | "parent" | "person" | "owner">> & { id?: Id },
  ): Channel {
    const channel: Channel = {
      ...{ id: about.id ?? this.id(), type, name: about.name ?? "", owner: about.owner },
      ...{ guild: about.guild, parent: about.parent, person: about.person },
      ...{ messages: new Map(), lastMessageId: null, denied: new Set<Permission>() },
      ...{ archived: false, locked: false, deleted: false },
    };
    this.channels.set(channel.id, channel);
    return channel;
  }

  directWith(user: FakeUser): Channel {
    for (const channel of this.channels.values())
      if (channel.type === CHANNEL_TYPES.dm && channel.person?.id === user.id) return channel;
    return this.addChannel(CHANNEL_TYPES.dm, { person: user });
  }

  /** Undefined when it is not there or the bot cannot know of it. */
  channelFor(id: Id): Channel | undefined {
    const channel = this.channels.get(id);
    return channel && !channel.deleted ? channel : undefined;
  }

  channelOf(place: Channel | Id): Channel {
    const id = typeof place === "string" ? place : place.id;
    const channel = this.channels.get(id);
    if (!channel) throw new Error(`there is no channel ${id}`);
    return channel;
  }

  /** Also messages that only one person sees. */
  messageOf(id: Id): Stored | undefined {
    for (const channel of this.channels.values()) {
      const found = channel.messages.get(id);
      if (found) return found;
    }
    return undefined;
  }

  may(channel: Channel, permission: Permission): boolean {
    const { guild } = channel;
    if (!guild) return permission !== "ManageMessages" && permission !== "ViewAuditLog";
    const denied = channel.denied.has(permission) || channel.parent?.denied.has(permission);
    return guild.joined && guild.permissions.has(permission) && !denied;
  }

  /** The bot gets the events of this channel. */
  sees(channel: Channel): boolean {
    return this.may(channel, "ViewChannel");
  }

  sharesGuild(user: FakeUser): boolean {
    for (const guild of this.guilds.values())
      if (guild.joined && guild.members.has(user.id)) return true;
    return false;
  }

  store(stored: Stored): void {
    const { channel } = stored;
    channel.messages.set(stored.id, stored);
    if (stored.onlyFor === undefined) {
      channel.lastMessageId = stored.id;
      // Whoever writes in an archived thread opens it again.
      channel.archived = false;
    }
    if (channel.messages.size > this.#keep) dropFirst(channel.messages);
  }

  /** The platform keeps only plain characters in a file's name; what was there is its title. */
  addFile(channel: Channel, file: Omit<StoredFile, "id" | "url" | "title">): StoredFile {
    const id = this.id();
    const name = file.name.replaceAll(/[^\w.-]+/g, "_").replace(/^\.+/, "") || "unknown";
    const title = name === file.name ? undefined : file.name.replace(/\.[^.]*$/, "");
    const hm = (BigInt(id) * 2_654_435_761n).toString(16);
    const expires = (Math.floor(this.now() / 1_000) + 86_400).toString(16);
    const path = `attachments/${channel.id}/${id}/${encodeURIComponent(name)}`;
    const url = `${this.#cdn()}/${path}?ex=${expires}&is=${expires}&hm=${hm}`;
    const stored = { ...file, id, name, title, url };
    this.files.set(id, stored);
    return stored;
  }

  /** The message that a call of the bot is about. */
  needMessage(channel: Channel, id: Id): Stored {
    const stored = channel.messages.get(id);
    if (!stored || stored.onlyFor !== undefined) throw refusals.noMessage();
    return stored;
  }
}

function dropFirst<Key>(map: Map<Key, unknown>): void {
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}
