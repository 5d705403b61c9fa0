// Starts the fake Bot API server in a process of its own, so that a bench measures the gateway and not the fake.
import { type Remote, startRemote } from "./remote.ts";
import type { ORDERS } from "./telegram-process.ts";
import type { TelegramServerOptions } from "./telegram-server.ts";

export type RemoteTelegram = Remote<typeof ORDERS>;

/** `now` cannot cross to another process. */
export function startTelegramProcess(
  options: Omit<TelegramServerOptions, "now"> = {},
): Promise<RemoteTelegram> {
  return startRemote(`${import.meta.dirname}/telegram-process.ts`, options);
}
