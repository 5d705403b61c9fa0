// What the gateway does not tell and has to be asked: a room that is not known, and who added the bot.
import { setTimeout as sleep } from "node:timers/promises";
import type { REST } from "discord.js";
import type { EventSender } from "../../src/core/events.ts";
import { nameOfUser } from "./content.ts";
import { codeOf, isUnauthorised } from "./errors.ts";
import { type Bot, idOf } from "./inbound.ts";
import type { ChannelLike, Room, Rooms } from "./rooms.ts";
import { backoff } from "./trouble.ts";

export interface LookupPorts {
  readonly rest: REST;
  readonly rooms: Rooms;
  readonly bot: Bot;
  readonly signal: AbortSignal;
}

const direct = 1;
const tries = 4;

interface Told {
  readonly channel_id: string;
  readonly guild_id?: string | undefined;
  readonly member?: unknown;
}

/** Undefined: nothing that the bot may see, or no room that people talk in. */
export async function findRoom(ports: LookupPorts, told: Told): Promise<Room | undefined> {
  const { rooms } = ports;
  const { channel_id: id, guild_id: guild, member } = told;
  const known = rooms.find(id);
  if (known) return known;
  // Nobody is a member of a direct chat: what is told of one must not be taken for private.
  if (guild === undefined && !member) return rooms.note({ id, type: direct }) ?? undefined;
  const channel = await ask<ChannelLike>(ports, `/channels/${idOf(id)}`);
  return (channel && rooms.note(channel, guild)) ?? undefined;
}

interface AuditLog {
  readonly audit_log_entries?: readonly {
    readonly user_id?: string;
    readonly target_id?: string;
  }[];
  readonly users?: readonly { id: string; username: string; global_name?: string | null }[];
}

const botAdded = 28;

/** Undefined where the bot may not look into the audit log. */
export async function adder(ports: LookupPorts, guild: string): Promise<EventSender | undefined> {
  const query = new URLSearchParams({ action_type: String(botAdded), limit: "10" });
  const log = await ask<AuditLog>(ports, `/guilds/${guild}/audit-logs`, query).catch(
    () => undefined,
  );
  const entry = log?.audit_log_entries?.find(({ target_id }) => target_id === ports.bot.id);
  if (!entry?.user_id) return undefined;
  const user = log?.users?.find(({ id }) => id === entry.user_id);
  return { account: entry.user_id, name: user ? nameOfUser(user) : "" };
}

/** A refusal is an answer, which is nothing here. */
async function ask<T>(
  { rest, signal }: LookupPorts,
  path: `/${string}`,
  query = new URLSearchParams(),
): Promise<T | undefined> {
  try {
    return (await persistently({ rest, signal }, path, query)) as T;
  } catch (error) {
    if (codeOf(error) !== undefined && !isUnauthorised(error)) return undefined;
    throw error;
  }
}

/** Asks again where Discord said nothing about it: what waits for the answer would be lost. Rejects as discord.js does. */
export async function persistently(
  { rest, signal }: Pick<LookupPorts, "rest" | "signal">,
  path: `/${string}`,
  query: URLSearchParams,
): Promise<unknown> {
  for (let failures = 0; ; failures += 1) {
    try {
      // discord.js leaves its listener on the signal: each call has one of its own.
      return await rest.get(path, { query, signal: AbortSignal.any([signal]) });
    } catch (error) {
      const answered = codeOf(error) !== undefined;
      if (answered || failures + 1 >= tries || signal.aborted) throw error;
      await sleep(backoff(failures), undefined, { signal }).catch(() => undefined);
    }
  }
}
