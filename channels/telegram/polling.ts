// The poll loop: a batch is accepted, then the offset moves. Nothing else is waited for, and nothing ends it but stop.
import { setTimeout as sleep } from "node:timers/promises";
import type { Api } from "grammy";
import type { Update } from "grammy/types";
import type { Accept, ListenerHealth } from "../../src/core/channel.ts";
import type { InboundEvent } from "../../src/core/events.ts";
import type { Log } from "../../src/core/log.ts";
import type { TelegramConfig } from "./config.ts";
import { describe } from "./errors.ts";
import { backoff, troubleOf } from "./trouble.ts";

export interface PollingPorts {
  /** Gives up a call after the poll's time and its grace. */
  readonly api: Api;
  readonly config: TelegramConfig;
  readonly log: Log;
  /** Asked before the first poll, and again until it works. */
  introduce(): Promise<void>;
  translate(update: Update): InboundEvent | null;
}

export interface Polling {
  /** Resolves after the first try to reach the platform, however it went. */
  start(accept: Accept): Promise<void>;
  stop(): Promise<void>;
  health(): ListenerHealth;
}

const wanted = ["message", "edited_message", "callback_query", "my_chat_member"] as const;

interface State {
  state: ListenerHealth["state"];
  lastContact?: number;
  lastEvent?: number;
  lastError?: string;
  since: number;
  /** Of what is accepted and not yet confirmed; none once a poll has confirmed it, as numbering may start anew. */
  offset?: number;
}

export function createPolling(ports: PollingPorts): Polling {
  const stopping = new AbortController();
  const state: State = { state: "starting", since: Date.now() };
  let loop: Promise<void> = Promise.resolve();
  return {
    start(accept) {
      return new Promise((tried) => {
        loop = run({ ports, state, accept, signal: stopping.signal }, tried);
      });
    },
    async stop() {
      stopping.abort();
      await within(patience.loop, loop);
      await confirm(ports, state);
      state.state = "stopped";
    },
    health: () => healthOf(state, ports.config),
  };
}

const patience = { loop: 5000, confirm: 3000 };

interface Run {
  readonly ports: PollingPorts;
  readonly state: State;
  readonly accept: Accept;
  readonly signal: AbortSignal;
}

async function run(it: Run, tried: () => void): Promise<void> {
  const { ports, state, signal } = it;
  let introduced = false;
  for (let failures = 0; !signal.aborted; ) {
    try {
      if (!introduced) {
        await ports.introduce();
        introduced = true;
        noteContact(it);
        tried();
      }
      const updates = await poll(it);
      failures = 0;
      noteContact(it);
      await take(it, updates);
    } catch (error) {
      tried();
      if (signal.aborted) break;
      await recover(it, error, failures);
      failures += 1;
    }
  }
  if (state.state === "starting") tried();
}

async function poll({ ports, state, signal }: Run): Promise<Update[]> {
  const { offset } = state;
  const updates = await ports.api.getUpdates(
    {
      ...(offset === undefined ? {} : { offset }),
      timeout: ports.config.pollSeconds,
      allowed_updates: wanted,
    },
    // grammY names the signal of a polyfill; it takes any.
    signal as never,
  );
  delete state.offset;
  return updates;
}

/** The same batch is offered until it is durable: only then may the platform forget it. */
async function take(it: Run, updates: readonly Update[]): Promise<void> {
  if (updates.length === 0) return;
  const { ports, state, accept, signal } = it;
  const events = updates.flatMap((update) => translated(ports, update));
  for (let failures = 0; events.length > 0; failures += 1) {
    try {
      await accept(events);
      state.lastEvent = Date.now();
      break;
    } catch (error) {
      if (signal.aborted) return;
      state.lastError = `Messages cannot be stored: ${describe(error, ports.config.token)}`;
      ports.log.error(
        { why: state.lastError, failures },
        "A batch was not taken, it is tried again",
      );
      await pause(backoff(failures), signal);
      if (signal.aborted) return;
    }
  }
  delete state.lastError;
  state.offset = Math.max(...updates.map(({ update_id }) => update_id)) + 1;
}

function translated({ translate, log, config }: PollingPorts, update: Update): InboundEvent[] {
  try {
    const event = translate(update);
    return event ? [event] : [];
  } catch (error) {
    const why = describe(error, config.token);
    log.error({ update: update.update_id, why }, "An update could not be read and is skipped");
    return [];
  }
}

function noteContact({ ports, state }: Run): void {
  if (state.state !== "connected") ports.log.info({}, "Connected to Telegram");
  state.state = "connected";
  state.lastContact = Date.now();
  delete state.lastError;
}

async function recover({ ports, state, signal }: Run, error: unknown, failures: number) {
  const trouble = troubleOf(error, ports.config.token, failures);
  // Once for each kind of trouble, however often it is met.
  if (state.lastError !== trouble.why)
    ports.log.warn({ why: trouble.why }, "Telegram is not heard");
  state.state = trouble.state;
  state.lastError = trouble.why;
  if (trouble.webhook) await ports.api.deleteWebhook().catch(() => undefined);
  await pause(trouble.wait, signal);
}

/** What was accepted must not come again at the next start. */
async function confirm({ api }: PollingPorts, { offset }: State): Promise<void> {
  if (offset === undefined) return;
  const signal = AbortSignal.timeout(patience.confirm) as never;
  await api.getUpdates({ offset, limit: 1, timeout: 0 }, signal).catch(() => undefined);
}

function healthOf(state: State, { deafSeconds }: TelegramConfig): ListenerHealth {
  const { since, offset: _, ...health } = state;
  const silent = Date.now() - (state.lastContact ?? since);
  const deaf =
    silent > deafSeconds * 1000 && ["connected", "starting", "reconnecting"].includes(state.state);
  return deaf ? { ...health, state: "deaf" } : health;
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}

async function within(ms: number, work: Promise<void>): Promise<void> {
  const timer = new AbortController();
  await Promise.race([work, pause(ms, timer.signal)]);
  timer.abort();
}
