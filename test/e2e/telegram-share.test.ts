// People of a group who continue one conversation, on the real channel: what each sees, and what the agent gets.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import type { FakeChat } from "../fakes/telegram-types.ts";
import { eventually, type Member, type Rig, scripted, startRig } from "./telegram-rig.ts";

const bot = "@sallyport_bot";

interface Group {
  readonly olga: Member;
  readonly ana: Member;
  readonly bob: Member;
  readonly chat: FakeChat;
}

async function sharing(rig: Rig, spec = {}): Promise<Group> {
  const olga = await rig.member("olga", "owner");
  const ana = await rig.member("ana", "authenticated");
  const bob = await rig.member("bob", "authenticated");
  const chat = rig.fake.group(spec);
  olga.person.sends(chat, `/share${bot}`);
  await rig.until(chat, /everybody here who is paired continues one conversation/);
  return { olga, ana, bob, chat };
}

const sharedHomes = (rig: Rig) =>
  readdirSync(rig.place.paths.homes).filter((name) => name.startsWith("s-"));

it("lets people work together with the agent that has no model, whose commands carry no label", async (t) => {
  const rig = await startRig(t);
  const { olga, ana, bob, chat } = await sharing(rig);
  ana.person.sends(chat, `${bot} write notes.md\nfirst line\n\nbob: second line`);
  await rig.until(chat, /Create notes\.md/);
  const { queryId } = rig.press(bob, "Allow once", chat);
  const answer = await rig.fake.waitFor(({ calls }) =>
    calls.find(
      ({ method, params }) =>
        method === "answerCallbackQuery" && params.callback_query_id === queryId,
    ),
  );
  assert.match(String(answer.params.text), /Only the person who asked, or an owner/);
  rig.press(olga, "Allow once", chat);
  await rig.until(chat, /Created notes\.md/);
  await rig.until(chat, /✅ Allow once · olga/);
  const path = join(rig.workspace, "notes.md");
  assert.equal(readFileSync(path, "utf8"), "first line\n\nbob: second line");
  bob.person.sends(chat, `${bot} read notes.md`);
  await rig.until(chat, /second line/);
});

it("ends with /unshare, and shows nothing of it in what each has alone", async (t) => {
  const record = "prompts.jsonl";
  const rig = await startRig(t, { flags: scripted({ record, embeds: true }) });
  const { olga, ana, bob, chat } = await sharing(rig);
  ana.person.sends(chat, `${bot} canary-shared`);
  await rig.until(chat, /^ana: canary-shared/);
  bob.person.sends(chat, `${bot} hang`);
  await eventually("a home that is shared", async () => sharedHomes(rig).length === 1);
  ana.person.sends(chat, `${bot} waits`);
  ana.person.sends(chat, `/unshare${bot}`);
  await rig.until(ana.chat, /Only an owner can make people share/);
  olga.person.sends(chat, `/unshare${bot}`);
  await rig.until(
    chat,
    /Nothing is shared here any more[\s\S]*is stopped\. One message that waited/,
  );
  await eventually("no home that was shared", async () => sharedHomes(rig).length === 0);
  bob.person.sends(chat, `${bot} echo canary-own`);
  await rig.until(chat, /^canary-own/);
  bob.says("/resume");
  await rig.until(bob.chat, /"echo canary-own/);
  assert.doesNotMatch(rig.fake.transcript(bob.chat), /canary-shared/);
  const prompts = readFileSync(join(rig.workspace, record), "utf8").trim().split("\n");
  const own = prompts.filter((line) => line.includes("canary-own"));
  assert.equal(own.length, 1);
  assert.doesNotMatch(own[0] ?? "", /shared|bob: /);
  assert.doesNotMatch(rig.log.join("\n"), /canary/);
});

it("goes on being shared where a group becomes a supergroup, and after a restart", async (t) => {
  const rig = await startRig(t, { flags: scripted({ embeds: true, load: "ok" }) });
  const { ana, bob, chat, olga } = await sharing(rig, { basic: true });
  ana.person.sends(chat, `${bot} do ${join(rig.workspace, "n.txt")}`);
  await rig.until(chat, /Create n\.txt/);
  const moved = rig.fake.migrate(chat, olga.person, { tellBot: true });
  await rig.until(moved, /Create n\.txt/);
  rig.press(olga, "Allow once", moved);
  await rig.until(moved, /answer: once/);
  bob.person.sends(moved, `${bot} after the move`);
  await rig.until(moved, /bob: after the move/);
  await rig.stop();
  await rig.start();
  ana.person.sends(moved, `${bot} after the restart`);
  await rig.until(moved, /ana: after the restart/);
  assert.equal(sharedHomes(rig).length, 1);
});
