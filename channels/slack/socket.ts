// Socket Mode: one socket at a time, opened anew whenever it ends. The client would open sockets by itself, but waits
// long after a failure and leaves a rejection behind when Slack cannot be asked for an address.
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { setTimeout as sleep } from "node:timers/promises";
import { SocketModeClient } from "@slack/socket-mode";
import type { WebClientOptions } from "@slack/web-api";
import type { Door, Hand } from "./bolt.ts";
import { silent } from "./client.ts";
import { codeOf, describe, retryAfterOf, unauthorised } from "./errors.ts";
import type { Health } from "./health.ts";
import { backoff } from "./intake.ts";

export interface SocketPorts {
  readonly appToken: string;
  readonly pingMs: number;
  readonly clientOptions: WebClientOptions;
  readonly health: Health;
  /** Asked before the first socket, and again until it works. */
  introduce(): Promise<void>;
  onUnreadable(error: unknown): void;
  /** Events come now. */
  onOpen(signal: AbortSignal): void;
}

export interface SocketDoor extends Door {
  /** Opens another socket: this one does not hear. */
  renew(): void;
}

/** How a socket came to its end. */
interface Ending {
  /** Slack's word for it; it announces that it closes a socket for its own reasons. */
  readonly reason: string;
  readonly lasted: number;
}

interface Run {
  readonly ports: SocketPorts;
  readonly hand: Hand;
  readonly signal: AbortSignal;
  /** Acknowledgements on their way. */
  readonly acks: Set<Promise<void>>;
  renew: () => void;
}

const patience = { hello: 15_000, close: 2_000, acks: 2_000 };
/** A socket that held this long has worked. */
const steady = 10_000;
const unauthorisedWait = 60_000;

export function createSocket(ports: SocketPorts): SocketDoor {
  const stopping = new AbortController();
  let run: Run | undefined;
  let loop: Promise<void> = Promise.resolve();
  return {
    start(hand) {
      const it: Run = { ports, hand, signal: stopping.signal, acks: new Set(), renew() {} };
      run = it;
      return new Promise((tried) => {
        loop = work(it, tried).finally(tried);
      });
    },
    async stop() {
      if (run) await within(patience.acks, Promise.all(run.acks));
      stopping.abort();
      await loop;
    },
    renew: () => run?.renew(),
  };
}

async function work(it: Run, tried: () => void): Promise<void> {
  const { ports, signal } = it;
  for (let failures = 0; !signal.aborted; ) {
    try {
      await ports.introduce();
      const { reason, lasted } = await oneSocket(it, tried);
      if (signal.aborted) break;
      failures = lasted > steady ? 0 : failures + 1;
      await afterEnd(it, reason, failures);
    } catch (error) {
      tried();
      if (signal.aborted) break;
      await afterFailure(it, error, failures);
      failures += 1;
    }
  }
}

/** Resolves when it has ended; rejects when it never opened. */
async function oneSocket(it: Run, tried: () => void): Promise<Ending> {
  const { ports, signal } = it;
  const client = newClient(it);
  const ended = new AbortController();
  const end = () => ended.abort();
  let reason = "";
  let since = Number.POSITIVE_INFINITY;
  client.on("disconnected", end);
  client.on("ws_message", (data: unknown) => {
    ports.health.contact();
    reason = reasonIn(data) ?? reason;
  });
  signal.addEventListener("abort", end);
  const quiet = hearPings(client, ports.health);
  try {
    await opened(client, signal, () => reason);
    since = performance.now();
    it.renew = end;
    ports.health.connected();
    ports.onOpen(ended.signal);
    tried();
    await aborted(ended.signal);
  } finally {
    quiet();
    signal.removeEventListener("abort", end);
    ended.abort();
    await closed(client);
  }
  return { reason, lasted: Math.max(0, performance.now() - since) };
}

function newClient({ ports, hand, signal, acks }: Run): SocketModeClient {
  const { fetch: given = globalThis.fetch } = ports.clientOptions;
  const client = new SocketModeClient({
    appToken: ports.appToken,
    autoReconnectEnabled: false,
    clientPingTimeout: ports.pingMs,
    serverPingTimeout: Math.max(30_000, ports.pingMs),
    logger: silent,
    clientOptions: {
      ...ports.clientOptions,
      // A stop does not wait for an address.
      fetch: (url, init) =>
        given(url, {
          ...init,
          signal: AbortSignal.any([signal, ...(init?.signal ? [init.signal] : [])]),
        }),
    },
  });
  survive(client, ports.onUnreadable);
  client.on("slack_event", ({ ack, body }: { ack: () => Promise<void>; body: never }) => {
    const done = hand(body)
      // A socket that closed meanwhile takes none: Slack then sends the event again, and it is known.
      .then((taken) => (taken ? ack() : undefined))
      .catch(() => undefined)
      .finally(() => acks.delete(done));
    acks.add(done);
  });
  return client;
}

/** The client's own handler rejects for what has no event in it, and nobody would catch that. */
function survive(client: SocketModeClient, onUnreadable: (error: unknown) => void): void {
  const [own] = client.listeners("ws_message");
  if (!own) return;
  client.removeListener("ws_message", own);
  client.on("ws_message", (...given: unknown[]) => {
    Promise.resolve(own.apply(client, given)).catch(onUnreadable);
  });
}

async function opened(
  client: SocketModeClient,
  signal: AbortSignal,
  reason: () => string,
): Promise<void> {
  const late = new AbortController();
  const tooLate = sleep(patience.hello, undefined, { signal: late.signal }).then(
    () => {
      throw new Error("Slack opened a socket and said nothing");
    },
    () => undefined,
  );
  const starting = client.start();
  starting.catch(() => undefined);
  try {
    await Promise.race([starting, tooLate, aborted(signal, late.signal)]);
  } catch (error) {
    throw reason() ? new SocketRefused(reason()) : error;
  } finally {
    late.abort();
  }
  if (signal.aborted) throw new Error("stopped");
}

/** Slack let go of a socket before it greeted. */
class SocketRefused extends Error {}

/** A peer that does not answer is left after a while: asked a second time, the client tears the socket down. */
async function closed(client: SocketModeClient): Promise<void> {
  if (!client.websocket) return;
  const left = client.disconnect().catch(() => undefined);
  if (await within(patience.close, left)) return;
  await within(
    patience.close,
    client.disconnect().catch(() => undefined),
  );
}

function reasonIn(data: unknown): string | undefined {
  if (typeof data !== "string" || !data.includes('"disconnect"')) return undefined;
  try {
    const { type, reason } = JSON.parse(data) as { type?: unknown; reason?: unknown };
    return type === "disconnect" ? String(reason ?? "disconnect") : undefined;
  } catch {
    return undefined;
  }
}

async function afterEnd(it: Run, reason: string, failures: number): Promise<void> {
  const { health } = it.ports;
  const renewed = reason === "warning" || reason === "refresh_requested";
  if (reason === "link_disabled") return refused(it, reason, failures);
  if (reason === "too_many_websockets") return refused(it, reason, failures);
  if (!renewed) health.trouble("reconnecting", "The connection to Slack broke");
  await pause(renewed && failures < 3 ? 0 : backoff(failures), it.signal);
}

async function afterFailure(it: Run, error: unknown, failures: number): Promise<void> {
  if (error instanceof SocketRefused) return refused(it, error.message, failures);
  const { health } = it.ports;
  const code = codeOf(error) ?? "";
  if (unauthorised.has(code)) {
    health.trouble("unauthorised", describe(error));
    return pause(unauthorisedWait, it.signal);
  }
  health.trouble("reconnecting", describe(error));
  await pause(retryAfterOf(error) ?? backoff(failures, { longest: 30_000 }), it.signal);
}

async function refused(it: Run, reason: string, failures: number): Promise<void> {
  const { health } = it.ports;
  if (reason === "link_disabled") {
    health.trouble(
      "unauthorised",
      "Socket Mode is off for this app. Switch it on in the app's settings, or use HTTP mode.",
    );
    return pause(unauthorisedWait, it.signal);
  }
  const crowded = reason === "too_many_websockets";
  health.trouble(
    "reconnecting",
    crowded
      ? "Too many sockets are open for this app. Stop other programs that use its app-level token."
      : `Slack let go of the socket (${reason})`,
  );
  await pause(backoff(failures, { first: crowded ? 1500 : 200, longest: 60_000 }), it.signal);
}

const frames = ["undici:websocket:ping", "undici:websocket:pong"] as const;

/** Pings are a sign of life; they are told for every socket of this process. Gives what ends it. */
function hearPings(client: SocketModeClient, health: Health): () => void {
  let address = "";
  client.on("authenticated", ({ url }: { url?: string }) => {
    address = URL.parse(url ?? "")?.href ?? "";
  });
  const heard = (message: unknown) => {
    const { websocket } = message as { websocket?: { url?: string } };
    if (address !== "" && websocket?.url === address) health.contact();
  };
  for (const name of frames) subscribe(name, heard);
  return () => {
    for (const name of frames) unsubscribe(name, heard);
  };
}

/** `until`: when nobody waits for it any more. */
function aborted(signal: AbortSignal, until?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    const options = { once: true, ...(until ? { signal: until } : {}) };
    signal.addEventListener("abort", () => resolve(), options);
  });
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}

/** Whether it was done in time. */
async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  const timer = new AbortController();
  const late = sleep(ms, false, { signal: timer.signal }).catch(() => false);
  const done = await Promise.race([work.then(() => true), late]);
  timer.abort();
  return done;
}
