// What each event of the gateway means here: rooms are remembered, people are heard, gaps are read afterwards.
import type { REST } from "discord.js";
import type { Log } from "../../src/core/log.ts";
import type { LoopGuard } from "./bots.ts";
import { type CatchingUpPorts, missedDirects, missedIn } from "./catching-up.ts";
import { addedTo, channelGone, removedFrom } from "./chat-change.ts";
import type { Cursors } from "./cursors.ts";
import { createGaps, type GapPorts, type Gaps } from "./gaps.ts";
import type { Health } from "./health.ts";
import { type Bot, editEvent, isBot, isHidden, type Message, messageEvent } from "./inbound.ts";
import type { Intake, Taken } from "./intake.ts";
import { type Interaction, interactionEvent, isInteraction } from "./interaction-events.ts";
import type { Interactions } from "./interactions.ts";
import { adder, findRoom } from "./lookups.ts";
import type { ChannelLike, GuildLike, Room, Rooms } from "./rooms.ts";
import type { Frame } from "./shard.ts";
import { before, idAt, isNewer } from "./snowflake.ts";

export interface HearingPorts extends CatchingUpPorts, GapPorts {
  readonly rest: REST;
  readonly bot: Bot;
  readonly rooms: Rooms;
  readonly cursors: Cursors;
  readonly intake: Intake;
  readonly interactions: Interactions;
  readonly health: Health;
  readonly log: Log;
  readonly loopGuard: LoopGuard;
}

export interface Hearing {
  dispatch(frame: Frame): void;
  /** Reads over REST what the intake could not take. */
  refill(): void;
}

/** What is known of the session: where it began, and which servers the bot is in. */
interface Session {
  seen: string | undefined;
  guilds: Set<string>;
  hinted: boolean;
}

const nothing: Taken = { events: [] };

export const contentMissing =
  "Discord hides what people write in servers: switch on the Message Content intent in the Developer Portal (your application, Bot, Privileged Gateway Intents).";

export function createHearing(ports: HearingPorts): Hearing {
  const session: Session = {
    ...{ seen: undefined, guilds: new Set<string>(), hinted: false },
  };
  const gaps = createGaps(ports, (message, room) => translate(it, message, room));
  const it: It = { ports, session, gaps };
  const { intake, rooms } = ports;
  const told: Record<string, (data: never) => void> = {
    READY: (data: { guilds?: { id: string }[] }) => begin(it, data.guilds ?? []),
    GUILD_CREATE: (guild: GuildLike & { unavailable?: boolean }) => {
      if (guild.unavailable !== true) enter(it, guild);
    },
    GUILD_DELETE: (guild: { id: string; unavailable?: boolean }) => {
      if (guild.unavailable !== true) leave(it, guild.id);
    },
    CHANNEL_CREATE: (channel: ChannelLike) => void rooms.note(channel),
    CHANNEL_UPDATE: (channel: ChannelLike) => void rooms.note(channel),
    CHANNEL_DELETE: (channel: ChannelLike) => lose(it, channel),
    THREAD_CREATE: (channel: ChannelLike) => void rooms.note(channel),
    THREAD_UPDATE: (channel: ChannelLike) => void rooms.note(channel),
    THREAD_DELETE: (channel: ChannelLike) => rooms.forget(channel.id),
    THREAD_LIST_SYNC: (sync: { guild_id: string; threads: ChannelLike[] }) => {
      for (const thread of sync.threads) rooms.note(thread, sync.guild_id);
    },
    GUILD_ROLE_CREATE: (one: RoleTold) => rooms.noteRole(one.guild_id, one.role, ports.bot.id),
    GUILD_ROLE_UPDATE: (one: RoleTold) => rooms.noteRole(one.guild_id, one.role, ports.bot.id),
    MESSAGE_CREATE: (message: Message) => {
      const waits = gaps.isDropped(message.channel_id);
      if (waits || !intake.push(() => hear(it, message))) gaps.drop(message);
    },
    MESSAGE_UPDATE: (message: Message) => void intake.push(() => hearEdit(it, message)),
    INTERACTION_CREATE: (interaction: unknown) => {
      if (!isInteraction(interaction)) throw new Error("it is no interaction");
      // Three seconds are all there is: acknowledged at once, heard in its turn. Who is not heard is better told by
      // Discord that it failed.
      if (intake.push(() => hearInteraction(it, interaction)))
        void ports.interactions.acknowledge(interaction);
    },
  };
  return {
    dispatch({ t, d }) {
      try {
        if (Object.hasOwn(told, t)) told[t]?.(d as never);
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        ports.log.error({ event: t, why }, "An event could not be read and is skipped");
      }
    },
    refill: gaps.refill,
  };
}

type RoleTold = {
  guild_id: string;
  role: { id: string; name: string; tags?: { bot_id?: string } };
};

interface It {
  readonly ports: HearingPorts;
  readonly session: Session;
  readonly gaps: Gaps;
}

/** A new session tells nothing of what was said before it. */
function begin(it: It, guilds: readonly { id: string }[]): void {
  const { ports, session } = it;
  const { cursors } = ports;
  session.seen = cursors.seen();
  if (session.seen === undefined) {
    cursors.quiet(Date.now());
    void cursors.flush();
  }
  const before = session.guilds;
  session.guilds = new Set(guilds.map(({ id }) => id));
  // What was missed there is known once Discord tells of the server.
  for (const id of session.guilds) cursors.hold(`guild:${id}`);
  for (const id of before) if (!session.guilds.has(id)) cursors.release(`guild:${id}`);
  catchUpDirects(it);
}

function catchUpDirects(it: It): void {
  const { ports } = it;
  for (const id of missedDirects(ports)) {
    const after = ports.cursors.of(id);
    if (after) it.gaps.read({ id, after });
  }
}

function enter(it: It, guild: GuildLike): void {
  const { ports, session } = it;
  const { rooms, intake, bot } = ports;
  const { seen } = session;
  const known = session.guilds.has(guild.id) || rooms.knowsGuild(guild.id);
  const joined = Date.parse(guild.joined_at ?? "");
  const meanwhile = seen !== undefined && !Number.isNaN(joined) && isNewer(idAt(joined), seen);
  rooms.noteGuild(guild, bot.id);
  if (!known || meanwhile)
    intake.push(async () => ({ events: [addedTo(guild, bot.id, await adder(ports, guild.id))] }));
  for (const { id, after } of missedIn(ports, guild, seen))
    if (rooms.find(id)) it.gaps.read({ id, after, guild: guild.id });
  ports.cursors.release(`guild:${guild.id}`);
}

function leave({ ports, session }: It, id: string): void {
  session.guilds.delete(id);
  ports.cursors.release(`guild:${id}`);
  const { name, rooms } = ports.rooms.forgetGuild(id);
  const heard = rooms.filter((room) => ports.cursors.of(room.id) !== undefined);
  const gone = { id, ...(name ? { name } : {}), rooms: heard };
  for (const room of heard) ports.cursors.forget(room.id);
  ports.intake.push(async () => ({ events: removedFrom(gone, ports.bot.id, Date.now()) }));
}

function lose({ ports }: It, channel: ChannelLike): void {
  ports.rooms.forget(channel.id);
  ports.cursors.forget(channel.id);
  const event = channelGone(channel, ports.bot.id, Date.now());
  if (event) ports.intake.push(async () => ({ events: [event] }));
}

async function hear(it: It, message: Message): Promise<Taken> {
  const { ports, gaps } = it;
  if (gaps.wasRead(message.id)) return nothing;
  const room = await findRoom(ports, message);
  if (!room) return nothing;
  if (room.chat.kind === "direct") await ports.cursors.noteDirect(room.id, before(message.id));
  return translate(it, message, room);
}

function translate(it: It, message: Message, room: Room): Taken {
  const { ports } = it;
  const { bot, rooms, loopGuard } = ports;
  const where = { room, names: rooms.names(room.guild) };
  const read = { channel: room.id, kind: room.chat.kind, id: message.id };
  try {
    hint(it, isHidden(message, where, bot), message);
    const event = messageEvent(message, where, bot);
    const heard = event && loopGuard(event, isBot(message));
    return { events: heard ? [event] : [], read };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    ports.log.error({ message: message.id, why }, "An event could not be read and is skipped");
    return { events: [], read };
  }
}

/** Said once, however much is hidden; taken back when something can be read. */
function hint({ ports, session }: It, hidden: boolean, message: Message): void {
  if (hidden) {
    ports.health.hint(contentMissing);
    if (!session.hinted) ports.log.warn({ why: contentMissing }, "A message came without its text");
    session.hinted = true;
  } else if (session.hinted && message.content !== "" && message.mentions?.length === 0) {
    ports.health.hint(undefined);
    session.hinted = false;
  }
}

async function hearEdit({ ports }: It, message: Message): Promise<Taken> {
  const { bot, rooms } = ports;
  if (!message.author || !message.edited_timestamp) return nothing;
  const room = await findRoom(ports, message);
  const where = room && { room, names: rooms.names(room.guild) };
  const event = where && editEvent(message, where, bot);
  return event && !isBot(message) ? { events: [event] } : nothing;
}

async function hearInteraction({ ports }: It, interaction: Interaction): Promise<Taken> {
  await ports.interactions.acknowledge(interaction);
  const event = interactionEvent(interaction, ports.bot.id);
  if (!event) {
    await ports.interactions.answer({ id: interaction.id });
    return nothing;
  }
  const { channel } = interaction;
  const room = channel && ports.rooms.note(channel, interaction.guild_id);
  if (room?.chat.kind === "direct") await ports.cursors.noteDirect(room.id, before(interaction.id));
  return { events: [event] };
}
