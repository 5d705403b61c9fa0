// Opens the listeners of the settings, and the terminal's.
import { channels } from "../../channels/index.ts";
import { settled } from "../admin/settled.ts";
import type { Open } from "../bus/listeners.ts";
import { createTerminal } from "../cli/terminal/channel.ts";
import type { Config } from "../config/config.ts";
import { channelSecret, readSecret } from "../config/secrets.ts";
import type { Settings } from "../config/settings.ts";
import type { ChannelContext } from "../core/channel.ts";
import type { ListenerId } from "../core/words.ts";
import type { Store } from "../store/store.ts";
import type { Live } from "./wiring.ts";

export function openTerminal(config: Config, store: Store): Open {
  const channel = createTerminal({
    settled: (chat, signal) => settled(store, { listener: "terminal", chat }, signal),
  });
  return { channel, listener: channel.open({}, contextOf(config, config.settings, "terminal")) };
}

/** The channel of `channels.<id>`, not listening yet, or what is wrong with it. */
export async function openChannel(
  { config, live }: { config: Config; live: Live },
  id: ListenerId,
): Promise<Open | string> {
  const entry = live.settings.channels[id];
  const load = entry && Object.hasOwn(channels, entry.kind) ? channels[entry.kind] : undefined;
  if (!entry || !load) return `There is no channel ${id} of a known kind.`;
  const token = readSecret(config.paths, channelSecret(id));
  if (!token)
    return `${id} has no token. Give it one with: sallyport secret set ${channelSecret(id)}`;
  const { channel, configSchema } = await load();
  const { kind: _, ...settings } = entry;
  const parsed = configSchema.safeParse({ ...settings, token });
  if (!parsed.success)
    return `${id}: ${parsed.error.issues.map(({ message }) => message).join("; ")}`;
  return { channel, listener: channel.open(parsed.data, contextOf(config, live.settings, id)) };
}

function contextOf(
  { log, environment }: Config,
  { http }: Settings,
  listener: ListenerId,
): ChannelContext {
  const { proxies } = environment;
  const proxied = http.useEnvProxy && (proxies.http || proxies.https) !== "";
  return {
    listener,
    log,
    proxied,
    fetchFrom(root) {
      // Loaded with the first file that somebody sends.
      const client = import("../net/guarded-fetch.ts").then(({ createGuardedFetch }) =>
        createGuardedFetch({ allow: { root }, ...(proxied ? { proxies } : {}) }),
      );
      return async (url, init) => (await client).fetch(url, init);
    },
  };
}
