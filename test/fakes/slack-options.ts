// How a fake Slack, its people and its conversations are asked for.
import type { SlackLimits } from "./slack-limits.ts";
import type { AppNames } from "./slack-world.ts";

export interface SlackServerOptions {
  token?: string;
  appToken?: string;
  signingSecret?: string;
  port?: number;
  /** True for the published limits. Off by default. */
  limits?: boolean | Partial<SlackLimits>;
  /** False keeps counters, and only the newest messages of each conversation: for long runs. */
  record?: boolean;
  /** The clock of dates, signatures, rate limits and response addresses. */
  now?: () => number;
  team?: string;
  /** The organisation that the workspace is part of. */
  enterprise?: string;
  /** HTTP mode: where events, presses and commands are posted to; else they go over sockets. */
  http?: { url: string };
  /** How long an acknowledgement may take. */
  ackMs?: number;
  /** How long after each failure an event is sent again; then it is lost. */
  retryMs?: readonly number[];
  pingMs?: number;
}

export interface UserSpec {
  id?: string;
  name: string;
  /** Another workspace: a stranger of Slack Connect. */
  team?: string;
  guest?: boolean;
  bot?: boolean;
}

export interface ChannelSpec {
  name: string;
  members: readonly { readonly id: string }[];
  /** Slack Connect: people of other workspaces may be in it. */
  shared?: boolean;
  kind?: "channel" | "group" | "mpim";
  /** Whether the app is in it; true by default. */
  joined?: boolean;
}

export function appOf({ team, enterprise }: SlackServerOptions): AppNames & { id: string } {
  const user = "U0000000BOT";
  return {
    ...{ id: user, user, botId: "B0000000BOT", appId: "A0000000APP", name: "Sallyport" },
    ...{ team: team ?? "T0000000001", enterprise },
  };
}
