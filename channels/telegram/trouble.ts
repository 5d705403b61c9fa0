// What a failed poll means: how the listener is, what an operator should know, and when to try again.
import type { ListenerHealth } from "../../src/core/channel.ts";
import { codeOf, describe, retryAfterOf } from "./errors.ts";

export interface Trouble {
  readonly state: ListenerHealth["state"];
  readonly why: string;
  /** Ms until the next try. */
  readonly wait: number;
  /** A webhook takes the updates: it is in the way. */
  readonly webhook?: true;
}

const longest = 30_000;
/** Nothing but a new token helps, and that opens the listener anew. */
const unauthorisedWait = 60_000;

export function troubleOf(error: unknown, token: string, failures: number): Trouble {
  const code = codeOf(error);
  const why = describe(error, token);
  const wait = retryAfterOf(error) ?? backoff(failures);
  if (code === 401 || code === 404)
    return {
      state: "unauthorised",
      why: "Telegram does not know this bot's token. Get a new one from @BotFather and set it.",
      wait: unauthorisedWait,
    };
  if (code === 409 && /webhook/i.test(why))
    return { state: "reconnecting", why: "A webhook took the updates", wait, webhook: true };
  if (code === 409)
    return {
      state: "reconnecting",
      why: "Another program polls with this bot's token. Stop it, or give this gateway a bot of its own.",
      wait,
    };
  return { state: "reconnecting", why, wait };
}

/** From half a second, doubling; the half that chance adds keeps many gateways from coming at once. */
export function backoff(failures: number): number {
  const most = Math.min(longest, 500 * 2 ** failures);
  return most / 2 + (Math.random() * most) / 2;
}
