// The two clients of Discord's REST API: one that fails visibly, for what goes out, and one that waits, for what is read.
import { REST, type RESTOptions, type ResponseLike } from "discord.js";
import type { ChannelContext, Fetch } from "../../src/core/channel.ts";
import type { DiscordConfig } from "./config.ts";

export interface Clients {
  /** Sends once and never waits: a limit, a broken connection and silence are the caller's to know. */
  readonly quick: REST;
  /** The same with more time, for files. */
  readonly uploads: REST;
  /** For presses and commands: Discord gives three seconds, and the limit of all other calls is not theirs. */
  readonly answers: REST;
  /** Waits for limits and tries again, where nothing can happen twice. */
  readonly patient: REST;
  /** A token that was refused once is forgotten by discord.js; it may count again. */
  renew(): void;
  close(): void;
}

const callMs = 15_000;
const answerMs = 10_000;
const uploadMs = 120_000;
/** Below the limit of 50, so that presses are acknowledged in a rush of sends as well. */
const perSecond = 49;
/** What is read afterwards leaves room for what goes out. */
const slowly = 20;

export function openClients(config: DiscordConfig, context: ChannelContext): Clients {
  const { apiRoot, token } = config;
  const fetch = context.proxied ? context.fetchFrom(apiRoot) : globalThis.fetch;
  const client = (options: Partial<RESTOptions>) =>
    new REST({
      api: `${apiRoot}/api`,
      version: "10",
      globalRequestsPerSecond: config.pace === "on" ? perSecond : Number.POSITIVE_INFINITY,
      makeRequest: (url, init) => requestOnce(fetch as Fetch, url, init as RequestInit),
      ...options,
    }).setToken(token);
  const visible = { retries: 0, rejectOnRateLimit: () => true };
  const all = {
    quick: client({ ...visible, timeout: callMs }),
    uploads: client({ ...visible, timeout: uploadMs }),
    answers: client({
      ...visible,
      timeout: answerMs,
      globalRequestsPerSecond: Number.POSITIVE_INFINITY,
    }),
    patient: client({ retries: 2, timeout: callMs, globalRequestsPerSecond: slowly }),
  };
  const each = Object.values(all);
  return {
    ...all,
    renew: () => {
      for (const rest of each) rest.setToken(token);
    },
    close: () => {
      for (const rest of each) {
        rest.clearHandlerSweeper();
        rest.clearHashSweeper();
      }
    },
  };
}

/** discord.js bounds the time until an answer begins; read to its end in here, the whole of it is bounded. */
async function requestOnce(fetch: Fetch, url: string, init: RequestInit): Promise<ResponseLike> {
  const { method, headers, body, signal } = init;
  const response = await fetch(url, {
    ...(method === undefined ? {} : { method }),
    ...(headers === undefined ? {} : { headers }),
    ...(body === undefined ? {} : { body }),
    ...(signal === undefined ? {} : { signal }),
    redirect: "manual",
  });
  const { status, statusText } = response;
  const bytes = await response.arrayBuffer();
  if (bytes.byteLength > 0)
    return new Response(bytes, { status, statusText, headers: response.headers }) as ResponseLike;
  // Without a body there is no type either: discord.js would try to read it.
  const bare = new Headers(response.headers);
  bare.delete("content-type");
  return new Response(null, { status, statusText, headers: bare }) as ResponseLike;
}
