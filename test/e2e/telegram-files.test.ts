// What people send beside text: albums, files large and small, edits, and what nobody can read.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { eventually, type Rig, scripted, startRig } from "./telegram-rig.ts";

/** What lies in the inbox of the only home, by name. */
function inboxOf({ place }: Rig): Map<string, string> {
  const [home = ""] = readdirSync(place.paths.homes);
  const folder = join(place.paths.homes, home, "inbox");
  const names = readdirSync(folder).sort();
  return new Map(names.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

async function tasksOf({ admin }: Rig): Promise<{ title: string; state: string }[]> {
  return (await admin("task.list")) as { title: string; state: string }[];
}

it("makes one turn of an album that comes in two polls, with every file and the caption", async (t) => {
  const rig = await startRig(t);
  const ana = await rig.member("ana");
  const album = { media_group_id: "13579" };
  const photo = (content: string) => ({ photo: { name: `${content}.jpg`, content }, ...album });
  ana.person.sends(ana.chat, "list", photo("one"));
  ana.person.sends(ana.chat, "", photo("two"));
  await rig.fake.waitFor(({ queue }) => queue.unconfirmed === 0);
  ana.person.sends(ana.chat, "", photo("three"));
  await rig.until(ana.chat, /The workspace is empty/);
  assert.deepEqual(
    (await tasksOf(rig)).map(({ title }) => title),
    ["list"],
  );
  assert.deepEqual([...inboxOf(rig).values()].sort(), ["one", "three", "two"]);
});

it("puts a file into the home's inbox under a name that leads nowhere else", async (t) => {
  const rig = await startRig(t);
  const ana = await rig.member("ana");
  const name = "../../.ssh/авто\u202Egnp.exe\n";
  ana.person.sends(ana.chat, "list", { document: { name, content: "whole content" } });
  await rig.until(ana.chat, /The workspace is empty/);
  const [[kept, content] = []] = inboxOf(rig);
  assert.match(kept ?? "", /^\d+-0-авто_gnp\.exe_$/);
  assert.equal(content, "whole content");
});

it("names a file of 25 MB that it cannot get, and still does what the caption says", async (t) => {
  const rig = await startRig(t);
  const ana = await rig.member("ana");
  const document = { name: "big.iso", size: 25_000_000 };
  ana.person.sends(ana.chat, "say the caption", { document });
  const answer = await rig.until(ana.chat, /the caption/);
  assert.match(answer.text, /⚠️ I did not get the file big\.iso: it is larger than the 20 MB/);
  assert.equal(rig.fake.counters.calls.getFile, undefined);
});

it("says so when the platform calls a file too big that said nothing of its size", async (t) => {
  const rig = await startRig(t);
  const ana = await rig.member("ana");
  const description = "Bad Request: file is too big";
  rig.fake.faults.status("getFile", { code: 400, description });
  ana.person.sends(ana.chat, "say the caption", { document: { name: "a.txt" } });
  const answer = await rig.until(ana.chat, /the caption/);
  assert.match(answer.text, /I did not get the file a\.txt: Bad Request: file is too big\./);
});

it("answers politely what it cannot read, and is silent about what the platform does by itself", async (t) => {
  const rig = await startRig(t);
  const ana = await rig.member("ana");
  const { person, chat } = ana;
  const before = rig.said(chat).length;
  person.sends(chat, "", { sticker: {} });
  person.sends(chat, "", { voice: {} });
  person.sends(chat, "", { location: { latitude: 1, longitude: 2 } });
  person.sends(chat, "", { contact: { phone_number: "1", first_name: "Bo" } });
  person.sends(chat, "", { poll: { id: "1", question: "?", options: [] } });
  person.sends(chat, "", { dice: { emoji: "🎲", value: 3 } });
  person.sends(chat, "", { pinned_message: { message_id: 1 } });
  person.sends(chat, "", { new_chat_title: "x" });
  rig.fake.push({
    edited_message: { message_id: 5, date: 1, edit_date: 2, chat, from: person.user },
  });
  rig.fake.push({ message: { message_id: "odd", chat: null } });
  rig.fake.push({ something_new: {} });
  ana.says("say after all that");
  await rig.until(chat, /after all that/);
  assert.deepEqual(
    rig
      .said(chat)
      .slice(before)
      .map(({ text }) => text),
    ["a sticker", "a voice message", "a location", "a contact", "a poll", "a throw of dice"]
      .map((what) => `I cannot read ${what}. Please send text or a file.`)
      .concat("after all that"),
  );
});

it("never runs an edited message, notes new words once, and ignores what only the platform changed", async (t) => {
  const rig = await startRig(t, { flags: scripted() });
  const { chat, person, says } = await rig.member("ana");
  const gate = join(rig.workspace, "gate");
  const running = says(`echo at work\nstall ${gate}`);
  await rig.until(chat, /at work/);
  person.edits(chat, running, "echo other words");
  const note = await rig.until(chat, /you changed a message/);
  assert.equal(note.text.includes("send the change as a new message"), true);
  const stop = says("/stop");
  await rig.until(chat, /⏹ Stopped/);
  says(`echo second\nstall ${gate}`);
  await rig.until(chat, /second/);
  person.edits(chat, stop, "/stop");
  says("echo third");
  writeFileSync(gate, "");
  await rig.until(chat, /third/);
  const states = (await tasksOf(rig)).map(({ title, state }) => [title.split(" ")[1], state]);
  assert.deepEqual(states.reverse(), [
    ["at", "canceled"],
    ["second", "completed"],
    ["third", "completed"],
  ]);
  assert.equal(rig.said(chat).filter(({ text }) => /you changed/.test(text)).length, 1);
});

it("sends what the agent made after its answer, and once over a restart", async (t) => {
  const rig = await startRig(t);
  const ana = await rig.member("ana");
  writeFileSync(join(rig.workspace, "report 1.pdf"), "%PDF whole");
  ana.says("send report 1.pdf");
  await rig.until(ana.chat, /Here is report 1\.pdf/);
  await eventually("the file", async () => rig.said(ana.chat).at(-1)?.file !== undefined);
  await rig.stop();
  await rig.start();
  ana.says("say after that");
  await rig.until(ana.chat, /after that/);
  const said = rig.said(ana.chat).slice(-3);
  assert.deepEqual(
    said.map(({ text, file }) => [
      text,
      file?.name,
      file && Buffer.from(file.bytes ?? []).toString(),
    ]),
    [
      ["Here is report 1.pdf, 10 bytes.", undefined, undefined],
      ["", "report 1.pdf", "%PDF whole"],
      ["after that", undefined, undefined],
    ],
  );
});

it("does not let a file that an agent names choose its place or hide its kind", async (t) => {
  const rig = await startRig(t, { flags: scripted() });
  const ana = await rig.member("ana");
  const uri = `../../.ssh/${"long".repeat(2500)}\u202Efdp.exe`;
  const resource = { uri, blob: Buffer.from("x").toString("base64") };
  ana.says(`content ${JSON.stringify({ type: "resource", resource })}`);
  await eventually("the file", async () => rig.said(ana.chat).at(-1)?.file !== undefined);
  const name = rig.said(ana.chat).at(-1)?.file?.name ?? "";
  assert.match(name, /^[a-z]{92}_fdp\.exe$/);
});
