// Messages of the bot: sending, editing, deleting and reading them over REST.
import { checkMessage, checkNotEmpty, flagsOf } from "./discord-check.ts";
import { type Platform, tellDeleted, tellMessage } from "./discord-events.ts";
import { mentionsOf } from "./discord-mentions.ts";
import { isThread, messageJson } from "./discord-shapes.ts";
import {
  badForm,
  CHANNEL_TYPES,
  type Channel,
  FLAGS,
  type Id,
  type Interaction,
  type Json,
  type Permission,
  refusals,
  type Stored,
  type StoredFile,
} from "./discord-types.ts";
import type { World } from "./discord-world.ts";

export interface Upload {
  /** The number that the body's `attachments` use. */
  index: string;
  name: string;
  mime: string;
  bytes: Uint8Array;
}

export interface Request {
  path: Record<string, string>;
  query: URLSearchParams;
  body: Json;
  files: Upload[];
}

const NONCE_MS = 3 * 60_000;
const PAGE = 50;
const MOST = 100;

export function needChannel(world: World, id: Id | undefined): Channel {
  const channel = world.channelFor(id ?? "");
  if (!channel) throw refusals.noChannel();
  if (!world.sees(channel)) throw refusals.noAccess();
  return channel;
}

export function createMessage(platform: Platform, request: Request): Stored {
  const { world } = platform;
  const channel = needChannel(world, request.path.channel);
  checkMaySend(world, channel, request.files.length > 0);
  const { nonce, enforce_nonce: enforce } = request.body;
  const key = String(nonce);
  const known = enforce === true && nonce !== undefined ? world.nonces.get(key) : undefined;
  if (known && world.now() - known.at < NONCE_MS) {
    world.counters.repeated += 1;
    return known.stored;
  }
  const stored = buildMessage(world, { channel, request });
  if (nonce !== undefined) noteNonce(world, key, stored);
  world.store(stored);
  world.counters.sent += 1;
  tellMessage(platform, "MESSAGE_CREATE", stored);
  return stored;
}

/** One author, one nonce: the channel does not matter. */
function noteNonce({ nonces, now }: World, key: string, stored: Stored): void {
  for (const [old, { at }] of nonces) {
    if (now() - at < NONCE_MS) break;
    nonces.delete(old);
  }
  nonces.delete(key);
  nonces.set(key, { stored, at: now() });
}

function checkMaySend(world: World, channel: Channel, file: boolean): void {
  const { person } = channel;
  if (person && world.closed.has(person.id)) throw refusals.closedToYou();
  if (person && !world.reachable.has(person.id) && !world.sharesGuild(person))
    throw refusals.noneInCommon();
  if (channel.type === CHANNEL_TYPES.forum) throw refusals.nonText();
  const right = isThread(channel) ? "SendMessagesInThreads" : "SendMessages";
  need(world, channel, right);
  if (file) need(world, channel, "AttachFiles");
  if (channel.locked) throw refusals.locked();
}

function need(world: World, channel: Channel, permission: Permission): void {
  if (!world.may(channel, permission)) throw refusals.noPermission();
}

export interface Building {
  channel: Channel;
  request: Pick<Request, "body" | "files">;
  interaction?: Interaction;
  /** Flags that may be given besides the usual ones. */
  flags?: number;
}

/** Checked and complete, and not yet in the channel. */
export function buildMessage(world: World, building: Building): Stored {
  const { channel, request, interaction, flags = 0 } = building;
  const { body } = request;
  checkMessage(request);
  const content = String(body.content ?? "").trim();
  checkNotEmpty(content, request.files.length);
  const answered = answeredBy(channel, body.message_reference);
  const allowed = allowedOf(body);
  const own = flagsOf(body, flags);
  return {
    ...{ id: world.id(), channel, type: answered ? 19 : 0, author: world.me, content },
    ...{ webhookId: interaction && world.me.id, interaction, createdAt: world.now() },
    ...{ editedAt: undefined, edits: 0, replyTo: answered?.id, flags: own, thinking: false },
    ...mentionsOf(world, { content, allowed, answered: answered?.stored }),
    ...{ files: storeFiles(world, channel, request), components: componentsOf(body) },
    nonce: body.nonce as string | undefined,
    onlyFor: (own & FLAGS.ephemeral) !== 0 ? interaction?.by : undefined,
    raw: {},
  };
}

function answeredBy(
  channel: Channel,
  reference: unknown,
): { id: Id; stored: Stored | undefined } | undefined {
  if (typeof reference !== "object" || reference === null) return undefined;
  const { message_id: id, fail_if_not_exists: strict = true } = reference as Json;
  const stored = channel.messages.get(String(id));
  if (!stored && strict)
    throw badForm({
      message_reference: {
        code: "MESSAGE_REFERENCE_UNKNOWN_MESSAGE",
        message: "Unknown message",
      },
    });
  // A reply to what is gone becomes a message like any other.
  return stored && { id: stored.id, stored };
}

function allowedOf({ allowed_mentions: allowed }: Json): Json | undefined {
  return typeof allowed === "object" && allowed !== null ? (allowed as Json) : undefined;
}

function componentsOf({ components }: Json): Json[] {
  return Array.isArray(components) ? components : [];
}

function storeFiles(
  world: World,
  channel: Channel,
  { body, files }: Pick<Request, "body" | "files">,
): StoredFile[] {
  const named = Array.isArray(body.attachments) ? (body.attachments as Json[]) : [];
  return files.map(({ index, name, mime, bytes }) => {
    const about = named.find(({ id }) => String(id) === index);
    const shown = typeof about?.filename === "string" ? about.filename : name;
    return world.addFile(channel, { name: shown, mime, bytes, size: bytes.length });
  });
}

export function editMessage(platform: Platform, request: Request): Stored {
  const { world } = platform;
  const channel = needChannel(world, request.path.channel);
  const stored = world.needMessage(channel, request.path.message ?? "");
  if (stored.author.id !== world.me.id) throw refusals.notAuthor();
  changeMessage(world, stored, request);
  tellMessage(platform, "MESSAGE_UPDATE", stored);
  return stored;
}

/** What is not in the body stays as it is. */
export function changeMessage(
  world: World,
  stored: Stored,
  request: Pick<Request, "body" | "files">,
): void {
  const { body } = request;
  checkMessage(request);
  const content = body.content === undefined ? stored.content : String(body.content ?? "").trim();
  const listed = body.attachments;
  const kept = Array.isArray(listed)
    ? stored.files.filter(({ id }) => (listed as Json[]).some((one) => String(one.id) === id))
    : stored.files;
  checkNotEmpty(content, kept.length + request.files.length);
  const allowed = allowedOf(body);
  const { mentions } = mentionsOf(world, { content, allowed, answered: undefined });
  Object.assign(stored, {
    ...{ content, mentions, editedAt: world.now(), edits: stored.edits + 1, thinking: false },
    files: [...kept, ...storeFiles(world, stored.channel, request)],
    ...(body.components !== undefined && { components: componentsOf(body) }),
    ...(typeof body.flags === "number" && {
      flags: (stored.flags & ~FLAGS.suppressEmbeds) | (body.flags & FLAGS.suppressEmbeds),
    }),
  });
  world.counters.edited += 1;
}

export function deleteMessage(platform: Platform, { path }: Request): void {
  const { world } = platform;
  const channel = needChannel(world, path.channel);
  const stored = world.needMessage(channel, path.message ?? "");
  if (stored.author.id !== world.me.id) {
    if (!channel.guild) throw refusals.inDirect();
    need(world, channel, "ManageMessages");
  }
  removeMessage(platform, stored);
  world.counters.deleted += 1;
}

export function removeMessage(platform: Platform, stored: Stored): void {
  stored.channel.messages.delete(stored.id);
  tellDeleted(platform, stored);
}

/** Newest first, as Discord gives them; with `after` the oldest of those that are newer. */
export function listMessages({ world }: Platform, { path, query }: Request): Json[] {
  const channel = needChannel(world, path.channel);
  if (channel.type === CHANNEL_TYPES.forum) throw refusals.nonText();
  const limit = limitOf(query);
  if (!world.may(channel, "ReadMessageHistory")) return [];
  const all = [...channel.messages.values()].filter(({ onlyFor }) => !onlyFor);
  const [after, before] = [query.get("after"), query.get("before")];
  let chosen: Stored[];
  if (after !== null) chosen = all.filter(({ id }) => BigInt(id) > BigInt(after)).slice(0, limit);
  else if (before !== null)
    chosen = all.filter(({ id }) => BigInt(id) < BigInt(before)).slice(-limit);
  else chosen = all.slice(-limit);
  const view = { content: world.messageContentAllowed };
  return chosen.reverse().map((stored) => messageJson(world, stored, view));
}

function limitOf(query: URLSearchParams): number {
  const limit = Number(query.get("limit") ?? PAGE);
  if (Number.isInteger(limit) && limit >= 1 && limit <= MOST) return limit;
  throw badForm({
    limit: {
      code: limit < 1 ? "NUMBER_TYPE_MIN" : "NUMBER_TYPE_MAX",
      message: `int value should be between 1 and ${MOST}.`,
    },
  });
}
