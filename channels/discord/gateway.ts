// The gateway under supervision: connects, backs off, says what is wrong, and notices when it only looks connected.
import { setTimeout as sleep } from "node:timers/promises";
import type { REST } from "discord.js";
import type { Log } from "../../src/core/log.ts";
import type { DiscordConfig } from "./config.ts";
import { describe, isUnauthorised, retryAfterOf } from "./errors.ts";
import type { Health } from "./health.ts";
import { type Frame, openShard, type Shard } from "./shard.ts";
import {
  backoff,
  closedWhy,
  finalWhy,
  hasContentIntent,
  intentMissing,
  recheck,
  startedTooOften,
  tokenUnknown,
} from "./trouble.ts";

export interface GatewayPorts {
  readonly rest: REST;
  readonly config: DiscordConfig;
  readonly log: Log;
  readonly health: Health;
  /** Who the bot is, asked before every new session; gives the application's flags. */
  introduce(): Promise<number | undefined>;
  dispatch(frame: Frame): void;
  /** Nothing was said for a while, and the connection is alive. */
  beat(): void;
}

export interface Gateway {
  /** Resolves after the first try, however it went. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Guilds, messages in servers, direct messages, and what people write. */
const intents = (1 << 0) | (1 << 9) | (1 << 12) | (1 << 15);
const identifyEvery = 5000;
const longestPatience = 10_000;
/** A session that cannot be resumed that often is given up. */
const resumeTries = 3;
const deafAgain = 10 * 60 * 1000;

interface Run {
  readonly ports: GatewayPorts;
  readonly stopping: AbortController;
  readonly info: { url: string };
  readonly tried: () => void;
  shard?: Shard;
  failures: number;
  /** Since when it is connected; undefined while it is not. */
  settledAt: number | undefined;
  /** Sessions in a row that ended as soon as they began or went on. */
  hasty: number;
  refusals: number;
  helloAt: number | undefined;
  deafAt: number;
  /** The intent was refused: the flags say when it is worth asking again. */
  intentRefused: boolean;
}

export function createGateway(ports: GatewayPorts): Gateway {
  const stopping = new AbortController();
  let run: Run | undefined;
  let watch: NodeJS.Timeout | undefined;
  return {
    async start() {
      let tried = () => {};
      const first = new Promise<void>((resolve) => {
        tried = resolve;
      });
      const it: Run = {
        ...{ ports, stopping, tried, info: { url: "" }, failures: 0, refusals: 0 },
        ...{ helloAt: undefined, deafAt: 0, intentRefused: false, settledAt: undefined, hasty: 0 },
      };
      run = it;
      it.shard = await openShard(shardPorts(it));
      watch = setInterval(() => look(it), Math.max(50, patienceOf(ports) / 4)).unref();
      it.shard.connect();
      await first;
    },
    async stop() {
      stopping.abort();
      clearInterval(watch);
      run?.tried();
      await run?.shard?.stop();
      ports.health.stopped();
    },
  };
}

function patienceOf({ config }: GatewayPorts): number {
  return Math.min(longestPatience, config.deafSeconds * 1000);
}

function shardPorts(it: Run): Parameters<typeof openShard>[0] {
  const { ports, info, stopping } = it;
  const { health, config } = ports;
  return {
    ...{ token: config.token, intents, info, patience: patienceOf(ports) },
    identifyEvery: config.pace === "on" ? identifyEvery : 0,
    async mayConnect(session) {
      const tries = it.failures + hastyTries(it);
      if (tries > 0) await pause(backoff(tries - 1), stopping.signal);
      it.failures += 1;
      if (session && it.failures > resumeTries) it.shard?.forgetSession();
      if (!session || it.failures > resumeTries) await prepare(it);
      return !stopping.signal.aborted;
    },
    hello() {
      it.helloAt = Date.now();
      health.contact();
    },
    beat() {
      health.contact();
      if (health.state() === "connected") ports.beat();
    },
    settled: () => settle(it),
    dispatch(frame) {
      health.dispatched();
      ports.dispatch(frame);
    },
    closed: (code) => closed(it, code),
    failed(error) {
      if (!stopping.signal.aborted) trouble(it, describe(error, config.token));
    },
  };
}

/** Connecting works, and what is connected does not last: the first ones are chance. */
function hastyTries(it: Run): number {
  const { settledAt, ports } = it;
  if (settledAt !== undefined)
    it.hasty = Date.now() - settledAt < patienceOf(ports) ? it.hasty + 1 : 0;
  it.settledAt = undefined;
  return Math.max(0, it.hasty - 2);
}

function settle(it: Run): void {
  const { ports, tried } = it;
  if (ports.health.state() !== "connected") ports.log.info({}, "Connected to Discord");
  ports.health.connected();
  it.settledAt = Date.now();
  Object.assign(it, { failures: 0, refusals: 0, helloAt: undefined, intentRefused: false });
  tried();
}

/** Where to connect and as whom; tried until it works. */
async function prepare(it: Run): Promise<void> {
  const { ports, info, stopping } = it;
  for (let failures = 0; !stopping.signal.aborted; failures += 1) {
    try {
      const flags = await ports.introduce();
      const wait = it.intentRefused && !hasContentIntent(flags) ? refused(it, intentMissing) : 0;
      const found = wait === 0 ? await findGateway(ports) : { wait };
      if ("url" in found) {
        info.url = found.url;
        return;
      }
      if ("why" in found) trouble(it, found.why);
      await pause(found.wait, stopping.signal);
    } catch (error) {
      if (stopping.signal.aborted) return;
      const wait = unreached(it, error) ?? backoff(failures);
      await pause(wait, stopping.signal);
    }
  }
}

/** Ms until the next try, where it is known. */
function unreached(it: Run, error: unknown): number | undefined {
  if (isUnauthorised(error)) return refused(it, tokenUnknown);
  trouble(it, describe(error, it.ports.config.token));
  return retryAfterOf(error);
}

interface GatewayAnswer {
  readonly url: string;
  readonly session_start_limit?: { readonly remaining: number; readonly reset_after: number };
}

type Found = { readonly url: string } | { readonly wait: number; readonly why: string };

async function findGateway({ rest, config }: GatewayPorts): Promise<Found> {
  const { url, session_start_limit: starts } = (await rest.get("/gateway/bot")) as GatewayAnswer;
  // The token goes there: unencrypted only to this machine.
  const safe = new URL(url).protocol === "wss:" || config.apiRoot.startsWith("http:");
  if (!safe) throw new Error("Discord's gateway is not reached over TLS.");
  return starts && starts.remaining <= 0 ? startedTooOften(starts.reset_after) : { url };
}

function trouble({ ports, tried }: Run, why: string): void {
  const { health, log } = ports;
  // Once for each kind of trouble, however often it is met.
  if (health.read().lastError !== why) log.warn({ why }, "Discord is not heard");
  health.trouble("reconnecting", why);
  tried();
}

/** Only an operator can mend it: asked again rarely, and not of the gateway. Gives the ms until then. */
function refused(it: Run, code: number): number {
  const { ports, tried } = it;
  const why = finalWhy(code) ?? closedWhy(code);
  if (ports.health.read().lastError !== why) ports.log.error({ why }, "Discord refuses the bot");
  ports.health.trouble("unauthorised", why);
  tried();
  return recheck(ports.config.deafSeconds, it.refusals);
}

function closed(it: Run, code: number): void {
  const { ports, stopping, shard } = it;
  it.helloAt = undefined;
  if (stopping.signal.aborted) return;
  if (finalWhy(code) === undefined) {
    ports.health.reconnecting();
    ports.log.info({}, closedWhy(code));
    return;
  }
  it.intentRefused = code === intentMissing;
  it.refusals += 1;
  void pause(refused(it, code), stopping.signal).then(() => shard?.connect());
}

/** Connected, and yet nothing comes; or it was let in and never told that it may begin. */
function look(it: Run): void {
  const { ports, shard } = it;
  const { health, log } = ports;
  const enough = 2 * patienceOf(ports) + identifyEvery;
  const stuck = it.helloAt !== undefined && Date.now() - it.helloAt > enough;
  const deaf = health.state() === "connected" && health.isDeaf();
  if (!stuck && !deaf) return;
  const again = Date.now() - it.deafAt < deafAgain;
  it.deafAt = Date.now();
  it.helloAt = undefined;
  log.warn({}, "Discord is connected and nothing is heard: connecting anew");
  health.trouble("reconnecting", "Discord was connected, but nothing was heard.");
  shard?.reconnect(deaf && !again);
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
