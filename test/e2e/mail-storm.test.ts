// A thousand mails at once: who is let in is answered, once; others are not; nobody elsewhere waits for it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { readEnvironment } from "../../src/config/environment.ts";
import { ensureState, placeOf } from "../../src/config/paths.ts";
import { cliRig } from "../fakes/cli-rig.ts";
import { type MailTown, startMailTown } from "../fakes/mail-town.ts";
import { startTelegramServer } from "../fakes/telegram-server.ts";
import { addChannel } from "./gateway-process.ts";
import { addMail, eventually, isQuiet, query, withDovecot } from "./mail-rig.ts";

const mails = 1000;
const allowed = 100;
/** Of the whole process, at its worst. */
const mostMemory = 700 * 1024 * 1024;

it("answers each allowed mail of a storm once, and everybody else meanwhile", {
  ...withDovecot,
  timeout: 240_000,
}, async (t) => {
  const { town, telegram, rows, memory } = await start(t);
  const ana = telegram.user({ name: "Ana" });
  const { id: chat } = telegram.privateChat(ana);
  const said = (text: string) =>
    telegram.messages(chat).some((message) => message.byBot && message.text.includes(text));
  ana.sends(chat, "hello");
  await telegram.waitFor(() => said("hello"), { timeoutMs: 30_000 });

  const sent = await storm(town);
  const heard = () =>
    rows<{ count: number }>("select count(*) count from inbox where listener = 'email'")[0]
      ?.count ?? 0;
  // In the middle of it, somebody writes elsewhere: they are answered before the storm is over.
  await eventually("the first of it", () => heard() > 0);
  ana.sends(chat, "meanwhile");
  await telegram.waitFor(() => said("meanwhile"), { timeoutMs: 60_000 });
  assert.ok(town.sent.length < allowed, "the storm was over before somebody else was answered");

  await eventually("the end of the storm", () => heard() === mails && isQuiet(town, rows), 180_000);
  const answers = town.sent.map(({ inReplyTo }) => inReplyTo).sort();
  assert.deepEqual(answers, [...sent].sort());
  const used = memory();
  t.diagnostic(
    `${mails} mails, ${answers.length} answers, ${Math.round(used / 1048576)} MB at most`,
  );
  assert.ok(used < mostMemory, `${used} bytes`);
});

async function start(t: TestContext) {
  const town = await startMailTown();
  const telegram = await startTelegramServer();
  // Before the gateway is stopped by its own hook.
  t.after(async () => {
    await gateway?.stop();
    await telegram.close();
    await town.close();
  });
  const cli = cliRig(t);
  let gateway: Awaited<ReturnType<typeof cli.start>> | undefined;
  const placed = placeOf({ workspace: cli.workspace, state: cli.state }, readEnvironment());
  assert.ok(placed.ok);
  ensureState(placed.place.paths);
  await addMail(placed.place.paths, town);
  await addChannel(cli, telegram);
  const set = (...words: string[]) => cli.run(["config", "set", ...words]);
  await set("access.allowEmail", "example.test");
  await set("access.public", "anyone");
  const agent = [process.execPath, join(import.meta.dirname, "../fakes/acp-agent.ts"), "echo"];
  const command = agent.map((word) => `'${word}'`).join(" ");
  gateway = await cli.start(["--allow-anonymous-on-host", "--command", command]);
  const { pid } = gateway.process;
  return {
    town,
    telegram,
    rows: <T>(sql: string) => query<T>(join(cli.state, "server.db"), sql, []),
    memory: () =>
      1024 * Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]),
  };
}

/** Gives the Message-IDs of those that are to be answered. */
async function storm(town: MailTown): Promise<string[]> {
  const wanted: string[] = [];
  const every = mails / allowed;
  for (let n = 0; n < mails; n += 1) {
    const person = town.person(`p${n % 20}@example.test`);
    const letter = { subject: `Mail ${n}`, text: `mail ${n}` };
    if (n % every === 0) wanted.push(person.writes(letter).messageId);
    else if (n % 3 === 0) person.writes({ ...letter, signed: false });
    else if (n % 3 === 1) town.person("eve@evil.test").writes({ ...letter, from: person.address });
    else person.writes({ ...letter, headers: { "Auto-Submitted": "auto-generated" } });
  }
  return wanted;
}
