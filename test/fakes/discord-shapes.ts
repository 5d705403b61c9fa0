// The objects of the fake Discord as its API writes them.
import {
  CHANNEL_TYPES,
  type Channel,
  type FakeUser,
  type Guild,
  type Interaction,
  type Json,
  PERMISSIONS,
  type Permission,
  type Stored,
  type StoredFile,
} from "./discord-types.ts";
import type { World } from "./discord-world.ts";

export function isThread({ type }: Channel): boolean {
  return type === CHANNEL_TYPES.publicThread || type === CHANNEL_TYPES.privateThread;
}

const time = (at: number) => new Date(at).toISOString().replace("Z", "000+00:00");
const JOINED = time(1_700_000_000_000);

export function bitsOf(permissions: Iterable<Permission>): string {
  let bits = 0n;
  for (const name of permissions) bits |= 1n << BigInt(PERMISSIONS[name]);
  return String(bits);
}

export function channelJson(channel: Channel): Json {
  const { id, type, name, guild, parent, person } = channel;
  const common = { id, type, last_message_id: channel.lastMessageId, flags: 0 };
  if (person) return { ...common, recipients: [person] };
  const placed = { ...common, name, guild_id: guild?.id, parent_id: parent?.id ?? null };
  if (isThread(channel))
    return {
      ...placed,
      ...{ owner_id: channel.owner, rate_limit_per_user: 0, member_count: 2 },
      ...{ message_count: channel.messages.size, total_message_sent: channel.messages.size },
      thread_metadata: {
        ...{ archived: channel.archived, locked: channel.locked, auto_archive_duration: 1440 },
        ...{ archive_timestamp: JOINED, create_timestamp: JOINED },
      },
    };
  const overwrites = [{ id: guild?.id, type: 0, allow: "0", deny: bitsOf(channel.denied) }];
  return {
    ...{ ...placed, position: 0, nsfw: false, topic: null, rate_limit_per_user: 0 },
    permission_overwrites: channel.denied.size > 0 ? overwrites : [],
    ...(type === CHANNEL_TYPES.forum && { available_tags: [], default_reaction_emoji: null }),
  };
}

function memberJson({ user }: { user?: FakeUser } = {}): Json {
  return {
    ...(user && { user }),
    ...{ roles: [], joined_at: JOINED, nick: null, avatar: null, flags: 0 },
    ...{ deaf: false, mute: false, pending: false, premium_since: null },
    communication_disabled_until: null,
  };
}

export function guildMemberJson(user: FakeUser): Json {
  return memberJson({ user });
}

export function guildJson(world: World, guild: Guild): Json {
  const { id, name, owner } = guild;
  const everyone = {
    ...{ id, name: "@everyone", permissions: bitsOf(guild.permissions), position: 0, color: 0 },
    ...{ hoist: false, managed: false, mentionable: false, flags: 0 },
  };
  return {
    ...{ id, name, owner_id: owner.id, icon: null, splash: null, banner: null, features: [] },
    ...{ roles: [everyone], emojis: [], stickers: [], description: null, vanity_url_code: null },
    ...{ afk_channel_id: null, afk_timeout: 300, system_channel_id: null, system_channel_flags: 0 },
    ...{ rules_channel_id: null, public_updates_channel_id: null, application_id: null },
    ...{ verification_level: 0, default_message_notifications: 0, explicit_content_filter: 0 },
    ...{ mfa_level: 0, nsfw_level: 0, premium_tier: 0, premium_progress_bar_enabled: false },
    ...{ preferred_locale: "en-US", region: "deprecated", me: world.me.id },
  };
}

/** As GUILD_CREATE has it: with the channels that the bot sees and the threads that are open. */
export function wholeGuildJson(world: World, guild: Guild): Json {
  const all = [...world.channels.values()].filter(
    (channel) => channel.guild === guild && !channel.deleted && world.sees(channel),
  );
  const threads = all.filter((channel) => isThread(channel) && !channel.archived);
  const channels = all.filter((channel) => !isThread(channel));
  return {
    ...guildJson(world, guild),
    ...{ joined_at: JOINED, large: false, unavailable: false, member_count: guild.members.size },
    ...{ members: [guildMemberJson(world.me)], voice_states: [], presences: [] },
    ...{ stage_instances: [], guild_scheduled_events: [], soundboard_sounds: [] },
    channels: channels.map(channelJson),
    threads: threads.map(channelJson),
  };
}

function fileJson({ id, name, title, mime, size, url }: StoredFile): Json {
  const proxy = { url, proxy_url: url, content_type: mime };
  return { id, filename: name, size, ...proxy, ...(title !== undefined && { title }) };
}

export interface MessageView {
  /** False: the bot may not read what people write. */
  content: boolean;
  /** The message that this one answers is shown with it. */
  depth?: number;
}

/** Without the privilege a bot reads its own messages, direct chats and what mentions it. */
export function readable(world: World, stored: Stored): boolean {
  const { me } = world;
  if (stored.author.id === me.id || !stored.channel.guild) return true;
  return stored.mentions.some(({ id }) => id === me.id);
}

export function messageJson(world: World, stored: Stored, view: MessageView): Json {
  const { channel, author, type, flags } = stored;
  const open = view.content || readable(world, stored);
  return {
    ...{ id: stored.id, channel_id: channel.id, type, author, tts: false, pinned: false, flags },
    ...{ timestamp: time(stored.createdAt), edited_timestamp: null },
    ...(stored.editedAt !== undefined && { edited_timestamp: time(stored.editedAt) }),
    ...{ content: open ? stored.content : "", embeds: [], mentions: stored.mentions },
    ...{ mention_everyone: stored.pings.everyone, mention_roles: stored.pings.roles },
    attachments: open ? stored.files.map(fileJson) : [],
    components: open ? stored.components : [],
    ...(stored.webhookId && { webhook_id: stored.webhookId }),
    ...(stored.nonce !== undefined && { nonce: stored.nonce }),
    ...referenceOf(world, stored, view),
    ...interactionOf(stored),
    ...stored.raw,
  };
}

function referenceOf(world: World, { channel, replyTo }: Stored, view: MessageView): Json {
  if (replyTo === undefined) return {};
  const answered = channel.messages.get(replyTo);
  const guild = channel.guild && { guild_id: channel.guild.id };
  const reference = { type: 0, channel_id: channel.id, message_id: replyTo, ...guild };
  if (view.depth === 0) return { message_reference: reference };
  const referenced = answered ? messageJson(world, answered, { ...view, depth: 0 }) : null;
  return { message_reference: reference, referenced_message: referenced };
}

function interactionOf({ interaction, webhookId }: Stored): Json {
  if (!interaction || !webhookId) return {};
  const { id, by, pressed } = interaction;
  const type = pressed ? 3 : 2;
  return { interaction_metadata: { id, type, user: by, authorizing_integration_owners: {} } };
}

/** What a message has more of when the gateway tells of it. */
export function messageEventJson(world: World, stored: Stored, content: boolean): Json {
  const { channel, webhookId } = stored;
  const placed = channel.guild && { guild_id: channel.guild.id };
  return {
    ...messageJson(world, stored, { content }),
    ...{ ...placed, channel_type: channel.type },
    ...(channel.guild && webhookId === undefined && { member: memberJson() }),
  };
}

export function interactionJson(world: World, interaction: Interaction): Json {
  const { id, token, by, channel, pressed, data } = interaction;
  const { guild } = channel;
  const who = guild
    ? { member: { ...guildMemberJson(by), permissions: "2147483647" } }
    : { user: by };
  return {
    ...{ id, token, application_id: world.me.id, type: pressed ? 3 : 2, version: 1 },
    ...{ ...who, channel_id: channel.id, channel: channelJson(channel), data },
    ...(guild && { guild_id: guild.id, guild_locale: "en-US", guild: { id: guild.id } }),
    ...(pressed && { message: messageJson(world, pressed, { content: true }) }),
    ...{ locale: "en-US", entitlements: [], authorizing_integration_owners: {} },
    ...{ app_permissions: bitsOf(guild?.permissions ?? []), context: guild ? 0 : 1 },
    attachment_size_limit: 10 * 1024 * 1024,
  };
}
