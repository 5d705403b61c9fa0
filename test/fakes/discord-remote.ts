// Starts the fake Discord in a process of its own, so that a bench measures the gateway and not the fake.
import type { ORDERS } from "./discord-process.ts";
import type { DiscordServerOptions } from "./discord-server.ts";
import { type Remote, startRemote } from "./remote.ts";

export type RemoteDiscord = Remote<typeof ORDERS>;

/** `now` cannot cross to another process. */
export function startDiscordProcess(
  options: Omit<DiscordServerOptions, "now"> = {},
): Promise<RemoteDiscord> {
  return startRemote(`${import.meta.dirname}/discord-process.ts`, options);
}
