// Questions on a channel that decides by a word: how long they wait, lists of them, words for an answer, the page behind their link.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { linksOf } from "../../src/gateway/links.ts";
import type { Live } from "../../src/gateway/wiring.ts";
import { pendingQuestions } from "../../src/store/questions.ts";
import { createDesk } from "../fakes/desk.ts";
import { createLetters, day, joinOn, type Letters } from "../fakes/letters.ts";
import { type Spine, type SpineOptions, startSpine } from "../fakes/spine.ts";
import { viewsRig } from "../fakes/views-rig.ts";

const colourForm = `form ${JSON.stringify({
  type: "object",
  properties: { colour: { type: "string", title: "Colour", enum: ["red", "blue"] } },
  required: ["colour"],
})}`;
const nameForm = `form ${JSON.stringify({
  type: "object",
  properties: { name: { type: "string", title: "Name" } },
  required: ["name"],
})}`;

async function open(
  t: TestContext,
  options: SpineOptions = {},
): Promise<{ letters: Letters; spine: Spine }> {
  const letters = createLetters();
  const spine = await startSpine(t, { desk: letters, ...options });
  await spine.join("1", "ana", "authenticated");
  return { letters, spine };
}

function wordIn(text: string): { number: string; word: string } {
  const [, number = "", word = ""] = /Question (\d+), word (\w{4})/.exec(text) ?? [];
  return { number, word };
}

it("waits a day for an answer, beyond what an agent may be silent, while another channel has its hour", async (t) => {
  const desk = createDesk("desk");
  const limits = { silentMs: 200, toolMs: 200, idleMs: 200 };
  const { letters, spine } = await open(t, { more: [desk], limits });
  await joinOn(spine.store, desk, { account: "7", name: "bob", role: "authenticated" });
  const path = join(spine.workspace, "n.txt");
  await letters.write("1", `do ${path}`);
  const { text } = await letters.until(/Create n\.txt/);
  await desk.say("7", `do ${join(spine.workspace, "m.txt")}`);
  await desk.until(/Create m\.txt/, "7");
  const waits = (await spine.store.run(pendingQuestions)).map(
    (one) => one.expiresAt - one.createdAt,
  );
  assert.deepEqual(waits, [day, 3_600_000]);
  await delay(1000);
  const { number, word } = wordIn(text);
  await letters.write("1", `allow ${number} ${word}`);
  await letters.until(/answer: once/);
  assert.equal(readFileSync(path, "utf8"), "did\n");
});

it("says in the answer's place that nobody answered, and how long it waited", async (t) => {
  const letters = createLetters({ patience: 100 });
  const { spine } = await open(t, { desk: letters });
  await letters.write("1", `do ${join(spine.workspace, "n.txt")}`);
  const { text } = await letters.until(/Create n\.txt/);
  await letters.until(/answer: no\n\nNot run: nobody answered in time\./);
  const { number, word } = wordIn(text);
  await letters.write("1", `allow ${number} ${word}`);
  await letters.until(/This question has expired: nothing was run/);
});

it("lists in one message what waits, with the words, and takes a decision from that list", async (t) => {
  const desk = createDesk("desk");
  const { letters, spine } = await open(t, { more: [desk] });
  await joinOn(spine.store, desk, { account: "7", name: "ana", role: "authenticated" });
  const paths = ["a.txt", "b.txt"].map((name) => join(spine.workspace, name));
  await letters.write("1", `do ${paths[0]}`);
  const first = wordIn((await letters.until(/Create a\.txt/)).text);
  await desk.say("7", `do ${paths[1]}`);
  await desk.until(/Create b\.txt/, "7");
  await letters.write("1", "allow 2 AAAA", { thread: "t2" });
  await letters.until(/question 2 was not asked here/);
  const before = letters.to("1").length;
  await letters.write("1", "/approvals", { thread: "t2" });
  const { text } = await letters.until(/word \w{4}: Create b\.txt/);
  assert.equal(letters.to("1").length, before + 1);
  assert.match(text, new RegExp(`Question 1, word ${first.word}: Create a\\.txt`));
  assert.match(text, /For: do .*b\.txt, on desk/);
  const [, word = ""] = /Question 2, word (\w{4}): Create b\.txt/.exec(text) ?? [];
  const [, second] = await spine.store.run(pendingQuestions);
  assert.equal((second?.expiresAt ?? 0) - (second?.createdAt ?? 0), day);
  await letters.write("1", "/approvals", { thread: "t2" });
  await letters.after("1", before + 1);
  assert.match(letters.see().at(-1) ?? "", new RegExp(`Question 2, word ${word}`));
  await letters.write("1", `allow 2 ${word}`, { thread: "t2" });
  await letters.until(/^Allowed\.$/);
  await desk.until(/✅ Allow once · ana/, "7");
  await letters.write("1", `allow 1 ${first.word}`, { thread: "t2" });
  await letters.until(/answer: once/);
  assert.deepEqual(paths.map(existsSync), [true, true]);
});

it("takes a choice by its word, and words for an answer in their own thread without one", async (t) => {
  const { letters } = await open(t);
  await letters.write("1", colourForm);
  const { text } = await letters.until(/Colour\?/);
  const { number, word } = wordIn(text);
  assert.match(text, /1\. red\n2\. blue/);
  assert.match(text, new RegExp(`\`answer ${number} ${word} 1\``));
  await letters.write("1", `answer ${number} 2`);
  await letters.until(/word of question 1 is missing/);
  await letters.write("1", `answer ${number} ${word} blue`);
  await letters.until(/"colour":"v1"|"colour":"blue"/);
  await letters.write("1", nameForm, { thread: "t2" });
  const asked = await letters.until(/Name\?/);
  assert.match(asked.text, /Reply to this: what you write is the answer/);
  assert.match(asked.text, /If nobody answers within 24 hours, I take it/);
  await letters.write("1", "Otto\nthe Great", { thread: "t2" });
  await letters.until(/"name":"Otto\\nthe Great"/);
  await letters.write("1", nameForm, { thread: "t3" });
  const third = wordIn((await letters.until(/Question 3.*Name\?/)).text);
  await letters.write("1", `answer 3 ${third.word} Olga`, { thread: "t4" });
  await letters.until(/"name":"Olga"/);
});

it("gives a link to a page that decides once, when it is asked to, and that says who decided by word", async (t) => {
  const letters = createLetters();
  const rig = await viewsRig(t, { desk: letters });
  await rig.join("1", "ana", "authenticated");
  const path = join(rig.workspace, "n.txt");
  await letters.write("1", `do ${path}`);
  const { text } = await letters.until(/Create n\.txt/);
  const token = /<https:\/\/gate\.example\/hitl\/([\w.-]+)>/.exec(text)?.[1] ?? "";
  assert.notEqual(token, "");
  for (const at of [`/hitl/${token}`, `/api/hitl/${token}`])
    for (const method of ["HEAD", "GET", "OPTIONS", "PUT", "DELETE"])
      for (const query of ["", "?option=allow:0"])
        await (await fetch(`${rig.url}${at}${query}`, { method })).arrayBuffer();
  const typed = { method: "POST", headers: { "content-type": "text/plain" } };
  await fetch(`${rig.url}/hitl/${token}`, { ...typed, body: '{"option":"allow:0"}' });
  assert.equal(existsSync(path), false);
  assert.equal((await rig.get(undefined, `/api/hitl/${token}`)).body.state, "pending");
  const { number, word } = wordIn(text);
  await letters.write("1", `allow ${number} ${word}`);
  await letters.until(/answer: once/);
  const shown = await rig.get(undefined, `/api/hitl/${token}`);
  assert.equal(shown.body.state, "answered");
  assert.match(shown.body.outcome, /✅ Allow once · ana/);
  const late = await rig.post(undefined, `/hitl/${token}`, { option: "deny" });
  assert.deepEqual(late, { status: 409, body: { problem: "Already decided by ana: Allow once." } });
});

it("links to this machine's own address only for who sits at it", () => {
  const live = { settings: { http: {} }, pageUrl: "http://127.0.0.1:1" } as unknown as Live;
  const { hitlUrl } = linksOf(live, Buffer.alloc(32, 1));
  assert.equal(hitlUrl("card", "post"), undefined);
  assert.match(hitlUrl("card", "terminal") ?? "", /^http:\/\/127\.0\.0\.1:1\/hitl\/card\./);
  const http = { publicUrl: "https://gate.example/" };
  const reachable = { ...live, settings: { http } } as unknown as Live;
  const links = linksOf(reachable, Buffer.alloc(32, 1));
  assert.match(links.hitlUrl("card", "post") ?? "", /^https:\/\/gate\.example\/hitl\/card\./);
});
