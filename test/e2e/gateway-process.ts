// The real gateway as a process of its own, with people on a fake platform: for tests that kill and restart it.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import Database from "better-sqlite3";
import { readEnvironment } from "../../src/config/environment.ts";
import { placeOf } from "../../src/config/paths.ts";
import { createLocalSandbox } from "../../src/sandbox/local/sandbox.ts";
import { isRunning } from "../fakes/acp-agent-steps.ts";
import { memoryLog } from "../fakes/agent-rig.ts";
import { type CliRig, cliRig, type Started } from "../fakes/cli-rig.ts";
import type { FakeTelegram } from "../fakes/telegram-server.ts";
import type { SeenMessage } from "../fakes/telegram-transcript.ts";
import type { FakeChat } from "../fakes/telegram-types.ts";
import type { Member as AnyMember, Said, Stage } from "./kill-stage.ts";
import { type TelegramMember, telegramStage } from "./kill-stage-telegram.ts";

export type Member = TelegramMember;

/** On any platform. */
export interface Gateway<M extends AnyMember = AnyMember> {
  readonly stage: Stage<M>;
  readonly cli: CliRig;
  readonly members: readonly M[];
  /** What the gateway that runs now, or ran last, has written. */
  output(): string;
  /** Of the database, read beside the gateway. */
  rows<T>(sql: string, ...values: (string | number)[]): T[];
  start(): Promise<void>;
  /** SIGKILL of the gateway alone; gives the agents that it leaves behind. */
  kill(): Promise<number[]>;
  /** SIGTERM; gives the exit code. */
  stop(): Promise<number | null>;
}

/** On Telegram. */
export interface Plant extends Gateway<Member> {
  readonly fake: FakeTelegram;
  /** The bot's messages in a chat, oldest first. */
  said(chat: FakeChat): SeenMessage[];
  /** The newest message of the bot there that matches. */
  until(chat: FakeChat, pattern: RegExp): Promise<SeenMessage>;
}

export interface PlantOptions {
  readonly names?: readonly string[];
  /** Pairs of `config set`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Of `start`; absent: the fake agent, in the sandbox `local`. */
  readonly start?: readonly string[];
  /** What the agent calls the workspace; absent: as this machine does. */
  readonly inside?: string;
}

const agentPath = join(import.meta.dirname, "../fakes/acp-agent.ts");
const agentLine = [process.execPath, agentPath, '{"load":"replay"}'].map((word) => `'${word}'`);
const usualStart = ["--command", agentLine.join(" ")];

export async function withPlant(
  t: TestContext,
  options: PlantOptions,
  body: (plant: Plant) => Promise<void>,
): Promise<void> {
  const stage = await telegramStage();
  const { fake } = stage;
  const said: Plant["said"] = (chat) => fake.messages(chat).filter(({ byBot }) => byBot);
  const until: Plant["until"] = (chat, pattern) =>
    fake.waitFor(() => said(chat).findLast(({ text }) => pattern.test(text)), {
      timeoutMs: 15_000,
      what: String(pattern),
    });
  await withGateway(t, { stage, ...options }, (gateway) => body({ ...gateway, fake, said, until }));
}

/** Ends the gateway, and whatever it left, and the stage, also when the body fails. */
export async function withGateway<M extends AnyMember>(
  t: TestContext,
  { stage, ...options }: PlantOptions & { readonly stage: Stage<M> },
  body: (gateway: Gateway<M>) => Promise<void>,
): Promise<void> {
  const cli = cliRig(t);
  const running: { gateway?: Started } = {};
  const members: M[] = [];
  const { start = usualStart, inside = cli.workspace } = options;
  const gateway = createGateway({ stage, cli, members, running, start });
  try {
    await (stage.addTo?.(cli) ?? addChannel(cli, stage));
    for (const [key, value] of Object.entries(options.settings ?? {}))
      await ran(cli, ["config", "set", key, value]);
    await gateway.start();
    await stage.listening();
    const names = options.names ?? ["ana", "bob", "cyd", "dan", "eve"];
    members.push(...(await Promise.all(names.map((name) => letIn(gateway, { name, inside })))));
    await quiet(gateway);
    await body(gateway);
  } finally {
    stage.clear();
    if (running.gateway) await gateway.kill();
    await endLeftovers(cli);
    await stage.close();
  }
}

interface Parts<M extends AnyMember> {
  readonly stage: Stage<M>;
  readonly cli: CliRig;
  readonly members: readonly M[];
  readonly running: { gateway?: Started };
  readonly start: readonly string[];
}

function createGateway<M extends AnyMember>(parts: Parts<M>): Gateway<M> {
  const { stage, cli, members, running, start } = parts;
  let output = () => "";
  const end = async (signal: NodeJS.Signals) => {
    const { gateway } = running;
    assert.ok(gateway, "the gateway does not run");
    const code = await gateway.stop(signal);
    delete running.gateway;
    return code;
  };
  return {
    stage,
    cli,
    members,
    output: () => output(),
    rows: (sql, ...values) => query(join(cli.state, "server.db"), sql, values),
    async start() {
      running.gateway = await cli.start(start);
      output = running.gateway.output;
    },
    async kill() {
      await end("SIGKILL");
      return agentsOf(cli).filter(isRunning);
    },
    stop: () => end("SIGTERM"),
  };
}

function query<T>(path: string, sql: string, values: readonly (string | number)[]): T[] {
  const database = new Database(path, { readonly: true });
  try {
    return database.prepare(sql).all(...values) as T[];
  } finally {
    database.close();
  }
}

/** The process groups that a gateway noted as its own; a note may be half-written when it is killed. */
function agentsOf({ state }: CliRig): number[] {
  const folder = join(state, "run");
  if (!existsSync(folder)) return [];
  const notes = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
  return notes.flatMap((note) => /"group":(\d+),/.exec(note)?.slice(1).map(Number) ?? []);
}

/** As the next gateway would: also what was started and not noted yet. */
async function endLeftovers({ state, workspace }: CliRig): Promise<void> {
  const environment = readEnvironment();
  const placed = placeOf({ workspace, state }, environment);
  assert.ok(placed.ok);
  const { dir: stateDir, hash: stateHash } = placed.place.paths;
  const options = { stateDir, stateHash, environment: environment.variables, log: memoryLog() };
  assert.equal(await createLocalSandbox(options).sweep(), "clean");
}

async function ran(cli: CliRig, args: readonly string[], input = ""): Promise<void> {
  const { code, err } = await cli.run(args, input);
  assert.equal(code, 0, `${args.join(" ")}: ${err}`);
}

/** A fake Telegram will do for one. */
export async function addChannel(
  cli: CliRig,
  place: Pick<Stage, "url" | "token" | "appToken"> & Partial<Pick<Stage, "channel">>,
): Promise<void> {
  const { channel = "telegram", url, token, appToken } = place;
  const add = ["channel", "add", channel, "--api-root", url, "--pace", "off"];
  if (appToken) {
    const file = join(cli.workspace, "../app-token");
    writeFileSync(file, appToken, { mode: 0o600 });
    add.push("--app-token-file", file);
  }
  await ran(cli, [...add, "--token-file", "-"], token);
}

/** Comes in with a code, and lets the agent be seen to ask: else no turn of it is ever run again by itself. */
async function letIn<M extends AnyMember>(
  { cli, stage }: Gateway<M>,
  { name, inside }: { name: string; inside: string },
): Promise<M> {
  const invited = await cli.json(["pair", "invite", "--name", name, "--role", "authenticated"]);
  const member = stage.member(name);
  member.says(`join ${(invited as { code: string }).code}`);
  await heard(member, /^Welcome/);
  member.says(`do ${join(inside, `first of ${name}`)}`);
  member.presses(await heard(member, /Create first of/), "Deny");
  await heard(member, /^answer: no$/);
  return member;
}

async function heard(member: AnyMember, pattern: RegExp): Promise<Said> {
  const find = () => member.heard().findLast(({ text }) => pattern.test(text));
  return await eventually(String(pattern), find);
}

/** Nothing is on its way out but what is held: all else is marked as sent, and a kill doubles none of it. */
export async function quiet({ rows }: Pick<Gateway, "rows">, held = 0): Promise<void> {
  const unsent = "select id from outbox where state in ('pending', 'sending')";
  await eventually("a quiet outbox", () => rows(unsent).length === held);
}

/** Asks again and again, as nothing tells of a change in a database. */
export async function eventually<T>(
  what: string,
  look: () => T | undefined | false,
  timeoutMs = 15_000,
): Promise<T> {
  for (const deadline = Date.now() + timeoutMs; ; await delay(10)) {
    const found = look();
    if (found) return found;
    assert.ok(Date.now() < deadline, `${what} did not come within ${timeoutMs} ms`);
  }
}
