// Groups, topics and what happens to them: every answer lands where it was asked for, and only people count.
import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import type { FakeChat, Params } from "../fakes/telegram-types.ts";
import { type Member, type Rig, scripted, startRig } from "./telegram-rig.ts";

const bot = "@sallyport_bot";

interface Asked {
  readonly who: Member;
  readonly chat: FakeChat;
  readonly topic?: number;
}

function ask({ who, chat, topic }: Asked, text: string): number {
  const place = topic === undefined ? {} : { message_thread_id: topic };
  return who.person.sends(chat, text, place).messageId;
}

/** Everything the bot did in a chat, but reading. */
function callsIn({ fake }: Rig, { id }: FakeChat): { method: string; params: Params }[] {
  return fake.calls.filter(({ params }) => params.chat_id === id);
}

async function openGroup(rig: Rig, owner: Member, spec = {}): Promise<FakeChat> {
  const chat = rig.fake.group(spec);
  owner.person.sends(chat, `/enable${bot}`);
  await rig.until(chat, /I answer here/);
  return chat;
}

it("puts everything of a topic into that topic: answers, typing, cards, errors and /new", async (t) => {
  const rig = await startRig(t, { flags: scripted() });
  const ana = await rig.member("ana");
  const chat = rig.fake.group({ forum: true });
  const topic = rig.fake.topic(chat, "Builds", ana.person);
  const other = rig.fake.topic(chat, "Other", ana.person);
  const there = { who: ana, chat, topic };
  ask(there, `/enable${bot}`);
  await rig.until(chat, /I answer here/);
  const path = join(rig.workspace, "n.txt");
  ask(there, `${bot} do ${path}`);
  await rig.until(chat, /Create n\.txt/);
  rig.press(ana, "Deny", chat);
  await rig.until(chat, /answer: no/);
  ask(there, `${bot} crash 3`);
  await rig.until(chat, /could not finish/);
  ask(there, `/new${bot}`);
  await rig.until(chat, /starts afresh/);
  const gate = join(rig.workspace, "gate");
  ask(there, `${bot} stall ${gate}`);
  await rig.fake.waitFor(({ calls }) => calls.some(({ method }) => method === "sendChatAction"));
  ask(there, `/stop${bot}`);
  await rig.until(chat, /Stopped/);
  const placed = callsIn(rig, chat).filter(({ method }) => /^send/.test(method));
  assert.ok(placed.length >= 6);
  assert.deepEqual([...new Set(placed.map(({ params }) => params.message_thread_id))], [topic]);
  assert.ok(rig.said(chat).every(({ thread }) => thread === topic && thread !== other));
});

it("keeps two topics of one person apart, and answers in General without a topic", async (t) => {
  const rig = await startRig(t, { flags: scripted() });
  const ana = await rig.member("ana");
  const chat = await openGroup(rig, ana, { forum: true });
  const [one, two] = ["One", "Two"].map((name) => rig.fake.topic(chat, name, ana.person));
  ask({ who: ana, chat, topic: one ?? 0 }, `${bot} hang`);
  ask({ who: ana, chat, topic: two ?? 0 }, `${bot} echo in two`);
  const general = ask({ who: ana, chat }, `${bot} echo in general`);
  const inTwo = await rig.until(chat, /in two/);
  const inGeneral = await rig.until(chat, /in general/);
  assert.equal(inTwo.thread, two);
  assert.equal(inGeneral.thread, undefined);
  assert.equal(inGeneral.replyTo, general);
  // A reply in General carries a thread id that names no topic.
  const { person } = ana;
  person.sends(chat, "echo a reply", { reply_to: inGeneral.id });
  const reply = await rig.until(chat, /a reply/);
  assert.equal(reply.thread, undefined);
  ask({ who: ana, chat, topic: one ?? 0 }, `/stop${bot}`);
  await rig.until(chat, /⏹ Stopped/);
  assert.equal(((await rig.admin("task.list")) as unknown[]).length, 4);
});

it("hears its name after an emoji and in a caption, and no command for another bot", async (t) => {
  const rig = await startRig(t, { flags: scripted() });
  const ana = await rig.member("ana");
  const chat = await openGroup(rig, ana);
  ask({ who: ana, chat }, "/stop@other_bot");
  ask({ who: ana, chat }, "echo not for you");
  ask({ who: ana, chat }, `😀 ${bot} echo after an emoji`);
  await rig.until(chat, /after an emoji/);
  ana.person.sends(chat, `${bot} echo in a caption`, { document: { name: "a.txt" } });
  await rig.until(chat, /in a caption/);
  const texts = rig.said(chat).map(({ text }) => text);
  assert.equal(
    texts.some((text) => /not for you|nothing to stop/.test(text)),
    false,
  );
});

it("takes chats that speak, bots and the linked channel for nobody", async (t) => {
  const rig = await startRig(t, { flags: scripted() });
  const ana = await rig.member("ana");
  const chat = rig.fake.group();
  const channel = { id: -1_009_999, type: "channel", title: "News" } as const;
  ana.person.sends(chat, `/enable${bot}`, { sender_chat: chat });
  ana.person.sends(chat, `/enable${bot}`, { sender_chat: channel });
  ana.person.sends(chat, `/enable${bot}`, { sender_chat: channel, is_automatic_forward: true });
  ana.person.sends(chat, `join K7Q2-9XF4 ${bot}`, { sender_chat: chat });
  await openGroupHere(rig, ana, chat);
  ana.person.sends(chat, `${bot} echo as an anonymous admin`, { sender_chat: chat });
  ask({ who: ana, chat }, `${bot} echo as myself`);
  await rig.until(chat, /as myself/);
  const texts = rig.said(chat).map(({ text }) => text);
  assert.deepEqual(
    texts.map((text) => text.slice(0, 9)),
    ["I answer ", "as myself"],
  );
});

async function openGroupHere(rig: Rig, owner: Member, chat: FakeChat): Promise<void> {
  assert.deepEqual(rig.said(chat), []);
  owner.person.sends(chat, `/enable${bot}`);
  await rig.until(chat, /I answer here/);
}

for (const tellBot of [true, false])
  it(`moves with a group that becomes a supergroup${tellBot ? "" : ", though nobody tells it"}: what is open, said and asked`, async (t) => {
    const rig = await startRig(t, { flags: scripted() });
    const ana = await rig.member("ana");
    const old = await openGroup(rig, ana, { basic: true });
    const path = join(rig.workspace, "n.txt");
    ask({ who: ana, chat: old }, `${bot} do ${path}\necho and done`);
    await rig.until(old, /Create n\.txt/);
    const moved = rig.fake.migrate(old, ana.person, { tellBot });
    if (!tellBot) {
      // It learns of it by what it says next into the old chat.
      const whole = {
        message_id: 77,
        date: Math.floor(Date.now() / 1000),
        chat: old,
        from: ana.person.user,
      };
      const entities = [{ type: "bot_command", offset: 0, length: `/new${bot}`.length }];
      rig.fake.push({ message: { ...whole, text: `/new${bot}`, entities } });
    }
    await rig.until(moved, /Create n\.txt/);
    assert.equal(existsSync(path), false);
    rig.press(ana, "Allow once", moved);
    await rig.until(moved, /✅ Allow once · ana/);
    await rig.until(moved, /answer: once\nand done/);
    assert.equal(existsSync(path), true);
    ask({ who: ana, chat: moved }, `${bot} echo still open`);
    await rig.until(moved, /still open/);
    const tasks = (await rig.admin("task.list")) as { conversation: string }[];
    assert.equal(new Set(tasks.map(({ conversation }) => conversation)).size, 1);
  });

it("tells an owner who adds it how a group is opened, and nobody in the group anything", async (t) => {
  const rig = await startRig(t, { flags: scripted() });
  const ana = await rig.member("ana");
  const chat = rig.fake.group({ title: "Build *crew*", joined: false });
  rig.fake.membership(chat, "member", ana.person);
  const told = await rig.until(ana.chat, /silent there until an owner/);
  assert.match(told.text, /I am in "Build \*crew\*" now/);
  assert.deepEqual(rig.said(chat), []);
});

it("ends an answer that had begun before the group moved where the group is now", async (t) => {
  const rig = await startRig(t, { flags: scripted() });
  const ana = await rig.member("ana");
  const old = await openGroup(rig, ana, { basic: true });
  const gate = join(rig.workspace, "gate");
  ask({ who: ana, chat: old }, `${bot} echo begun \nstall ${gate}\necho and ended`);
  await rig.until(old, /begun/);
  const moved = rig.fake.migrate(old, ana.person, { tellBot: false });
  writeFileSync(gate, "");
  const answer = await rig.until(moved, /begun and ended/);
  assert.equal(answer.replyTo, undefined);
  assert.equal(rig.said(moved).length, 1);
});
