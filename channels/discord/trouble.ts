// What it means that the gateway closed, and when to try again.
import { tokenRefused } from "./errors.ts";

/** Nothing mends these but an operator; discord.js does not try again after them. */
const final: Readonly<Record<number, string>> = {
  4004: tokenRefused,
  4010: "Discord refused the connection as an invalid shard. Please report this.",
  4011: "The bot is in more servers than one connection may serve. Use a bot of its own for this gateway.",
  4012: "Discord no longer speaks version 10 of its gateway. Update this program.",
  4013: "Discord does not know the intents that were asked for. Update this program.",
  4014: "The Message Content intent is switched off. Switch it on in the Developer Portal (your application, Bot, Privileged Gateway Intents, Message Content Intent) and save; the bot connects by itself then.",
};

export const tokenUnknown = 4004;
export const intentMissing = 4014;
/** Of an application: the intent for bots in many servers, and for all others. */
const contentFlags = (1 << 18) | (1 << 19);

export function finalWhy(code: number): string | undefined {
  return final[code];
}

export function hasContentIntent(applicationFlags: number | undefined): boolean {
  return applicationFlags === undefined || (applicationFlags & contentFlags) !== 0;
}

export function closedWhy(code: number): string {
  if (code === 1006) return "The connection to Discord broke.";
  return `Discord closed the connection (${code}).`;
}

const longest = 30_000;

/** From half a second, doubling; the half that chance adds keeps many gateways from coming at once. */
export function backoff(failures: number): number {
  const most = Math.min(longest, 500 * 2 ** failures);
  return most / 2 + (Math.random() * most) / 2;
}

const minute = 60 * 1000;
const hour = 60 * minute;

/** The ms as Discord says them; asked again now and then, as it may be told otherwise. */
export function startedTooOften(resetAfter: number): { wait: number; why: string } {
  const left = Number.isFinite(resetAfter) ? Math.max(minute, resetAfter) : hour;
  const [count, unit] = left > 2 * hour ? [left / hour, "hours"] : [left / minute, "minutes"];
  const why = `The bot was started too often today. It connects by itself when Discord lets it, in about ${Math.ceil(count)} ${unit}.`;
  return { wait: Math.min(left, hour), why };
}

/** A session may be started a thousand times a day, or Discord resets the token. */
export function recheck(deafSeconds: number, refusals: number): number {
  const first = Math.min(60_000, (deafSeconds * 1000) / 3);
  return Math.min(hour, first * 2 ** Math.max(0, refusals - 1));
}
