// Who gets in, and who hears what: codes, strangers, and words that stay with the one who said them.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { scripted, startRig } from "./telegram-rig.ts";

it("gives a stranger one hint with nothing in it, and takes a link with a code", async (t) => {
  const rig = await startRig(t);
  const eve = rig.stranger("Eve");
  eve.says("/start");
  eve.says("hello?");
  eve.person.sends(eve.chat, "", { sticker: {} });
  const hint = await rig.until(eve.chat, /I do not know you yet/);
  assert.doesNotMatch(hint.text, /sallyport|workspace|[A-Z0-9]{4}-[A-Z0-9]{4}/i);
  const invited = (await rig.admin("pair.invite", { name: "eve", role: "authenticated" })) as {
    links: { url: string }[];
  };
  const link = new URL(invited.links.find(({ url }) => url.includes("t.me"))?.url ?? "");
  assert.equal(link.pathname, "/sallyport_bot");
  eve.says(`/start ${link.searchParams.get("start")}`);
  await rig.until(eve.chat, /Welcome, eve\. You are in now/);
  assert.equal(rig.said(eve.chat).length, 2);
});

it("locks a guesser out, also with the right code, and lets others in meanwhile", async (t) => {
  const rig = await startRig(t);
  const eve = rig.stranger("Eve");
  const wrong = ["AAAA-2222", "BBBB-3333", "CCCC-4444", "DDDD-5555"];
  for (const code of wrong) eve.says(`join ${code}`);
  await rig.fake.waitFor(() => rig.said(eve.chat).length === wrong.length);
  const { code } = (await rig.admin("pair.invite", { name: "ana" })) as { code: string };
  eve.says(`join ${code}`);
  await rig.fake.waitFor(() => rig.said(eve.chat).length === wrong.length + 1);
  assert.equal(new Set(rig.said(eve.chat).map(({ text }) => text)).size, 1);
  const bob = await rig.member("bob");
  bob.says("say I am in");
  await rig.until(bob.chat, /I am in/);
});

it("burns a code that was posted in a group, tries to take the post away, and says no word to strangers", async (t) => {
  const rig = await startRig(t);
  const ana = await rig.member("ana");
  const eve = rig.stranger("Eve");
  const chat = rig.fake.group();
  const { code } = (await rig.admin("pair.invite", { name: "eve" })) as { code: string };
  const { messageId } = eve.person.sends(chat, `join ${code}`);
  await rig.fake.waitFor(({ calls }) => calls.some(({ method }) => method === "deleteMessage"));
  const removal = rig.fake.calls.find(({ method }) => method === "deleteMessage");
  assert.equal(removal?.params.message_id, messageId);
  ana.person.sends(chat, "/enable@sallyport_bot");
  await rig.until(chat, /I answer here/);
  assert.equal(rig.said(chat).length, 1);
  eve.says(`join ${code}`);
  await rig.until(eve.chat, /That code does not count/);
});

it("shows nobody what another said: not the agent of another, not a list, not a group", async (t) => {
  const rig = await startRig(t, { flags: scripted({ record: "prompts.jsonl" }) });
  const ana = await rig.member("ana", "owner");
  const bob = await rig.member("bob", "authenticated");
  const chat = rig.fake.group();
  ana.person.sends(chat, "/enable@sallyport_bot");
  await rig.until(chat, /I answer here/);
  ana.says("echo canary-ana");
  bob.says("echo canary-bob");
  ana.person.sends(chat, "@sallyport_bot echo canary-group");
  await rig.until(ana.chat, /canary-ana/);
  await rig.until(bob.chat, /canary-bob/);
  await rig.until(chat, /canary-group/);
  for (const text of ["/tasks", "/status", "/approvals", "/whoami"]) bob.says(text);
  await rig.until(bob.chat, /You are bob/);
  assert.doesNotMatch(rig.fake.transcript(ana.chat), /canary-bob|canary-group/);
  // What is asked for in the group is shown to the one who asks: theirs, and to an owner all.
  for (const who of [bob, ana]) {
    const before = rig.said(who.chat).length;
    who.person.sends(chat, "/tasks@sallyport_bot");
    who.person.sends(chat, "/status@sallyport_bot");
    await rig.fake.waitFor(() => rig.said(who.chat).length === before + 2);
  }
  await rig.until(ana.chat, /^In the group:\n\n[\s\S]*canary-bob/);
  await rig.until(bob.chat, /^In the group:\n\n[\s\S]*canary-bob/);
  assert.doesNotMatch(rig.fake.transcript(bob.chat), /canary-ana|canary-group/);
  assert.equal(rig.said(chat).length, 2);
  assert.doesNotMatch(rig.fake.transcript(chat), /canary-ana|canary-bob/);
  const sessions = sessionsIn(readFileSync(join(rig.workspace, "prompts.jsonl"), "utf8"));
  for (const words of sessions.values()) assert.equal(words.match(/canary-\w+/g)?.length, 1, words);
  assert.equal(sessions.size, 3);
});

/** What each session of an agent was told. */
function sessionsIn(record: string): Map<string, string> {
  const sessions = new Map<string, string>();
  for (const line of record.trim().split("\n")) {
    const { method, params } = JSON.parse(line) as {
      method?: string;
      params?: { sessionId?: string };
    };
    if (method !== "session/prompt") continue;
    const id = params?.sessionId ?? "";
    sessions.set(id, (sessions.get(id) ?? "") + line);
  }
  return sessions;
}
