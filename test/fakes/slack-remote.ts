// Starts the fake Slack in a process of its own, so that a bench measures the gateway and not the fake.
import { type Remote, startRemote, type Way } from "./remote.ts";
import type { SlackServerOptions } from "./slack-options.ts";
import type { ORDERS } from "./slack-process.ts";

interface SlackWay extends Way {
  appToken: string;
  team: string;
}

export type RemoteSlack = Remote<typeof ORDERS, SlackWay>;

/** `now` cannot cross to another process. */
export function startSlackProcess(
  options: Omit<SlackServerOptions, "now"> = {},
): Promise<RemoteSlack> {
  return startRemote(`${import.meta.dirname}/slack-process.ts`, options);
}
