// The real gateway as a process of its own, with people on the fake platform: for tests that kill and restart it.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
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
import type { Person } from "../fakes/telegram-people.ts";
import { type FakeTelegram, startTelegramServer } from "../fakes/telegram-server.ts";
import type { SeenMessage } from "../fakes/telegram-transcript.ts";
import type { FakeChat } from "../fakes/telegram-types.ts";

export interface Member {
  readonly name: string;
  readonly person: Person;
  readonly chat: FakeChat;
}

export interface Plant {
  readonly fake: FakeTelegram;
  readonly cli: CliRig;
  readonly members: readonly Member[];
  /** What the gateway that runs now, or ran last, has written. */
  output(): string;
  /** Of the database, read beside the gateway. */
  rows<T>(sql: string, ...values: (string | number)[]): T[];
  /** The bot's messages in a chat, oldest first. */
  said(chat: FakeChat): SeenMessage[];
  /** The newest message of the bot there that matches. */
  until(chat: FakeChat, pattern: RegExp): Promise<SeenMessage>;
  start(): Promise<void>;
  /** SIGKILL of the gateway alone; gives the agents that it leaves behind. */
  kill(): Promise<number[]>;
  /** SIGTERM; gives the exit code. */
  stop(): Promise<number | null>;
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

/** Ends the gateway, and whatever it left, also when the body fails. */
export async function withPlant(
  t: TestContext,
  options: PlantOptions,
  body: (plant: Plant) => Promise<void>,
): Promise<void> {
  const fake = await startTelegramServer();
  const cli = cliRig(t);
  const running: { gateway?: Started } = {};
  const members: Member[] = [];
  const { start = usualStart, inside = cli.workspace } = options;
  const plant = createPlant({ fake, cli, members, running, start });
  try {
    await addChannel(cli, fake);
    for (const [key, value] of Object.entries(options.settings ?? {}))
      await ran(cli, ["config", "set", key, value]);
    await plant.start();
    const names = options.names ?? ["ana", "bob", "cyd", "dan", "eve"];
    members.push(...(await Promise.all(names.map((name) => letIn(plant, { name, inside })))));
    await quiet(plant);
    await body(plant);
  } finally {
    fake.faults.clear();
    if (running.gateway) await plant.kill();
    await endLeftovers(cli);
    await fake.close();
  }
}

interface Parts {
  readonly fake: FakeTelegram;
  readonly cli: CliRig;
  readonly members: readonly Member[];
  readonly running: { gateway?: Started };
  readonly start: readonly string[];
}

function createPlant({ fake, cli, members, running, start }: Parts): Plant {
  let output = () => "";
  const end = async (signal: NodeJS.Signals) => {
    const { gateway } = running;
    assert.ok(gateway, "the gateway does not run");
    const code = await gateway.stop(signal);
    delete running.gateway;
    return code;
  };
  const said: Plant["said"] = (chat) => fake.messages(chat).filter(({ byBot }) => byBot);
  return {
    fake,
    cli,
    members,
    output: () => output(),
    rows: (sql, ...values) => query(join(cli.state, "server.db"), sql, values),
    said,
    until: (chat, pattern) =>
      fake.waitFor(() => said(chat).findLast(({ text }) => pattern.test(text)), {
        timeoutMs: 15_000,
        what: String(pattern),
      }),
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

export async function addChannel(cli: CliRig, fake: FakeTelegram): Promise<void> {
  const add = ["channel", "add", "telegram", "--api-root", fake.url, "--pace", "off"];
  await ran(cli, [...add, "--token-file", "-"], fake.token);
}

/** Comes in with a code, and lets the agent be seen to ask: else no turn of it is ever run again by itself. */
async function letIn(
  plant: Plant,
  { name, inside }: { name: string; inside: string },
): Promise<Member> {
  const { cli, fake } = plant;
  const invited = await cli.json(["pair", "invite", "--name", name, "--role", "authenticated"]);
  const person = fake.user({ name });
  const member = { name, person, chat: fake.privateChat(person) };
  person.sends(member.chat, `join ${(invited as { code: string }).code}`);
  await plant.until(member.chat, /^Welcome/);
  person.sends(member.chat, `do ${join(inside, `first of ${name}`)}`);
  const card = await plant.until(member.chat, /Create first of/);
  person.presses(member.chat, card.id, "Deny");
  await plant.until(member.chat, /^answer: no$/);
  return member;
}

/** Nothing is on its way out but what is held: all else is marked as sent, and a kill doubles none of it. */
export async function quiet({ rows }: Plant, held = 0): Promise<void> {
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
