// One person on two bots, and an owner who answers in somebody else's place, on the real channel.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { writeSecret } from "../../src/config/secrets.ts";
import { setChannel } from "../../src/config/settings-file.ts";
import { type FakeTelegram, startTelegramServer } from "../fakes/telegram-server.ts";
import type { FakeChat } from "../fakes/telegram-types.ts";
import { type Member, type Rig, scripted, startRig } from "./telegram-rig.ts";

const bot = "@sallyport_bot";

const nameForm = `form ${JSON.stringify({
  type: "object",
  properties: { name: { type: "string", title: "Name" } },
  required: ["name"],
})}`;

it("takes an owner's reply to Ana's question for its answer, and nobody else's", async (t) => {
  const rig = await startRig(t, { flags: scripted() });
  const olga = await rig.member("olga", "owner");
  const ana = await rig.member("ana", "authenticated");
  const bob = await rig.member("bob", "authenticated");
  const chat = rig.fake.group();
  olga.person.sends(chat, `/enable${bot}`);
  await rig.until(chat, /I answer here/);
  ana.person.sends(chat, `${bot} ${nameForm}`);
  const card = await rig.until(chat, /Name\?/);
  bob.person.sends(chat, "not mine", { reply_to: card.id });
  await rig.until(bob.chat, /Only the person who asked, or an owner/);
  olga.person.sends(chat, "Otto", { reply_to: card.id });
  await rig.until(chat, /"name":"Otto"/);
  await rig.until(chat, /☑️ Answered by olga/);
  assert.doesNotMatch(
    rig
      .said(chat)
      .map(({ text }) => text)
      .join("\n"),
    /not mine/,
  );
});

interface Second {
  readonly fake: FakeTelegram;
  readonly chat: FakeChat;
  says(text: string): void;
  until(pattern: RegExp): Promise<{ readonly text: string; readonly id: number }>;
  press(button: string): void;
}

/** The same person at another bot, linked with a second code. */
async function alsoAt(t: TestContext, rig: Rig, { name }: Member): Promise<Second> {
  const fake = await startTelegramServer();
  t.after(() => fake.close());
  const { paths } = rig.place;
  writeSecret(paths, "second.token", fake.token);
  await setChannel(paths, "second", { kind: "telegram", apiRoot: fake.url, pace: "off" });
  const opened = await rig.gateway().running.openChannel("second");
  assert.deepEqual(opened, { done: true });
  const person = fake.user({ name });
  const chat = fake.privateChat(person);
  const said = () => fake.messages(chat).filter(({ byBot }) => byBot);
  const until: Second["until"] = (pattern) =>
    fake.waitFor(() => said().findLast(({ text }) => pattern.test(text)), {
      timeoutMs: 10_000,
      what: String(pattern),
    });
  const { code } = (await rig.admin("pair.invite", { name, role: "owner" })) as { code: string };
  person.sends(chat, `join ${code}`);
  await until(/Welcome/);
  const press = (button: string) => {
    const shown = said().findLast(({ buttons }) =>
      buttons.flat().some(({ text }) => text === button),
    );
    person.presses(chat, shown?.id ?? 0, button);
  };
  return { fake, chat, until, press, says: (text) => void person.sends(chat, text) };
}

it("shows the same on both bots, answers a question of one by a button of the other, and goes on there", async (t) => {
  const rig = await startRig(t, { flags: scripted({ load: "ok" }) });
  const ana = await rig.member("ana", "owner");
  const second = await alsoAt(t, rig, ana);
  const path = join(rig.workspace, "n.txt");
  ana.says(`do ${path}`);
  await rig.until(ana.chat, /Create n\.txt/);
  second.says("/tasks");
  ana.says("/tasks");
  const lists = [
    await second.until(/waits for an answer ·/),
    await rig.until(ana.chat, /waits for an answer ·/),
  ];
  assert.equal(lists[0]?.text, lists[1]?.text);
  second.says("/approvals");
  const copy = await second.until(/Create n\.txt/);
  assert.match(copy.text, /For: do .*, on telegram/);
  second.says("/resume 1");
  await second.until(/at work, or waits for an answer/);
  second.press("Allow once");
  await rig.until(ana.chat, /answer: once/);
  await rig.until(ana.chat, /✅ Allow once · ana/);
  await second.until(/✅ Allow once · ana/);
  assert.ok(existsSync(path));
  second.says("/resume");
  await second.until(/^1\. "do .*" · telegram, direct chat/);
  second.says("/resume 1");
  await second.until(/We go on here with "do /);
  second.says("echo still the same");
  await second.until(/still the same/);
  ana.says("echo a new one");
  await rig.until(ana.chat, /a new one/);
  ana.says("/resume");
  const list = await rig.until(ana.chat, /^1\. "echo still the same" · second, direct chat/);
  assert.doesNotMatch(list.text, /2\. /);
});
