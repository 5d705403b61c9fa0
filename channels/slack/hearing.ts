// The way in, put together: by sockets or by requests, through Bolt, until it is durable.
import { setTimeout as sleep } from "node:timers/promises";
import type { WebClient, WebClientOptions } from "@slack/web-api";
import type { Accept, ChannelContext, Route } from "../../src/core/channel.ts";
import { openBolt } from "./bolt.ts";
import { catchUp } from "./catch-up.ts";
import type { SlackConfig } from "./config.ts";
import { createCursors } from "./cursors.ts";
import { codeOf, describe, unauthorised } from "./errors.ts";
import type { Health } from "./health.ts";
import { createHttp } from "./http.ts";
import { createIntake, type Intake } from "./intake.ts";
import type { People } from "./people.ts";
import { createReader, type Reader } from "./reader.ts";
import type { Self } from "./self.ts";
import { createSocket } from "./socket.ts";
import type { Threads } from "./threads.ts";
import { type Body, isEvent, type SlackMessage } from "./wire.ts";

export interface HearingPorts {
  readonly client: WebClient;
  readonly options: WebClientOptions;
  readonly config: SlackConfig;
  readonly context: ChannelContext;
  readonly health: Health;
  readonly self: Self;
  readonly people: People;
  readonly threads: Threads;
}

export interface Hearing {
  start(accept: Accept): Promise<void>;
  stop(): Promise<void>;
  /** In HTTP mode. */
  readonly route?: Route;
}

export function openHearing(ports: HearingPorts): Hearing {
  const { config, context, health, self, people } = ports;
  const { log, notes } = context;
  const stopping = new AbortController();
  const cursors = createCursors(notes, (error) =>
    log.error({ why: describe(error) }, "Where reading stopped could not be kept"),
  );
  const intake = intakeOf(ports, cursors);
  const reader = createReader({ people, replies: config.replies, me: self.me });
  const introduce = async () => void (await self.check());
  const skip = (error: unknown): [] => {
    log.error({ why: describe(error) }, "An event could not be read and is skipped");
    return [];
  };
  const lost = (error: unknown) =>
    log.warn({ why: describe(error) }, "What was missed is not known");
  const offer = pastOf(ports, { intake, reader, skip });
  const onOpen = (signal: AbortSignal) => {
    cursors.gap();
    catchUp({ ...ports, cursors, log, offer }, signal).catch(lost);
  };
  const door = doorOf(ports, {
    introduce,
    onUnreadable: skip,
    onOpen,
    signal: stopping.signal,
  });
  const bolt = openBolt(
    {
      clientOptions: ports.options,
      intake,
      onUnreadable: skip,
      translate(body) {
        noteBody(ports, body, check);
        return reader.read(body);
      },
    },
    door.door,
  );
  const check = checker(ports, door);
  let checking: Promise<void> = Promise.resolve();
  return {
    ...(door.route ? { route: door.route } : {}),
    async start(accept) {
      intake.start(accept);
      await cursors.load().catch(lost);
      if (door.route) await check();
      await bolt.start();
      checking = everySo(config.checkSeconds * 1000, check, stopping.signal);
    },
    async stop() {
      stopping.abort();
      await intake.stop();
      await bolt.stop();
      await checking;
      await cursors.flush();
      health.stopped();
    },
  };
}

interface Past {
  readonly intake: Intake;
  readonly reader: Reader;
  skip(error: unknown): [];
}

/** What was missed goes the way of what is told. True once all of it is durable. */
function pastOf(ports: HearingPorts, { intake, reader, skip }: Past) {
  return async (chat: string, messages: readonly SlackMessage[]): Promise<boolean> => {
    const place = { chat, shared: messages.length > 0 && (await isShared(ports, chat)) };
    const taken = messages.map((message) =>
      intake.offer(reader.readPast(place, message).then((event) => (event ? [event] : []), skip)),
    );
    return (await Promise.all(taken)).every(Boolean);
  };
}

/** History does not tell, and only in an organisation it matters who else is there. */
async function isShared({ self, people }: HearingPorts, chat: string): Promise<boolean> {
  return self.known()?.enterprise === undefined || (await people.isShared(chat));
}

function intakeOf(
  { context, health, threads }: HearingPorts,
  cursors: ReturnType<typeof createCursors>,
): Intake {
  return createIntake({
    onHeard(events) {
      for (const event of events) threads.heard(event);
      cursors.heard(events);
    },
    onTaken(events) {
      health.stored();
      cursors.taken(events);
    },
    onTrouble(error, failures) {
      const why = `Messages cannot be stored: ${describe(error)}`;
      health.cannotStore(why);
      context.log.error({ why, failures }, "A batch was not taken, it is tried again");
    },
  });
}

interface Opening {
  introduce(): Promise<void>;
  onUnreadable(error: unknown): void;
  onOpen(signal: AbortSignal): void;
  readonly signal: AbortSignal;
}

function doorOf({ config, options, health, self }: HearingPorts, opening: Opening) {
  const { appToken, signingSecret = "", pingSeconds } = config;
  if (appToken) {
    const socket = createSocket({
      appToken,
      pingMs: pingSeconds * 1000,
      clientOptions: options,
      health,
      ...opening,
    });
    // That the token counts says nothing about the socket.
    const counts = (again: boolean) => (again ? socket.renew() : undefined);
    return { door: socket, counts, unreachable: () => undefined };
  }
  const http = createHttp({
    signingSecret,
    health,
    now: Date.now,
    introduce: async () => void (await self.me()),
    onOpen: () => open(),
  });
  const open = reopening(opening);
  let away = false;
  return {
    door: http,
    route: http.route,
    counts() {
      health.connected();
      // Who could not reach Slack was not reached by it, either.
      if (away) open();
      away = false;
    },
    unreachable(why: string) {
      away = true;
      health.trouble("reconnecting", why);
    },
  };
}

/** Each opening ends the one before. */
function reopening({ onOpen, signal }: Opening): () => void {
  let last = new AbortController();
  return () => {
    last.abort();
    last = new AbortController();
    onOpen(AbortSignal.any([signal, last.signal]));
  };
}

/** Every event is a sign that Slack tells us something. */
function noteBody({ health, self }: HearingPorts, body: Body, check: () => Promise<void>): void {
  health.event();
  if (!isEvent(body)) return;
  const { type, channel, user, bot_id } = body.event ?? {};
  const me = self.known();
  const own = me && (user === me.user || (bot_id !== undefined && bot_id === me.bot));
  if (type === "message" && own && channel) health.heardOwn(channel);
  if (type === "tokens_revoked" || type === "app_uninstalled") void check();
}

interface Answered {
  /** The token counts; `again`: what was opened with it does not hear. */
  counts(again: boolean): void;
  unreachable(why: string): void;
}

/** Asks Slack whether the token counts. */
function checker({ health, self }: HearingPorts, it: Answered): () => Promise<void> {
  let lost = false;
  return async () => {
    try {
      await self.check();
      it.counts(lost || health.isDeaf());
      lost = false;
    } catch (error) {
      const why = describe(error);
      if (!unauthorised.has(codeOf(error) ?? "")) return it.unreachable(why);
      lost = true;
      health.trouble("unauthorised", why);
    }
  };
}

async function everySo(ms: number, work: () => Promise<void>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await sleep(ms, undefined, { signal }).catch(() => undefined);
    if (!signal.aborted) await work();
  }
}
