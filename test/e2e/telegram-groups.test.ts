// Groups on Telegram: what one person is told alone, who may open a group, and what a card in it is worth elsewhere.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import type { FakeChat } from "../fakes/telegram-types.ts";
import { eventually, type Member, type Rig, scripted, startRig } from "./telegram-rig.ts";

const bot = "@sallyport_bot";

async function openGroup(rig: Rig, owner: Member): Promise<FakeChat> {
  const chat = rig.fake.group({ title: "Build <crew>", joined: false });
  rig.fake.membership(chat, "member", owner.person);
  await rig.until(owner.chat, /silent there until an owner/);
  owner.person.sends(chat, `/enable${bot}`);
  await rig.until(chat, /I answer here/);
  return chat;
}

it("answers what is one person's in their private chat, and says there from which group", async (t) => {
  const rig = await startRig(t, { flags: scripted() });
  const ana = await rig.member("ana");
  const bob = await rig.member("bob", "authenticated");
  const chat = await openGroup(rig, ana);
  for (const text of ["/tasks", "/approvals", "/status", "/whoami", "/help", "/disable", "/stop"])
    bob.person.sends(chat, `${text}${bot}`);
  bob.person.sends(chat, `${bot} allow 7`);
  const sticker = { sticker: {}, reply_to: rig.said(chat).at(-1)?.id ?? 0 };
  bob.person.sends(chat, "", sticker);
  await rig.until(bob.chat, /I cannot read a sticker/);
  const [, ...answers] = rig.said(bob.chat).map(({ text }) => text);
  assert.equal(answers.length, 9);
  for (const text of answers) assert.match(text, /^In "Build <crew>":\n\n/);
  bob.person.sends(chat, `/new${bot}`);
  await rig.until(chat, /starts afresh/);
  assert.equal(rig.said(chat).length, 2);
});

it("says nothing to a group in place of somebody whom it cannot reach alone", async (t) => {
  const rig = await startRig(t, { flags: scripted() });
  const ana = await rig.member("ana");
  const bob = await rig.member("bob", "authenticated");
  const chat = await openGroup(rig, ana);
  rig.fake.membership(bob.chat, "kicked", bob.person);
  bob.person.sends(chat, `/tasks${bot}`);
  const rows = await eventually("the row of what did not go out", async () => {
    const found = (await rig.admin("audit.list", { outcome: "failed" })) as { place: string }[];
    return found.length > 0 && found;
  });
  assert.match(rows[0]?.place ?? "", new RegExp(`^telegram ${bob.chat.id}$`));
  bob.person.sends(chat, `/new${bot}`);
  await rig.until(chat, /starts afresh/);
  assert.equal(rig.said(chat).length, 2);
});

it("is silent where a stranger adds it, tells the owners, and hints alone to whom it knows", async (t) => {
  const rig = await startRig(t, { flags: scripted() });
  const ana = await rig.member("ana");
  const bob = await rig.member("bob", "authenticated");
  const eve = rig.stranger("Eve *Mallory*");
  const chat = rig.fake.group({ title: "Trap", joined: false });
  rig.fake.membership(chat, "member", eve.person);
  const told = await rig.until(ana.chat, /added me to "Trap"/);
  assert.match(told.text, /^⚠️ Eve \*Mallory\* \(account \d+ on telegram\) added me to "Trap"\./);
  for (let n = 0; n < 2; n += 1) {
    eve.person.sends(chat, `${bot} hello`);
    eve.person.sends(chat, `/start${bot}`);
    bob.person.sends(chat, `${bot} echo a secret`);
    ana.person.sends(chat, `/status${bot}`);
  }
  await rig.until(bob.chat, /^In "Trap":\n\nThis chat is not open to me[\s\S]*Ask an owner/);
  await rig.until(ana.chat, /^In "Trap":\n\nThis chat is not open to me[\s\S]*send me \/enable/);
  ana.person.sends(chat, `/enable${bot}`);
  await rig.until(chat, /I answer here/);
  assert.equal(rig.said(chat).length, 1);
  assert.equal(rig.said(eve.chat).length, 0);
  assert.equal(rig.said(bob.chat).length, 2);
  assert.equal(rig.said(ana.chat).length, 3);
});

it("burns a code in a group, takes it away where it may, and answers a stranger there once a day", async (t) => {
  const rig = await startRig(t, { flags: scripted() });
  const ana = await rig.member("ana");
  const bob = await rig.member("bob", "authenticated");
  const eve = rig.stranger("Eve");
  const chat = await openGroup(rig, ana);
  rig.fake.membership(chat, "administrator", ana.person);
  const { code } = (await rig.admin("pair.invite", { name: "eve" })) as { code: string };
  const shown = eve.person.sends(chat, `join ${code}`).messageId;
  const wrong = eve.person.sends(chat, "join AAAA-2222").messageId;
  await rig.until(chat, /Codes count only in a direct chat/);
  const ofBob = bob.person.sends(chat, "join BBBB-3333").messageId;
  await rig.until(bob.chat, /^In "Build <crew>":\n\nCodes count only in a direct chat/);
  const left = rig.fake.messages(chat).map(({ id }) => id);
  assert.ok([shown, wrong, ofBob].every((id) => !left.includes(id)));
  assert.equal(rig.said(chat).length, 2);
  eve.says(`join ${code}`);
  await rig.until(eve.chat, /That code does not count/);
});

it("takes no press of a card that was passed on, nor of who was an owner when it was shown", async (t) => {
  const rig = await startRig(t, { flags: scripted() });
  const ana = await rig.member("ana");
  const bob = await rig.member("bob", "authenticated");
  const otto = await rig.member("otto");
  const chat = await openGroup(rig, ana);
  const path = join(rig.workspace, "n.txt");
  bob.person.sends(chat, `${bot} do ${path}`);
  const card = await rig.until(chat, /Create n\.txt/);
  const other = rig.fake.group({ title: "Other" });
  const copy = { reply_markup: card.raw.reply_markup, forward_origin: { type: "user" } };
  const notices: Promise<string>[] = [];
  const told = (who: Member, place: FakeChat, message: number) => {
    const { queryId } = who.person.presses(place, message, "Allow once");
    const press = () => rig.fake.world.presses.get(queryId)?.answers[0];
    notices.push(rig.fake.waitFor(press).then(({ text }) => text));
  };
  for (const place of [other, chat, bob.chat])
    told(bob, place, bob.person.sends(place, card.text, copy).messageId);
  for (const text of await Promise.all(notices)) assert.match(text, /not for here/);
  await rig.admin("pair.set", { name: "otto", role: "authenticated" });
  const refused = rig.press(otto, "Allow once", chat).queryId;
  const { text } = await rig.fake.waitFor(() => rig.fake.world.presses.get(refused)?.answers[0]);
  assert.match(text, /Only the person who asked, or an owner/);
  assert.equal(existsSync(path), false);
  assert.equal(
    rig
      .said(chat)
      .find(({ id }) => id === card.id)
      ?.buttons.flat().length,
    3,
  );
  rig.press(bob, "Allow once", chat);
  await rig.until(chat, /✅ Allow once · bob/);
});
