// A whole gateway in this process, with the real Telegram channel on the fake platform: for tests that act as its people.
import { mkdirSync } from "node:fs";
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
import type { Person } from "../fakes/telegram-people.ts";
import {
  type FakeTelegram,
  startTelegramServer,
  type TelegramServerOptions,
} from "../fakes/telegram-server.ts";
import type { SeenMessage } from "../fakes/telegram-transcript.ts";
import type { FakeChat } from "../fakes/telegram-types.ts";

export interface Member {
  readonly name: string;
  readonly person: Person;
  readonly chat: FakeChat;
  says(text: string): number;
}

export interface Rig {
  readonly fake: FakeTelegram;
  readonly place: Place;
  readonly workspace: string;
  readonly log: string[];
  readonly gateway: () => Gateway;
  /** An operation of the operator, through the control socket. */
  admin(name: string, input?: unknown): Promise<unknown>;
  /** Somebody with a chat, not known to the gateway. */
  stranger(name: string): Member;
  /** Somebody who came in with a real code. */
  member(name: string, role?: "owner" | "authenticated"): Promise<Member>;
  /** The newest message of the bot there that matches. */
  until(chat: FakeChat, pattern: RegExp): Promise<SeenMessage>;
  /** What the bot says in a chat, oldest first. */
  said(chat: FakeChat): SeenMessage[];
  press(who: Member, button: string, chat?: FakeChat): { queryId: string };
  stop(): Promise<void>;
  start(): Promise<void>;
}

export interface RigOptions extends TelegramServerOptions {
  readonly flags?: StartFlags;
  /** Of the channel. */
  readonly channel?: Readonly<Record<string, unknown>>;
  readonly settings?: Readonly<Record<string, readonly string[]>>;
}

const fakeAgentPath = join(import.meta.dirname, "../fakes/acp-agent.ts");

/** The scriptable agent, as what the operator would write down. */
export function scripted(options: Readonly<Record<string, unknown>> = {}): StartFlags {
  const words = [process.execPath, fakeAgentPath, JSON.stringify(options)];
  return { command: words.map((word) => `'${word}'`).join(" ") };
}

export async function startRig(t: TestContext, options: RigOptions = {}): Promise<Rig> {
  const { flags = {}, channel = {}, settings = {}, ...server } = options;
  const fake = await startTelegramServer(server);
  // Before the folder goes: hooks run in their order.
  t.after(() => end());
  const folder = temporaryFolder(t);
  const place = await prepare(folder, { fake, channel, settings });
  const log: string[] = [];
  let gateway: Gateway | undefined;
  const start = async () => {
    gateway = await open(place, flags, log);
    await gateway.ready;
  };
  const stop = async () => {
    const running = gateway;
    gateway = undefined;
    await running?.stop();
  };
  const end = async () => {
    fake.faults.clear();
    await stop();
    await fake.close();
  };
  await start();
  const running = () => {
    if (!gateway) throw new Error("the gateway is stopped");
    return gateway;
  };
  return {
    fake,
    place,
    workspace: place.workspace,
    log,
    gateway: running,
    stop,
    start,
    ...acts(fake, place),
  };
}

/** Asks again and again, as nothing tells of a change in the gateway. */
export async function eventually<T>(
  what: string,
  look: () => Promise<T | undefined | false>,
): Promise<T> {
  for (const deadline = Date.now() + 15_000; ; await delay(20)) {
    const found = await look();
    if (found) return found;
    if (Date.now() > deadline) throw new Error(`${what} did not come within 15 s`);
  }
}

/** So many tasks, and all of them done. */
export function untilDone({ admin }: Rig, count: number): Promise<boolean> {
  return eventually(`the end of ${count} tasks`, async () => {
    const tasks = (await admin("task.list")) as { state: string }[];
    return tasks.length === count && tasks.every(({ state }) => state === "completed");
  });
}

async function prepare(
  folder: string,
  it: {
    fake: FakeTelegram;
    channel: object;
    settings: Readonly<Record<string, readonly string[]>>;
  },
): Promise<Place> {
  const workspace = join(folder, "project");
  mkdirSync(workspace);
  const placed = placeOf({ workspace, state: join(folder, "state") }, readEnvironment());
  if (!placed.ok) throw new Error(placed.problem);
  const { place } = placed;
  ensureState(place.paths);
  writeSecret(place.paths, "telegram.token", it.fake.token);
  const channel = { kind: "telegram", apiRoot: it.fake.url, pace: "off", ...it.channel };
  await setChannel(place.paths, "telegram", channel);
  for (const [key, words] of Object.entries(it.settings)) await setSetting(place.paths, key, words);
  return place;
}

/** In the sandbox `local`, unless the flags say otherwise: most of these agents are files of the tests. */
async function open(place: Place, given: StartFlags, log: string[]): Promise<Gateway> {
  const flags: StartFlags = { sandbox: "local", ...given };
  const sink = { pretty: false, quiet: false, write: (line: string) => void log.push(line) };
  const environment = readEnvironment();
  const config = await loadConfig({ place, environment, flags, log: sink });
  if (!config.ok) throw new Error(config.problem);
  const started = await startGateway(config.value);
  if (!started.ok) throw new Error(started.problem);
  return started.gateway;
}

type Acts = Pick<Rig, "admin" | "stranger" | "member" | "until" | "said" | "press">;

function acts(fake: FakeTelegram, { paths }: Place): Acts {
  const admin: Rig["admin"] = async (name, input = {}) => {
    const { body } = await call(socketOf(paths), { path: `/admin/${name}`, body: input });
    const outcome = body as { ok: boolean; value?: unknown; problem?: string };
    if (!outcome.ok) throw new Error(`${name}: ${outcome.problem}`);
    return outcome.value;
  };
  const said: Rig["said"] = (chat) => fake.messages(chat).filter(({ byBot }) => byBot);
  const until: Rig["until"] = (chat, pattern) =>
    fake.waitFor(() => said(chat).findLast(({ text }) => pattern.test(text)), {
      timeoutMs: 10_000,
      what: String(pattern),
    });
  const stranger: Rig["stranger"] = (name) => {
    const person = fake.user({ name });
    const chat = fake.privateChat(person);
    return { name, person, chat, says: (text) => person.sends(chat, text).messageId };
  };
  return {
    admin,
    said,
    until,
    stranger,
    async member(name, role = "owner") {
      const who = stranger(name);
      const { code } = (await admin("pair.invite", { name, role })) as { code: string };
      who.says(`join ${code}`);
      await until(who.chat, /Welcome/);
      return who;
    },
    press(who, button, chat = who.chat) {
      const shown = said(chat).findLast(({ buttons }) =>
        buttons.flat().some(({ text }) => text === button),
      );
      if (!shown) throw new Error(`no button ${button} in\n${fake.transcript(chat)}`);
      return who.person.presses(chat, shown.id, button);
    },
  };
}
