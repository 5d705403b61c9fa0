// What goes wrong with the platform: it is recovered from or said, nobody else is slowed down, and the token stays put.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { it } from "node:test";
import { runScript } from "../../src/cli/terminal/script.ts";
import { socketOf } from "../../src/config/paths.ts";
import { eventually, type Rig, scripted, startRig, untilDone } from "./telegram-rig.ts";

interface ChannelRow {
  readonly id: string;
  readonly state: string;
  readonly lastError: string | null;
}

async function telegramOf({ admin }: Rig): Promise<ChannelRow | undefined> {
  const rows = (await admin("channel.list")) as ChannelRow[];
  return rows.find(({ id }) => id === "telegram");
}

function untilState(rig: Rig, state: string): Promise<ChannelRow> {
  return eventually(`the state ${state}`, async () => {
    const row = await telegramOf(rig);
    return row?.state === state && row;
  });
}

/** The owner at the keyboard, beside the gateway. */
async function atTheTerminal({ place }: Rig, line: string): Promise<string> {
  let shown = "";
  await runScript({
    socket: () => socketOf(place.paths),
    input: Readable.from([`${line}\n`]),
    write(text) {
      shown += text;
    },
    signal: new AbortController().signal,
  });
  return shown;
}

it("answers what was said while it was down, once and in order", async (t) => {
  const rig = await startRig(t, { settings: { "conversations.merge": ["false"] } });
  const ana = await rig.member("ana");
  ana.says("say before");
  await rig.until(ana.chat, /before/);
  await rig.stop();
  for (const n of [1, 2, 3, 4, 5, 6]) ana.says(`say number ${n}`);
  await rig.start();
  await rig.until(ana.chat, /number 6/);
  const answers = () =>
    rig
      .said(ana.chat)
      .map(({ text }) => text)
      .slice(1);
  const once = ["before", ...[1, 2, 3, 4, 5, 6].map((n) => `number ${n}`)];
  assert.deepEqual(answers(), once);
  await rig.stop();
  // After a quiet week the platform numbers anew.
  rig.fake.renumberUpdates(7);
  await rig.start();
  ana.says("say again");
  await rig.until(ana.chat, /again/);
  assert.deepEqual(answers(), [...once, "again"]);
});

it("recovers from another poller, broken gateways, dropped and refused polls, and says what it is meanwhile", async (t) => {
  const rig = await startRig(t, { channel: { pollSeconds: 1 } });
  const ana = await rig.member("ana");
  const description = "Conflict: terminated by other getUpdates request";
  rig.fake.faults.status("getUpdates", { code: 409, description, times: 2 });
  ana.says("say after a conflict");
  const conflict = await untilState(rig, "reconnecting");
  assert.match(conflict.lastError ?? "", /Another program polls with this bot's token\. Stop it/);
  await rig.until(ana.chat, /after a conflict/);
  rig.fake.faults.fail("getUpdates");
  rig.fake.faults.drop("getUpdates");
  rig.fake.faults.status("getUpdates", {
    code: 429,
    description: "Too Many Requests: retry after 1",
    parameters: { retry_after: 1 },
  });
  ana.says("say after the rest");
  await rig.until(ana.chat, /after the rest/);
  const now = await untilState(rig, "connected");
  assert.equal(now.lastError, null);
  assert.equal(rig.said(ana.chat).filter(({ text }) => /^after/.test(text)).length, 2);
});

it("is deaf when polls stop returning, though it can still send, and hears again afterwards", async (t) => {
  const channel = { pollSeconds: 0, graceSeconds: 2, deafSeconds: 0.5 };
  const rig = await startRig(t, { channel });
  const ana = await rig.member("ana");
  ana.says("run sleep 1.5; echo slept");
  await rig.until(ana.chat, /Run a command/);
  rig.press(ana, "Allow once");
  await rig.until(ana.chat, /⏳/);
  rig.fake.faults.hang("getUpdates");
  await untilState(rig, "deaf");
  await rig.until(ana.chat, /slept/);
  assert.match(await atTheTerminal(rig, "say unharmed"), /unharmed/);
  ana.says("say heard again");
  await rig.until(ana.chat, /heard again/);
  await untilState(rig, "connected");
});

it("says what to do about a revoked token, while the terminal goes on", async (t) => {
  const rig = await startRig(t, { channel: { pollSeconds: 0 } });
  await rig.member("ana");
  rig.fake.revokeToken();
  const { lastError } = await untilState(rig, "unauthorised");
  assert.match(lastError ?? "", /Get a new one from @BotFather/);
  assert.match(await atTheTerminal(rig, "say unharmed"), /unharmed/);
});

it("parks a chat that blocked it and denies what was asked there, while others go on", async (t) => {
  const rig = await startRig(t, { flags: scripted() });
  const ana = await rig.member("ana");
  const bob = await rig.member("bob");
  const path = join(rig.workspace, "n.txt");
  ana.says(`do ${path}`);
  await rig.until(ana.chat, /Create n\.txt/);
  rig.fake.membership(ana.chat, "kicked", ana.person);
  bob.says("echo unharmed");
  await rig.until(bob.chat, /unharmed/);
  await untilDone(rig, 2);
  const audit = (await rig.admin("audit.list")) as { action: string; why: string }[];
  const expiry = audit.find(({ action }) => action === "question.expire");
  assert.equal(expiry?.why, "unreachable");
  assert.equal(existsSync(path), false);
  rig.fake.membership(ana.chat, "member", ana.person);
  ana.says("echo back again");
  await rig.until(ana.chat, /back again/);
});

it("writes the token nowhere: not in the log, the audit, the state's database or a chat", async (t) => {
  const settings = { "log.level": ["debug"] };
  const rig = await startRig(t, { settings, channel: { pollSeconds: 0 } });
  const ana = await rig.member("ana");
  const { faults } = rig.fake;
  for (const method of ["getUpdates", "sendMessage", "getFile", "answerCallbackQuery"]) {
    faults.drop(method);
    faults.fail(method);
  }
  faults.drop("download");
  ana.person.sends(ana.chat, "say one", { document: { name: "a.txt" } });
  await rig.until(ana.chat, /one/);
  ana.person.sends(ana.chat, "say two", { document: { name: "b.txt" } });
  await rig.until(ana.chat, /two/);
  ana.person.sends(ana.chat, "say three", { document: { name: "c.txt" } });
  await rig.until(ana.chat, /three/);
  const audit = JSON.stringify(await rig.admin("audit.list", { limit: 1000 }));
  const channels = JSON.stringify(await rig.admin("channel.list"));
  await rig.stop();
  const secret = rig.fake.token.split(":")[1] ?? "";
  const database = readFileSync(rig.place.paths.database, "latin1");
  for (const text of [rig.log.join(""), audit, channels, database, rig.fake.transcript(ana.chat)])
    assert.equal(text.includes(secret), false);
  assert.ok(rig.log.length > 3);
});
