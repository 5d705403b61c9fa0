// The Web API's client: it neither retries nor waits, since the outbox decides; nothing of it is logged.
import { type LogLevel, WebClient, type WebClientOptions } from "@slack/web-api";
import type { ChannelContext } from "../../src/core/channel.ts";
import type { SlackConfig } from "./config.ts";

type Logger = NonNullable<WebClientOptions["logger"]>;

const callMs = 30_000;

/** What the SDK would log holds what people wrote. */
export const silent: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  setLevel() {},
  getLevel: () => "error" as LogLevel,
  setName() {},
};

export function clientOptions(
  config: Pick<SlackConfig, "apiRoot">,
  context: ChannelContext,
): WebClientOptions {
  return {
    slackApiUrl: `${config.apiRoot}/`,
    logger: silent,
    timeout: callMs,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    allowAbsoluteUrls: false,
    ...(context.proxied ? { fetch: through(context, config.apiRoot) } : {}),
  };
}

export function openClient(
  config: Pick<SlackConfig, "apiRoot" | "token">,
  context: ChannelContext,
): WebClient {
  return new WebClient(config.token, clientOptions(config, context));
}

function through(context: ChannelContext, root: string): typeof fetch {
  const guarded = context.fetchFrom(root);
  return (url, init) => guarded(String(url), init);
}
