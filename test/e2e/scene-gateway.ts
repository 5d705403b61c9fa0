// A whole gateway in this process with channels to fake platforms, and an agent that notes what it was given.
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { call } from "../../src/cli/control-client.ts";
import { loadConfig, type StartFlags } from "../../src/config/config.ts";
import { readEnvironment } from "../../src/config/environment.ts";
import { ensureState, type Place, placeOf, socketOf } from "../../src/config/paths.ts";
import { writeSecret } from "../../src/config/secrets.ts";
import { setChannel, setSetting } from "../../src/config/settings-file.ts";
import { type Gateway, startGateway } from "../../src/gateway.ts";
import { temporaryFolder } from "../fakes/agent-rig.ts";

export interface ChannelSpec {
  readonly id: string;
  /** With its kind. */
  readonly config: Readonly<Record<string, unknown>>;
  /** By the key of the config. */
  readonly secrets: Readonly<Record<string, string>>;
}

export interface RigOptions {
  readonly channels: readonly ChannelSpec[];
  readonly flags?: StartFlags;
  readonly settings?: Readonly<Record<string, readonly string[]>>;
  /** Runs when the gateway is down and before its folder goes. */
  readonly after?: () => Promise<void>;
}

/** What one session of the agent was given, a line each. */
export interface Heard {
  readonly session: string;
  readonly texts: readonly string[];
}

export interface Rig {
  readonly place: Place;
  readonly workspace: string;
  readonly log: string[];
  /** An operation of the operator, through the control socket. */
  admin(name: string, input?: unknown): Promise<unknown>;
  /** What the agents were given so far, by session, in the order in which the sessions began. */
  heard(): Heard[];
  /** Looks again and again, as nothing tells of what is in a file. */
  until(what: string, done: () => boolean): Promise<void>;
  stop(): Promise<void>;
  start(): Promise<void>;
}

const fakeAgentPath = join(import.meta.dirname, "../fakes/acp-agent.ts");

export async function startStageGateway(t: TestContext, options: RigOptions): Promise<Rig> {
  let gateway: Gateway | undefined;
  const stop = async () => {
    const running = gateway;
    gateway = undefined;
    await running?.stop();
  };
  // Before the folder goes: hooks run in their order.
  t.after(async () => {
    await stop();
    await options.after?.();
  });
  const folder = temporaryFolder(t);
  const place = await prepare(folder, options);
  const log: string[] = [];
  const record = join(folder, "heard.jsonl");
  const start = async () => {
    gateway = await open(place, options.flags ?? noting(record), log);
    await gateway.ready;
  };
  await start();
  return {
    ...{ place, workspace: place.workspace, log, start, stop },
    admin: (name, input = {}) => operate(place, name, input),
    heard: () => heardIn(record),
    until,
  };
}

/** The scriptable agent, which keeps everything that it is told. */
function noting(record: string): StartFlags {
  const words = [process.execPath, fakeAgentPath, JSON.stringify({ record, embeds: true })];
  return { command: words.map((word) => `'${word}'`).join(" ") };
}

async function prepare(folder: string, { channels, settings = {} }: RigOptions): Promise<Place> {
  const workspace = join(folder, "project");
  mkdirSync(workspace);
  const placed = placeOf({ workspace, state: join(folder, "state") }, readEnvironment());
  if (!placed.ok) throw new Error(placed.problem);
  const { place } = placed;
  ensureState(place.paths);
  for (const { id, config, secrets } of channels) {
    for (const [key, value] of Object.entries(secrets))
      writeSecret(place.paths, `${id}.${key}`, value);
    const set = await setChannel(place.paths, id, { pace: "off", ...config });
    if (!set.ok) throw new Error(set.problem);
  }
  for (const [key, words] of Object.entries(settings)) await setSetting(place.paths, key, words);
  return place;
}

async function open(place: Place, given: StartFlags, log: string[]): Promise<Gateway> {
  const flags: StartFlags = { sandbox: "local", ...given };
  const sink = { pretty: false, quiet: false, write: (line: string) => void log.push(line) };
  const config = await loadConfig({ place, environment: readEnvironment(), flags, log: sink });
  if (!config.ok) throw new Error(config.problem);
  const started = await startGateway(config.value);
  if (!started.ok) throw new Error(started.problem);
  return started.gateway;
}

async function operate({ paths }: Place, name: string, input: unknown): Promise<unknown> {
  const { body } = await call(socketOf(paths), { path: `/admin/${name}`, body: input });
  const outcome = body as { ok: boolean; value?: unknown; problem?: string };
  if (!outcome.ok) throw new Error(`${name}: ${outcome.problem}`);
  return outcome.value;
}

async function until(what: string, done: () => boolean): Promise<void> {
  for (const deadline = Date.now() + 15_000; !done(); await delay(20))
    if (Date.now() > deadline) throw new Error(`${what} did not come within 15 s`);
}

interface PromptLine {
  readonly method?: string;
  readonly params?: { readonly sessionId: string; readonly prompt: readonly unknown[] };
}

function heardIn(record: string): Heard[] {
  const sessions = new Map<string, string[]>();
  const lines = existsSync(record) ? readFileSync(record, "utf8").split("\n").filter(Boolean) : [];
  for (const line of lines) {
    const { method, params } = JSON.parse(line) as PromptLine;
    if (method !== "session/prompt" || !params) continue;
    const texts = sessions.get(params.sessionId) ?? [];
    sessions.set(params.sessionId, [...texts, ...params.prompt.map(textIn)]);
  }
  return [...sessions].map(([session, texts]) => ({ session, texts }));
}

function textIn(block: unknown): string {
  const { type, text } = block as { type: string; text?: string };
  return type === "text" ? (text ?? "") : JSON.stringify(block);
}
