// Addresses that Slack names for files, uploads and answers: only its own are followed.
import type { ChannelContext, Fetch } from "../../src/core/channel.ts";
import type { SlackConfig } from "./config.ts";

/** Of the Web API's own host, or a name below it; never from https to http. */
export function isSlackAddress(address: string, apiRoot: string): boolean {
  const url = URL.parse(address);
  const root = URL.parse(apiRoot);
  if (!url || !root || url.username || url.password || url.protocol !== root.protocol) return false;
  if (url.host === root.host) return true;
  const named = /[a-z]$/i.test(root.hostname);
  return named && url.port === "" && url.hostname.endsWith(`.${root.hostname}`);
}

/** Slack's files and hooks are beside its Web API: one client reaches them all, and nothing else. */
export function slackFetch({ apiRoot }: SlackConfig, context: ChannelContext): Fetch {
  let guarded: Fetch | undefined;
  return async (url, init) => {
    if (!isSlackAddress(url, apiRoot)) throw new Error("That address is not Slack's.");
    guarded ??= context.fetchFrom(new URL(apiRoot).origin);
    return await guarded(url, { ...init, redirect: "manual" });
  };
}
