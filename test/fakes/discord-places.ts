// Guilds, channels, threads and forum posts as people make them, and what the bot hears of that.
import { type Platform, tellChannel, tellGuild, tellMessage } from "./discord-events.ts";
import { compose, type SendExtra } from "./discord-people.ts";
import {
  CHANNEL_TYPES,
  type Channel,
  type FakeUser,
  type Guild,
  type Id,
  type Permission,
} from "./discord-types.ts";

export function addChannel(
  platform: Platform,
  guild: Guild,
  { name, type }: { name: string; type: number },
): Channel {
  const channel = platform.world.addChannel(type, { name, guild });
  tellChannel(platform, "CREATE", channel);
  platform.changed();
  return channel;
}

export interface ThreadSpec {
  name: string;
  by: FakeUser;
  /** The message that it hangs from, and whose id it has then. */
  from?: Id;
  private?: boolean;
}

export function addThread(platform: Platform, parent: Channel, spec: ThreadSpec): Channel {
  const type = spec.private ? CHANNEL_TYPES.privateThread : CHANNEL_TYPES.publicThread;
  const { guild } = parent;
  const thread = platform.world.addChannel(type, {
    ...{ name: spec.name, guild, parent, owner: spec.by.id },
    ...(spec.from !== undefined && { id: spec.from }),
  });
  // Nobody has taken the bot into it.
  if (spec.private) thread.denied.add("ViewChannel");
  tellChannel(platform, "CREATE", thread);
  announce(platform, { parent, thread, spec });
  platform.changed();
  return thread;
}

/** In the parent stands that there is a thread now, or at its head from which message it came. */
function announce(
  platform: Platform,
  { parent, thread, spec }: { parent: Channel; thread: Channel; spec: ThreadSpec },
): void {
  if (spec.private) return;
  const { world } = platform;
  const hangs = spec.from !== undefined;
  const reference = { type: 0, channel_id: hangs ? parent.id : thread.id };
  const raw = { message_reference: { ...reference, ...(hangs && { message_id: spec.from }) } };
  const channel = hangs ? thread : parent;
  const text = hangs ? "" : spec.name;
  const stored = compose(world, {
    ...{ channel, by: spec.by, text, extra: { type: hangs ? 21 : 18, raw } },
  });
  world.store(stored);
  tellMessage(platform, "MESSAGE_CREATE", stored);
}

export interface PostSpec {
  title: string;
  text: string;
  by: FakeUser;
  extra?: SendExtra;
}

/** A thread whose first message has its id. */
export function addPost(platform: Platform, forum: Channel, spec: PostSpec): Channel {
  const { world } = platform;
  const { by, title, text, extra = {} } = spec;
  const about = { name: title, guild: forum.guild, parent: forum, owner: by.id };
  const thread = world.addChannel(CHANNEL_TYPES.publicThread, about);
  forum.lastMessageId = thread.id;
  tellChannel(platform, "CREATE", thread);
  const stored = compose(world, { channel: thread, by, text, extra, id: thread.id });
  world.store(stored);
  tellMessage(platform, "MESSAGE_CREATE", stored);
  platform.changed();
  return thread;
}

export function setJoined(
  platform: Platform,
  guild: Guild,
  { joined, by }: { joined: boolean; by: FakeUser },
): void {
  guild.joined = joined;
  if (joined) guild.auditLog.push({ id: platform.world.id(), by });
  tellGuild(platform, guild);
  platform.changed();
}

export function removeChannel(platform: Platform, channel: Channel): void {
  tellChannel(platform, "DELETE", channel);
  channel.deleted = true;
  platform.changed();
}

export function changeChannel(
  platform: Platform,
  channel: Channel,
  change: Partial<Pick<Channel, "name" | "archived" | "locked">>,
): void {
  Object.assign(channel, change);
  tellChannel(platform, "UPDATE", channel);
  platform.changed();
}

/** Of a guild, or of one channel against its guild. */
export function setPermissions(
  platform: Platform,
  place: Guild | Channel,
  { permissions, allowed }: { permissions: readonly Permission[]; allowed: boolean },
): void {
  const { world } = platform;
  if ("members" in place) {
    for (const one of permissions)
      if (allowed) place.permissions.add(one);
      else place.permissions.delete(one);
    return;
  }
  const seen = world.sees(place);
  for (const one of permissions)
    if (allowed) place.denied.delete(one);
    else place.denied.add(one);
  // Whoever is let in hears that there is such a channel.
  tellChannel(platform, seen ? "UPDATE" : "CREATE", place);
  platform.changed();
}
