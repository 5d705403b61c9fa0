// A whole gateway in this process on a real mailbox, with people who write mail: for tests that act as them.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import Database from "better-sqlite3";
import { call } from "../../src/cli/control-client.ts";
import { loadConfig, type StartFlags } from "../../src/config/config.ts";
import { readEnvironment } from "../../src/config/environment.ts";
import { ensureState, type Place, placeOf, socketOf } from "../../src/config/paths.ts";
import { writeSecret } from "../../src/config/secrets.ts";
import { setChannel, setSetting } from "../../src/config/settings-file.ts";
import { type Gateway, startGateway } from "../../src/gateway.ts";
import { temporaryFolder } from "../fakes/agent-rig.ts";
import type { MailPerson, Sent } from "../fakes/mail-person.ts";
import type { SeenMail } from "../fakes/mail-seen.ts";
import { type MailTown, type MailTownOptions, startMailTown } from "../fakes/mail-town.ts";
import { type FakeTelegram, startTelegramServer } from "../fakes/telegram-server.ts";

export { withDovecot } from "../fakes/dovecot.ts";

export interface MailRig {
  readonly town: MailTown;
  readonly place: Place;
  readonly workspace: string;
  readonly log: string[];
  /** When it was asked for. */
  readonly telegram: FakeTelegram | undefined;
  /** An operation of the operator, through the control socket. */
  admin(name: string, input?: unknown): Promise<unknown>;
  /** Somebody who came in with a real code, by mail. */
  member(address: string, role?: "owner" | "authenticated"): Promise<MailPerson>;
  /** The newest mail in their inbox that matches, in subject or text. */
  until(who: MailPerson, pattern: RegExp): Promise<SeenMail>;
  /** The answer to this very mail. */
  answer(who: MailPerson, to: Sent): Promise<SeenMail>;
  /** Of the database, read beside the gateway. */
  rows<T>(sql: string, ...values: (string | number)[]): T[];
  /** Everything that lies in the mailbox was heard, and nothing is under way. */
  quiet(): Promise<void>;
  set(key: string, ...words: string[]): Promise<void>;
  /** Where its pages are. */
  http(): string;
  stop(): Promise<void>;
  start(): Promise<void>;
}

export interface MailRigOptions extends MailTownOptions {
  readonly flags?: StartFlags;
  /** Of the channel. */
  readonly channel?: Readonly<Record<string, unknown>>;
  readonly settings?: Readonly<Record<string, readonly string[]>>;
  readonly telegram?: true;
}

const fakeAgentPath = join(import.meta.dirname, "../fakes/acp-agent.ts");

/** The scriptable agent, as what the operator would write down. */
export function scripted(options: Readonly<Record<string, unknown>> = {}): StartFlags {
  const words = [process.execPath, fakeAgentPath, JSON.stringify(options)];
  return { command: words.map((word) => `'${word}'`).join(" ") };
}

export async function startMailRig(t: TestContext, options: MailRigOptions = {}): Promise<MailRig> {
  const { flags = {}, channel = {}, settings = {}, telegram: wanted, ...given } = options;
  const running: { gateway?: Gateway; telegram?: FakeTelegram } = {};
  const town = await startMailTown(given);
  const stop = async () => {
    const { gateway } = running;
    delete running.gateway;
    await gateway?.stop();
  };
  // Before the folder goes: hooks run in their order.
  t.after(async () => {
    await stop();
    await running.telegram?.close();
    await town.close();
  });
  if (wanted) running.telegram = await startTelegramServer();
  const place = await prepare(temporaryFolder(t), { town, channel, settings, ...running });
  const log: string[] = [];
  const start = async () => {
    running.gateway = await open(place, flags, log);
    await running.gateway.ready;
  };
  await start();
  const { telegram } = running;
  return {
    town,
    place,
    telegram,
    workspace: place.workspace,
    log,
    stop,
    start,
    http: () => running.gateway?.running.pageUrl() ?? "nowhere",
    ...acts(town, place),
  };
}

interface Preparing {
  readonly town: MailTown;
  readonly telegram?: FakeTelegram;
  readonly channel: Readonly<Record<string, unknown>>;
  readonly settings: Readonly<Record<string, readonly string[]>>;
}

async function prepare(folder: string, it: Preparing): Promise<Place> {
  const { town, telegram, channel, settings } = it;
  const workspace = join(folder, "project");
  mkdirSync(workspace);
  const placed = placeOf({ workspace, state: join(folder, "state") }, readEnvironment());
  if (!placed.ok) throw new Error(placed.problem);
  const { paths } = placed.place;
  ensureState(paths);
  await addMail(paths, town, channel);
  if (telegram) {
    writeSecret(paths, "telegram.token", telegram.token);
    await setChannel(paths, "telegram", { kind: "telegram", apiRoot: telegram.url, pace: "off" });
  }
  for (const [key, words] of Object.entries(settings)) await setSetting(paths, key, [...words]);
  return placed.place;
}

/** As `channel add email` does, without trying it out. */
export async function addMail(
  paths: Place["paths"],
  town: MailTown,
  more: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  writeSecret(paths, "email.password", town.password);
  await setChannel(paths, "email", town.settings(more) as Parameters<typeof setChannel>[2]);
}

/** In the sandbox `local`, unless the flags say otherwise. */
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

type Acts = Pick<MailRig, "admin" | "member" | "until" | "answer" | "rows" | "quiet" | "set">;

function acts(town: MailTown, { paths }: Place): Acts {
  const admin: MailRig["admin"] = async (name, input = {}) => {
    const { body } = await call(socketOf(paths), { path: `/admin/${name}`, body: input });
    const outcome = body as { ok: boolean; value?: unknown; problem?: string };
    if (!outcome.ok) throw new Error(`${name}: ${outcome.problem}`);
    return outcome.value;
  };
  const rows: MailRig["rows"] = (sql, ...values) => query(paths.database, sql, values);
  const until: MailRig["until"] = (who, pattern) =>
    town.waitFor(
      () => who.inbox.findLast((mail) => pattern.test(`${mail.subject}\n${mail.text}`)),
      {
        what: `${pattern} for ${who.address}`,
      },
    );
  return {
    admin,
    until,
    answer: (who, { messageId }) =>
      town.waitFor(() => who.inbox.find(({ inReplyTo }) => inReplyTo === messageId), {
        what: `an answer to ${messageId} for ${who.address}`,
      }),
    rows,
    async member(address, role = "owner") {
      const who = town.person(address);
      const name = address.split("@")[0];
      const { code } = (await admin("pair.invite", { name, role })) as { code: string };
      who.writes({ subject: "Hello", text: `join ${code}` });
      await until(who, /Welcome/);
      return who;
    },
    async quiet() {
      await town.settled();
      await eventually("the end of all work", () => isQuiet(town, rows));
    },
    set: async (key, ...words) => void (await admin("config.set", { key, values: words })),
  };
}

/** Every mail in the mailbox has its row, also those that nobody is answered for. */
export function isQuiet(town: MailTown, rows: MailRig["rows"]): boolean {
  const count = (sql: string) => rows<{ count: number }>(sql)[0]?.count ?? 0;
  const heard = count("select count(*) count from inbox where listener = 'email'");
  if (heard < town.dovecot.mailbox().list().length) return false;
  if (count("select count(*) count from inbox where state != 'done'") > 0) return false;
  return count("select count(*) count from outbox where state in ('pending', 'sending')") === 0;
}

export function query<T>(path: string, sql: string, values: readonly (string | number)[]): T[] {
  const database = new Database(path, { readonly: true });
  try {
    return database.prepare(sql).all(...values) as T[];
  } finally {
    database.close();
  }
}

/** Asks again and again, as nothing tells of a change in the gateway. */
export async function eventually<T>(
  what: string,
  look: () => Promise<T | undefined | false> | T | undefined | false,
  timeoutMs = 15_000,
): Promise<T> {
  for (const deadline = Date.now() + timeoutMs; ; await delay(20)) {
    const found = await look();
    if (found) return found;
    assert.ok(Date.now() < deadline, `${what} did not come within ${timeoutMs} ms`);
  }
}
