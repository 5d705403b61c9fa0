// One person with accounts on several channels: the same lists, questions answered across, conversations that go along.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { addInvite, hmacOf, makeCode } from "../../src/access/codes.ts";
import type { ChatRef } from "../../src/core/words.ts";
import { linkAccount } from "../../src/store/accounts.ts";
import { findPairing } from "../../src/store/pairings.ts";
import { temporaryFolder } from "../fakes/agent-rig.ts";
import { createDesk, type Desk } from "../fakes/desk.ts";
import { type Spine, type SpineOptions, startSpine } from "../fakes/spine.ts";

const group: ChatRef = { id: "-7", kind: "group" };

interface People extends Spine {
  /** The second channel: Ana is 22 there, Bob 33. */
  readonly other: Desk;
}

/** Ana and Bob, each with an account on both channels. */
async function people(t: TestContext, options: SpineOptions = {}): Promise<People> {
  const other = createDesk("other");
  const spine = await startSpine(t, { ...options, more: [other] });
  await spine.join("1", "olga", "owner");
  for (const [account, name] of [
    ["2", "ana"],
    ["3", "bob"],
  ] as const) {
    await spine.join(account, name, "authenticated");
    await linkToo(spine, other, { account: account + account, name });
  }
  return { ...spine, other };
}

/** With a second code of the same name, on the other channel. */
async function linkToo(
  { store }: Spine,
  other: Desk,
  { account, name }: { account: string; name: string },
): Promise<void> {
  const code = makeCode();
  const hmac = hmacOf(Buffer.alloc(32, 7), code);
  await store.run(() => addInvite({ hmac, name, role: "authenticated", now: Date.now() }));
  await other.say(account, `join ${code}`);
  await other.until(/Welcome/, account);
}

it("shows the same tasks and open questions on both, and answers across, with every card saying who", async (t) => {
  const { desk, other, workspace } = await people(t);
  await desk.say("2", "asked on the desk");
  await desk.until(/asked on the desk/, "2");
  await other.say("22", `do ${join(workspace, "n.txt")}`);
  await other.until(/Create n\.txt/, "22");
  await desk.say("2", "/tasks");
  await other.say("22", "/tasks");
  const both = [
    await desk.until(/waits for an answer ·/, "2"),
    await other.until(/waits for an answer ·/, "22"),
  ];
  assert.equal(both[0]?.text, both[1]?.text);
  assert.match(both[0]?.text ?? "", /completed · asked on the desk/);
  await desk.say("2", "/approvals");
  const copy = await desk.until(/Create n\.txt/, "2");
  assert.match(copy.text, /For: do .*, on other/);
  await desk.say("3", "/approvals");
  await desk.until(/Nothing waits/, "3");
  await desk.press("2", "Allow once");
  await other.until(/answer: once/, "22");
  await other.until(/✅ Allow once · ana/, "22");
  await desk.until(/✅ Allow once · ana/, "2");
  for (const where of [desk.messages("2"), other.messages("22")])
    assert.deepEqual(
      where.flatMap(({ buttons }) => buttons),
      [],
    );
});

it("lists one's conversations of every channel, and continues one here with all that it knows", async (t) => {
  const record = join(temporaryFolder(t), "prompts.jsonl");
  const { desk, other } = await people(t, { fake: { record } });
  await other.say("22", "begun on the other");
  await other.until(/begun on the other/, "22");
  await other.say("33", "canary of bob");
  await other.until(/canary of bob/, "33");
  await desk.say("2", "begun on the desk");
  await desk.until(/begun on the desk/, "2");
  await desk.say("2", "/resume");
  const list = await desk.until(/^1\. /, "2");
  assert.match(list.text, /^1\. "begun on the other" · other, direct chat · just now\n\n/);
  assert.doesNotMatch(list.text, /bob|begun on the desk/);
  await desk.say("2", "/resume 2");
  await desk.until(/There is no conversation 2/, "2");
  await desk.say("2", "/resume 1");
  await desk.until(/We go on here with "begun on the other"/, "2");
  await desk.say("2", "and on");
  await desk.until(/^and on/, "2");
  await other.say("22", "new there");
  await other.until(/new there/, "22");
  await desk.say("2", "/resume");
  const now = await desk.until(/set aside/, "2");
  assert.match(
    now.text,
    /"new there" · other, direct chat[\s\S]*"begun on the desk" · desk, direct chat, set aside/,
  );
  const sessions = sessionsIn(readFileSync(record, "utf8"));
  assert.deepEqual([...sessions.values()].map((said) => said.join(", ")).sort(), [
    "begun on the desk",
    "begun on the other, and on",
    "canary of bob",
    "new there",
  ]);
});

/** What each session of the agent was told. */
function sessionsIn(record: string): Map<string, string[]> {
  const sessions = new Map<string, string[]>();
  for (const line of record.trim().split("\n")) {
    const { method, params } = JSON.parse(line);
    if (method !== "session/prompt") continue;
    const said = sessions.get(params.sessionId) ?? [];
    said.push(...params.prompt.map(({ text }: { text: string }) => text));
    sessions.set(params.sessionId, said);
  }
  return sessions;
}

it("goes back and forth between what was set aside, and keeps the ways of both channels apart", async (t) => {
  const { desk, other } = await people(t);
  await other.say("22", "one");
  await other.until(/^one/, "22");
  await desk.say("2", "two");
  await desk.until(/^two/, "2");
  await desk.say("2", "/resume 1");
  await desk.until(/We go on here with "one"/, "2");
  await desk.say("2", "/resume 1");
  await desk.until(/We go on here with "two"/, "2");
  await desk.say("2", "/resume");
  const list = await desk.until(/^1\. "one"/, "2");
  assert.match(list.text, /^1\. "one" · desk, direct chat, set aside/);
});

it("continues a conversation of a group in a direct chat, and refuses the other way, what is busy, and what is shared", async (t) => {
  const { desk, other, workspace } = await people(t);
  await desk.say("1", "/enable", { chat: group });
  await desk.until(/I answer here/, "-7");
  const gate = join(workspace, "gate");
  await desk.say("2", `stall ${gate}\nin the group`, { chat: group });
  await other.say("22", "/resume");
  await other.until(/^1\. "stall .* · desk, a group · just now/, "22");
  await other.say("22", "/resume 1");
  await other.until(/is at work, or waits for an answer/, "22");
  writeFileSync(gate, "");
  await desk.until(/in the group/, "-7");
  await desk.say("2", "/resume", { chat: group });
  await desk.until(/That is for a direct chat with me/, "2");
  await other.say("22", "/resume 1");
  await other.until(/We go on here with/, "22");
  await desk.say("1", "/share", { chat: group });
  await desk.until(/From now on/, "-7");
  await desk.say("2", "canary shared", { chat: group });
  await desk.until(/canary shared/, "-7");
  await other.say("22", "/resume");
  await other.until(/You have no other conversation/, "22");
  await desk.say("1", "/resume");
  await desk.until(/You have no other conversation/, "1");
  await other.say("99", "/resume");
  await other.until(/do not know you/, "99");
});

it("ends both with the pairing: an account that is linked to another person gets none of them", async (t) => {
  const { desk, other, store } = await people(t);
  await other.say("22", "canary of ana");
  await other.until(/canary of ana/, "22");
  const bob = await store.run(() => findPairing("bob"));
  const moved = { listener: "other", account: "22", name: "bob", linkedAt: Date.now() };
  await store.run(() => linkAccount({ ...moved, pairing: bob?.id ?? "" }));
  await other.say("22", "/resume");
  await other.until(/You have no other conversation/, "22");
  await desk.say("2", "/resume");
  await desk.until(/"canary of ana"/, "2");
});
