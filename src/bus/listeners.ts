// The listeners that are open: started side by side, so that one's trouble slows no other.
import type { Accept, Channel, Listener, ListenerHealth, MenuEntry } from "../core/channel.ts";
import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import type { ListenerId } from "../core/words.ts";

export interface Open {
  readonly channel: Channel;
  readonly listener: Listener;
}

export interface Listeners {
  /** Known from here on: can be sent to, does not hear yet. */
  add(open: Open): void;
  /** Opens it for events; a start that fails is logged and shows in its health. Never rejects. */
  start(id: ListenerId): Promise<void>;
  remove(id: ListenerId): Promise<void>;
  get(id: ListenerId): Open | undefined;
  all(): readonly Open[];
  /** Each settles once its first start has ended, well or not. */
  started(): Promise<void>;
  stop(): Promise<void>;
}

export interface ListenersPorts {
  readonly log: Log;
  readonly clock: Clock;
  readonly menu: readonly MenuEntry[];
  accept(id: ListenerId): Accept;
}

export function createListeners({ log, menu, accept }: ListenersPorts): Listeners {
  const open = new Map<ListenerId, Open>();
  const starts = new Set<Promise<void>>();

  const start = async (listener: Listener) => {
    try {
      await listener.start(accept(listener.id));
      // A token that is refused sets no menu either, and was said to be.
      if (listener.health().state !== "unauthorised") await listener.setMenu?.(menu);
    } catch (error) {
      log.error({ listener: listener.id, error }, "A listener could not start");
    }
  };
  return {
    add(one) {
      open.set(one.listener.id, one);
    },
    async start(id) {
      const one = open.get(id);
      if (!one) return;
      const starting = start(one.listener).finally(() => starts.delete(starting));
      starts.add(starting);
      await starting;
    },
    async remove(id) {
      const one = open.get(id);
      open.delete(id);
      await one?.listener.stop();
    },
    get: (id) => open.get(id),
    all: () => [...open.values()],
    async started() {
      await Promise.all(starts);
    },
    async stop() {
      await Promise.allSettled([...open.values()].map(({ listener }) => listener.stop()));
    },
  };
}

/** Too long without a sign of life from the platform, ms. */
export const deafAfter = 5 * 60_000;

/** Why a listener cannot hear, in a sentence for an owner; undefined while it can. */
export function trouble(health: ListenerHealth, now: number): string | undefined {
  if (health.state === "unauthorised") return health.lastError ?? "its token no longer counts";
  const silent = now - (health.lastContact ?? now);
  if (health.state === "deaf" || silent >= deafAfter)
    return `it has heard nothing from its platform for ${Math.max(1, Math.round(silent / 60_000))} minutes`;
  return undefined;
}
