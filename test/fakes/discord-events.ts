// What the fake gateway tells of: the start of a session, and every change in a channel that the bot sees.
import { type Event, INTENTS, type Session } from "./discord-session.ts";
import {
  channelJson,
  interactionJson,
  isThread,
  messageEventJson,
  wholeGuildJson,
} from "./discord-shapes.ts";
import type { Channel, Guild, Interaction, Json, Stored } from "./discord-types.ts";
import type { World } from "./discord-world.ts";

export interface Platform {
  world: World;
  /** `dispatch` is true when a session of the bot is told. */
  gateway: { dispatch(event: Event): boolean };
  changed: () => void;
}

/** READY, then each guild. */
export function* welcome(
  world: World,
  session: Session,
  url: string,
): Generator<{ type: string; data: Json }> {
  const guilds = [...world.guilds.values()].filter(({ joined }) => joined);
  const ready = {
    ...{ v: 10, user: world.me, session_id: session.id, resume_gateway_url: url, shard: [0, 1] },
    guilds: guilds.map(({ id }) => ({ id, unavailable: true })),
    application: { id: world.me.id, flags: 0 },
  };
  yield { type: "READY", data: ready };
  if ((session.intents & INTENTS.guilds) === 0) return;
  for (const guild of guilds) yield { type: "GUILD_CREATE", data: wholeGuildJson(world, guild) };
}

export function tellMessage(
  { world, gateway }: Platform,
  type: "MESSAGE_CREATE" | "MESSAGE_UPDATE",
  stored: Stored,
): boolean {
  if (!world.sees(stored.channel) || stored.onlyFor) return false;
  const intent = intentOf(stored.channel);
  const data = (content: boolean) => messageEventJson(world, stored, content);
  return gateway.dispatch({ type, intent, data });
}

export function tellDeleted({ world, gateway }: Platform, { id, channel }: Stored): boolean {
  if (!world.sees(channel)) return false;
  const placed = channel.guild && { guild_id: channel.guild.id };
  const data = () => ({ id, channel_id: channel.id, ...placed });
  return gateway.dispatch({ type: "MESSAGE_DELETE", intent: intentOf(channel), data });
}

export function tellInteraction({ world, gateway }: Platform, interaction: Interaction): boolean {
  return gateway.dispatch({
    type: "INTERACTION_CREATE",
    data: () => interactionJson(world, interaction),
  });
}

export function tellChannel(
  { world, gateway }: Platform,
  what: "CREATE" | "UPDATE" | "DELETE",
  channel: Channel,
): void {
  if (!world.sees(channel)) return;
  const type = `${isThread(channel) ? "THREAD" : "CHANNEL"}_${what}`;
  const made = isThread(channel) && what === "CREATE" ? { newly_created: true } : {};
  const data = () => ({ ...channelJson(channel), ...made });
  gateway.dispatch({ type, intent: INTENTS.guilds, data });
}

export function tellGuild({ world, gateway }: Platform, guild: Guild): void {
  const intent = INTENTS.guilds;
  const created = () => wholeGuildJson(world, guild);
  if (guild.joined) gateway.dispatch({ type: "GUILD_CREATE", intent, data: created });
  else gateway.dispatch({ type: "GUILD_DELETE", intent, data: () => ({ id: guild.id }) });
}

function intentOf({ guild }: Channel): number {
  return guild ? INTENTS.guildMessages : INTENTS.directMessages;
}
