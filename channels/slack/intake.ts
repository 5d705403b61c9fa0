// What was heard, on its way to become durable: in order, in batches, tried again until it is, and each key once.
import { setTimeout as sleep } from "node:timers/promises";
import type { Accept } from "../../src/core/channel.ts";
import type { InboundEvent } from "../../src/core/events.ts";

export interface IntakePorts {
  /** Before it is durable: for what must be known of it even if it never becomes so. */
  onHeard(events: readonly InboundEvent[]): void;
  onTaken(events: readonly InboundEvent[]): void;
  onTrouble(error: unknown, failures: number): void;
}

export interface Intake {
  start(accept: Accept): void;
  /** Resolves once the events are durable, or with false when that is left to a next run. Never rejects. */
  offer(events: Promise<readonly InboundEvent[]>): Promise<boolean>;
  /** What is being accepted is finished; what waits is left to the platform. */
  stop(): Promise<void>;
}

interface Item {
  readonly events: Promise<readonly InboundEvent[]>;
  settle(taken: boolean): void;
}

const most = 200;
const remembered = 5000;

export function createIntake(ports: IntakePorts): Intake {
  const stopping = new AbortController();
  const { signal } = stopping;
  const waiting: Item[] = [];
  const known = new Set<string>();
  let accept: Accept | undefined;
  let running: Promise<void> | undefined;

  const take = async (items: readonly Item[]): Promise<boolean> => {
    const events = onceEach((await Promise.all(items.map((item) => item.events))).flat(), known);
    if (events.length === 0) return true;
    ports.onHeard(events);
    for (let failures = 0; accept && !signal.aborted; failures += 1) {
      try {
        await accept(events);
        remember(known, events);
        ports.onTaken(events);
        return true;
      } catch (error) {
        ports.onTrouble(error, failures);
        await sleep(backoff(failures), undefined, { signal }).catch(() => undefined);
      }
    }
    return false;
  };
  const run = async () => {
    while (waiting.length > 0) {
      const items = waiting.splice(0, most);
      const taken = !signal.aborted && (await take(items));
      for (const item of items) item.settle(taken);
    }
  };
  const wake = () => {
    if (running || !accept) return;
    running = run().finally(() => {
      running = undefined;
      if (waiting.length > 0) wake();
    });
  };
  return {
    start(given) {
      accept = given;
      wake();
    },
    offer(events) {
      return new Promise((settle) => {
        if (signal.aborted) return settle(false);
        waiting.push({ events, settle });
        wake();
      });
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

/** A post that mentions us is told twice, and what was missed may be told again: the same key is the same event. */
function onceEach(events: readonly InboundEvent[], known: ReadonlySet<string>): InboundEvent[] {
  const found = new Map<string, InboundEvent>();
  for (const event of events)
    if (!known.has(event.key) && !found.has(event.key)) found.set(event.key, event);
  return [...found.values()];
}

function remember(known: Set<string>, events: readonly InboundEvent[]): void {
  for (const { key } of events) known.add(key);
  for (const oldest of known) {
    if (known.size <= remembered) return;
    known.delete(oldest);
  }
}

/** From 200 ms, doubling to 10 s; the half that chance adds keeps many gateways apart. */
export function backoff(failures: number, { first = 200, longest = 10_000 } = {}): number {
  const ms = Math.min(longest, first * 2 ** Math.min(failures, 20));
  return ms / 2 + (Math.random() * ms) / 2;
}
