// Opens the listeners of the settings, and the terminal's.
import { channels } from "../../channels/index.ts";
import { settled } from "../admin/settled.ts";
import type { Open } from "../bus/listeners.ts";
import { createTerminal } from "../cli/terminal/channel.ts";
import type { Config } from "../config/config.ts";
import { secretsOf } from "../config/secrets.ts";
import type { ChannelContext } from "../core/channel.ts";
import type { ListenerId } from "../core/words.ts";
import { notesFrom, readNote, writeNote } from "../store/notes.ts";
import type { Store } from "../store/store.ts";
import type { Wiring } from "./wiring.ts";

export function openTerminal(config: Config, store: Store): Open {
  const live = { settings: config.settings };
  const channel = createTerminal({
    settled: (chat, signal) => settled(store, { listener: "terminal", chat }, signal),
  });
  return { channel, listener: channel.open({}, contextOf({ config, live, store }, "terminal")) };
}

/** The channel of `channels.<id>`, not listening yet, or what is wrong with it. */
export async function openChannel(wiring: Opening, id: ListenerId): Promise<Open | string> {
  const { config, live } = wiring;
  const entry = live.settings.channels[id];
  const load = entry && Object.hasOwn(channels, entry.kind) ? channels[entry.kind] : undefined;
  if (!entry || !load) return `There is no channel ${id} of a known kind.`;
  const secrets = secretsOf(config.paths, { id, kind: entry.kind });
  if (typeof secrets === "string") return secrets;
  const { channel, configSchema } = await load();
  const { kind: _, ...settings } = entry;
  const parsed = configSchema.safeParse({ ...settings, ...secrets });
  if (!parsed.success)
    return parsed.error.issues
      .map(
        ({ path, message }) =>
          `channels.${[id, ...path].join(".")}: ${message.replaceAll("ID.", `${id}.`)}`,
      )
      .join("; ");
  return { channel, listener: channel.open(parsed.data, contextOf(wiring, id)) };
}

type Opening = Pick<Wiring, "config" | "live" | "store">;

function contextOf({ config, live, store }: Opening, listener: ListenerId): ChannelContext {
  const { log, environment } = config;
  const { http } = live.settings;
  const { proxies } = environment;
  const proxied = http.useEnvProxy && (proxies.http || proxies.https) !== "";
  return {
    listener,
    log,
    notes: {
      read: (name) => store.run(() => readNote(listener, name)),
      write: (name, value) => store.runSoon(() => writeNote(listener, name, value)),
      list: (prefix) => store.run(() => notesFrom(listener, prefix)),
    },
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
