// Cards and presses on Telegram: who may decide, what is shown, and what a stale or foreign press does.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import type { SeenMessage } from "../fakes/telegram-transcript.ts";
import { type Member, type Rig, scripted, startRig } from "./telegram-rig.ts";

function dataOf(card: SeenMessage, label: string): string {
  const button = card.buttons.flat().find(({ text }) => text === label);
  assert.ok(button?.callback_data);
  return button.callback_data;
}

/** What the platform shows the presser. */
async function noticeOf({ fake }: Rig, queryId: string): Promise<string> {
  const answer = await fake.waitFor(() => fake.press(queryId)?.answers[0]);
  return answer.text;
}

async function askedBy(rig: Rig, who: Member, name = "n.txt") {
  const path = join(rig.workspace, name);
  who.says(`do ${path}`);
  const card = await rig.until(who.chat, new RegExp(`Create ${name.replace(".", "\\.")}`));
  return { path, card };
}

it("shows the effect, says how to answer by text, and fits its buttons to a phone", async (t) => {
  const rig = await startRig(t);
  const ana = await rig.member("ana");
  ana.says("write notes/todo.md\n# Todo\n- milk & <eggs>\n");
  const card = await rig.until(ana.chat, /Create todo\.md/);
  assert.equal(
    card.text,
    "Create todo.md? (1)\n\nNew file notes/todo.md:\n\n# Todo\n- milk & <eggs>\n\nButtons, or allow 1 / deny 1 because …",
  );
  assert.deepEqual(
    card.buttons.map((row) => row.map(({ text }) => text)),
    [["Allow once"], ["Allow todo.md for this task"], ["Deny"]],
  );
  assert.ok(
    card.buttons.flat().every(({ callback_data }) => Buffer.byteLength(callback_data ?? "") <= 64),
  );
  ana.says("deny 1 because there is no milk");
  await rig.until(ana.chat, /⛔ Denied by ana: there is no milk/);
  assert.equal(existsSync(join(rig.workspace, "notes")), false);
  ana.says("delete notes");
  await rig.until(ana.chat, /There is no notes/);
});

it("shows a deletion by its path alone", async (t) => {
  const rig = await startRig(t);
  const ana = await rig.member("ana");
  ana.says("write a.txt\nsome words");
  await rig.until(ana.chat, /Create a\.txt/);
  rig.press(ana, "Allow once");
  await rig.until(ana.chat, /Created/);
  ana.says("delete a.txt");
  const card = await rig.until(ana.chat, /Delete a\.txt/);
  assert.match(
    card.text,
    /^Delete a\.txt\? \(2\)\n\nThe agent calls it: Delete a\.txt \(\d+ bytes\)\n\n• a\.txt\n\n/,
  );
});

it("shows what is hidden in a command, and runs exactly what was shown", async (t) => {
  const rig = await startRig(t);
  const ana = await rig.member("ana");
  ana.says("run echo 'a\u202Eb\u200Bc' '```' \u001b[31m > out.txt");
  const card = await rig.until(ana.chat, /Run a command/);
  assert.match(card.text, /echo 'a⟨U\+202E⟩b⟨U\+200B⟩c' '```' ⟨U\+001B⟩\[31m > out\.txt/);
  const [code] = card.entities.filter(({ type }) => type === "pre");
  assert.match(
    card.text.slice(code?.offset, (code?.offset ?? 0) + (code?.length ?? 0)),
    /^echo .* out\.txt$/,
  );
  rig.press(ana, "Allow once");
  await rig.until(ana.chat, /Exit code/);
  assert.match(readFileSync(join(rig.workspace, "out.txt"), "utf8"), /^a\u202Eb\u200Bc ```/);
});

it("answers a press at once, while the turn of its chat and everything sent there is stuck", async (t) => {
  const rig = await startRig(t, { flags: scripted() });
  const ana = await rig.member("ana");
  const { path } = await askedBy(rig, ana);
  const stuck = rig.fake.faults.stallAt("editMessageText");
  const { queryId } = rig.press(ana, "Allow once");
  assert.equal(await noticeOf(rig, queryId), "Allowed.");
  await stuck.arrived;
  const again = rig.press(ana, "Deny");
  assert.equal(await noticeOf(rig, again.queryId), "This was already decided.");
  stuck.release();
  const card = await rig.until(ana.chat, /✅ Allow once · ana/);
  assert.deepEqual(card.buttons, []);
  await rig.until(ana.chat, /answer: once/);
  assert.equal(readFileSync(path, "utf8"), "did\n");
});

it("decides by the button alone when the platform no longer shows the message", async (t) => {
  const rig = await startRig(t, { flags: scripted() });
  const ana = await rig.member("ana");
  const { path, card } = await askedBy(rig, ana);
  const data = dataOf(card, "Allow once");
  const { queryId } = ana.person.presses(ana.chat, card.id, data, { inaccessible: true });
  assert.equal(await noticeOf(rig, queryId), "Allowed.");
  await rig.until(ana.chat, /answer: once/);
  assert.equal(readFileSync(path, "utf8"), "did\n");
});

it("takes a press that can no longer be answered, and one of which it hears twice, once", async (t) => {
  const rig = await startRig(t, { flags: scripted() });
  const ana = await rig.member("ana");
  const { path } = await askedBy(rig, ana);
  const stuck = rig.fake.faults.stallAt("answerCallbackQuery");
  rig.press(ana, "Allow once");
  await stuck.arrived;
  rig.fake.expirePresses();
  stuck.release();
  await rig.until(ana.chat, /answer: once/);
  assert.equal(readFileSync(path, "utf8"), "did\n");
});

it("tells a press after a restart that the question has expired, and its card too", async (t) => {
  const rig = await startRig(t, { flags: scripted() });
  const ana = await rig.member("ana");
  const { path, card } = await askedBy(rig, ana);
  const data = dataOf(card, "Allow once");
  await rig.stop();
  assert.match(
    rig.fake.messages(ana.chat).find(({ id }) => id === card.id)?.text ?? "",
    /⌛ Expired by a restart/,
  );
  const { queryId } = ana.person.presses(ana.chat, card.id, data, { inaccessible: true });
  await rig.start();
  assert.match(await noticeOf(rig, queryId), /This question has expired: nothing was run/);
  assert.equal(existsSync(path), false);
});

it("lets nobody else press in a group: not a stranger, not another member, not who was one", async (t) => {
  const rig = await startRig(t, { flags: scripted() });
  const olga = await rig.member("olga");
  const [ana, bob, cid] = [
    await rig.member("ana", "authenticated"),
    await rig.member("bob", "authenticated"),
    await rig.member("cid", "owner"),
  ];
  const eve = rig.stranger("Eve");
  const chat = rig.fake.group();
  olga.person.sends(chat, "/enable@sallyport_bot");
  await rig.until(chat, /I answer here/);
  const path = join(rig.workspace, "n.txt");
  ana.person.sends(chat, `@sallyport_bot do ${path}`);
  const card = await rig.until(chat, /Create n\.txt/);
  await rig.admin("pair.rm", { name: "cid" });
  for (const who of [eve, bob, cid]) {
    const { queryId } = rig.press(who, "Allow once", chat);
    assert.match(await noticeOf(rig, queryId), /Only the person who asked, or an owner/);
  }
  // The button's data from another chat, by somebody who may press.
  const foreign = rig.said(olga.chat).at(-1)?.id ?? 0;
  const replay = olga.person.presses(olga.chat, foreign, dataOf(card, "Allow once"), {
    inaccessible: true,
  });
  assert.match(await noticeOf(rig, replay.queryId), /not for here/);
  assert.equal(existsSync(path), false);
  assert.equal(rig.said(chat).find(({ id }) => id === card.id)?.buttons.length, 3);
  const { queryId } = rig.press(olga, "Deny", chat);
  assert.match(await noticeOf(rig, queryId), /^Denied\./);
  await rig.until(chat, /⛔ Denied by olga/);
  await rig.until(chat, /answer: no/);
  assert.equal(existsSync(path), false);
});

it("asks owners when only a lasting allow is offered, and returns strange ids as they are", async (t) => {
  const rig = await startRig(t, { flags: scripted() });
  const olga = await rig.member("olga");
  const ana = await rig.member("ana", "authenticated");
  const options = JSON.stringify([
    { optionId: "für immer ✓", name: "Always", kind: "allow_always" },
    { optionId: "nein\u00a0danke", name: "No", kind: "reject_once" },
  ]);
  const path = join(rig.workspace, "n.txt");
  ana.says(`dowith ${options} ${path}`);
  await rig.until(olga.chat, /Create n\.txt/);
  await rig.until(ana.chat, /An owner must allow the next step/);
  ana.says("allow 1");
  await rig.until(ana.chat, /There is no question 1/);
  rig.press(olga, "Deny");
  await rig.until(ana.chat, /answer: nein\u00a0danke/);
  ana.says(`dowith ${options} ${path}`);
  await rig.until(olga.chat, /\(2\)/);
  rig.press(olga, "Always allow (Always)");
  await rig.until(ana.chat, /answer: für immer ✓/);
  assert.equal(readFileSync(path, "utf8"), "did\n");
});
