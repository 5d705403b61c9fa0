// What went wrong at Discord, as the six kinds of SendError. The only place that turns its errors into words: they hold
// addresses with the tokens of interactions, so none of them goes on as it is.
import { DiscordAPIError, HTTPError, RateLimitError } from "discord.js";
import { SendError } from "../../src/core/channel.ts";
import { isBeforeSending, isOfFile, networkCode } from "../shared/network.ts";

export const tokenRefused =
  "Discord does not know this bot's token. Reset it on the Bot page of the Developer Portal and set the new one.";

/** For people: a sentence without the token. */
export function describe(error: unknown, token: string): string {
  if (isUnauthorised(error)) return tokenRefused;
  if (error instanceof DiscordAPIError) return redact(messageOf(error), token).slice(0, 300);
  if (error instanceof HTTPError) return `Discord had an error of its own (${error.status}).`;
  if (error instanceof RateLimitError) return "Discord asks to wait.";
  if (error instanceof SendError) return error.message;
  const code = networkCode(error);
  if (isOfFile(code)) return `The file cannot be read (${code}).`;
  if (isNetwork(error)) return `Discord could not be reached: ${networkWhy(error, code)}.`;
  return redact(error instanceof Error ? error.message : String(error), token).slice(0, 300);
}

export function redact(text: string, token: string): string {
  const parts = [token, ...token.split(".").filter((part) => part.length > 8)];
  let shown = text;
  for (const part of parts) shown = shown.replaceAll(part, "<token>");
  return shown.replace(/(\/(?:webhooks|interactions)\/\d+\/)[^/\s?"']+/g, "$1<token>");
}

export function toSendError(error: unknown, token: string): SendError {
  if (error instanceof SendError) return error;
  const why = describe(error, token);
  if (isUnauthorised(error)) return new SendError("unauthorised", why);
  if (error instanceof RateLimitError)
    return new SendError("rate-limited", why, { retryAfter: waitOf(error) });
  if (error instanceof DiscordAPIError) return fromAnswer(error, why);
  const code = networkCode(error);
  if (isBeforeSending(code)) return new SendError("not-sent", why);
  return new SendError(isOfFile(code) ? "rejected" : "unknown", why);
}

function fromAnswer({ code, status }: DiscordAPIError, why: string): SendError {
  if (status === 413) return new SendError("rejected", "The file is too large for Discord.");
  if (goneCodes.has(Number(code))) return new SendError("gone", why);
  // 403 and 404 without a code of their own: a proxy, or a thing that went.
  if (status === 404) return new SendError("gone", why);
  return new SendError("rejected", why);
}

/** Discord's own numbers; those that ask for a right name it, so that an operator can give it. */
const advice: Readonly<Record<number, string>> = {
  50001: "The bot cannot see this channel: give it View Channel there.",
  50007: "This person takes no direct messages from the bot.",
  50013:
    "The bot lacks a right in this channel: it needs Send Messages, Send Messages in Threads, Attach Files and Read Message History.",
  50278: "The bot shares no server with this person.",
  160005: "The thread is locked.",
};
const goneCodes: ReadonlySet<number> = new Set([
  10003, 10004, 10008, 10013, 10015, 10062, 50001, 50007, 50008, 50013, 50027, 50083, 50278, 160005,
]);

function messageOf({ code, message }: DiscordAPIError): string {
  return advice[Number(code)] ?? message;
}

export function codeOf(error: unknown): number | undefined {
  return error instanceof DiscordAPIError ? Number(error.code) : undefined;
}

/** discord.js forgets a token that was refused once, and says so for every later call. */
export function isUnauthorised(error: unknown): boolean {
  if (error instanceof DiscordAPIError) return error.status === 401 && error.code !== 50027;
  return error instanceof Error && error.message.startsWith("Expected token to be set");
}

export function retryAfterOf(error: unknown): number | undefined {
  return error instanceof RateLimitError ? waitOf(error) : undefined;
}

const waitUnsaid = 5000;

function waitOf({ retryAfter, timeToReset, sublimitTimeout }: RateLimitError): number {
  const wait = Math.max(retryAfter, timeToReset, sublimitTimeout);
  return Number.isFinite(wait) && wait > 0 ? Math.ceil(wait) : waitUnsaid;
}

function isNetwork(error: unknown): boolean {
  if (networkCode(error)) return true;
  const name = error instanceof Error ? error.name : "";
  return name === "AbortError" || name === "SyntaxError" || /fetch failed/.test(String(error));
}

function networkWhy(error: unknown, code: string): string {
  if (code) return code;
  const name = error instanceof Error ? error.name : "";
  if (name === "AbortError") return "no answer in time";
  return name === "SyntaxError" ? "the answer was not the API's" : "the connection failed";
}
