// Questions answered from anywhere: by a reply, by number, from cards that are asked for again.
import assert from "node:assert/strict";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import type { ChatRef } from "../../src/core/words.ts";
import { listAudit } from "../../src/store/audit.ts";
import { createDesk, type Desk } from "../fakes/desk.ts";
import { type Spine, type SpineOptions, startSpine } from "../fakes/spine.ts";

const group: ChatRef = { id: "-7", kind: "group" };
const chat = { chat: group };

const nameForm = `form ${JSON.stringify({
  type: "object",
  properties: { name: { type: "string", title: "Name" } },
  required: ["name"],
})}`;
const colourForm = `form ${JSON.stringify({
  type: "object",
  properties: { colour: { type: "string", title: "Colour", enum: ["red", "blue"] } },
  required: ["colour"],
})}`;

async function open(t: TestContext, options: SpineOptions = {}): Promise<Spine> {
  const spine = await startSpine(t, options);
  await spine.join("1", "olga", "owner");
  await spine.join("2", "ana", "authenticated");
  await spine.join("3", "bob", "authenticated");
  await spine.desk.say("1", "/enable", chat);
  await spine.desk.until(/I answer here/, "-7");
  return spine;
}

/** The gateway knows its message by now: people need longer than that to read it. */
async function cardIn(
  { desk }: Spine,
  pattern: RegExp,
): Promise<Awaited<ReturnType<Desk["until"]>>> {
  const card = await desk.until(pattern, "-7");
  await desk.say("1", "/whoami");
  await desk.until(/You are/, "1");
  return card;
}

function replyTo({ ref, text }: Awaited<ReturnType<Desk["until"]>>, to = ref) {
  return { ...chat, quote: { text, author: "bot", ours: true, message: to } };
}

it("goes on with Ana's waiting task by an owner's reply to its question, and refuses others", async (t) => {
  const spine = await open(t);
  const { desk, store } = spine;
  await desk.say("2", nameForm, chat);
  const card = await cardIn(spine, /Name\?/);
  assert.match(card.text, /a reply to this one, or `answer 1 …`/);
  await desk.say("3", "Bob's words", replyTo(card));
  await desk.until(/Only the person who asked, or an owner/, "3");
  await desk.say("1", "Otto", replyTo(card));
  await desk.until(/"name":"Otto"/, "-7");
  await desk.until(/☑️ Answered by olga/, "-7");
  assert.doesNotMatch(desk.see("-7").join("\n"), /Bob's words/);
  const rows = await store.run(() => listAudit(50));
  assert.ok(rows.some(({ action, name }) => action === "question.answer" && name === "olga"));
  assert.ok(rows.some(({ name, why }) => name === "bob" && why === "somebody else was asked"));
});

it("takes a reply to the one question that is meant, and none to a message of another chat", async (t) => {
  const spine = await open(t);
  const { desk } = spine;
  await desk.say("2", nameForm, chat);
  const card = await cardIn(spine, /Name\?/);
  const elsewhere = { text: card.text, author: "bot", ours: true, message: card.ref };
  await desk.say("1", "from elsewhere", { quote: elsewhere });
  await desk.until(/from elsewhere/, "1");
  await desk.say("1", "a task of olga's own", replyTo(card, { ...card.ref, id: "m999" }));
  await desk.until(/a task of olga's own/, "-7");
  assert.doesNotMatch(desk.see("-7").join("\n"), /☑️/);
  await desk.say("2", "Otto", chat);
  await desk.until(/"name":"Otto"/, "-7");
  await desk.until(/☑️ Answered by ana/, "-7");
});

it("answers by number from any chat: words, and choices by their words or their place", async (t) => {
  const { desk } = await open(t);
  await desk.say("2", nameForm, chat);
  await desk.until(/Name\?/, "-7");
  await desk.say("2", "allow 1");
  await desk.until(/not a yes or no: `answer 1 …`/, "2");
  await desk.say("2", "deny 1");
  await desk.say("2", "/answer");
  await desk.until(/Say which/, "2");
  await desk.say("2", "answer 1 Otto the second");
  await desk.until(/Thank you/, "2");
  await desk.until(/"name":"Otto the second"/, "-7");
  assert.doesNotMatch(desk.messages("-7")[1]?.text ?? "", /Otto/);
  await desk.say("2", colourForm);
  await desk.until(/Colour\?/, "2");
  await desk.say("2", "answer 2 green");
  await desk.until(/That is not one of them/, "2");
  await desk.say("2", "answer 2 BLUE");
  await desk.until(/"colour":"blue"/, "2");
  await desk.say("2", `${colourForm}\nagain`);
  await desk.until(/\(3\)/, "2");
  await desk.say("2", "answer 3 1");
  await desk.until(/"colour":"red"/, "2");
});

it("lets nobody else answer by number, and takes words that only look like it for a task", async (t) => {
  const { desk } = await open(t);
  await desk.say("2", nameForm, chat);
  await desk.until(/Name\?/, "-7");
  await desk.say("3", "answer 1 mine", chat);
  await desk.until(/Only the person who asked, or an owner/, "3");
  await desk.say("3", "answer 1 question about owls");
  await desk.until(/answer 1 question about owls/, "3");
  await desk.say("3", "/answer 1 mine");
  await desk.until(/There is no question 1/, "3");
  await desk.say("1", "answer 1 Otto", chat);
  await desk.until(/"name":"Otto"/, "-7");
});

it("shows an open question as a card in one's direct chat, once, and every copy says who decided", async (t) => {
  const { desk, workspace } = await open(t);
  await desk.say("2", `do ${join(workspace, "n.txt")}`, chat);
  await desk.until(/Create n\.txt/, "-7");
  await desk.say("2", "/approvals");
  const first = await desk.until(/Create n\.txt/, "2");
  assert.match(first.text, /\(1\)\n\nFor: do .*n\.txt, on desk\n/);
  assert.equal(first.buttons.length, 3);
  await desk.say("2", "hello");
  await desk.until(/^hello/, "2");
  await desk.say("2", "/approvals");
  await desk.until(/Asked again below/, "2");
  await desk.until(/\(1\)/, "2");
  const live = desk.messages("2").filter(({ buttons }) => buttons.length > 0);
  assert.equal(live.length, 1);
  assert.equal(live[0], desk.messages("2").at(-1));
  await desk.say("1", "/approvals");
  const olgas = await desk.until(/Create n\.txt/, "1");
  assert.match(olgas.text, /For: do .* \(ana\), on desk/);
  await desk.say("3", "/approvals");
  await desk.until(/Nothing waits for a decision/, "3");
  await desk.press("2", "Allow once");
  await desk.until(/answer: once/, "-7");
  for (const place of ["-7", "1", "2"]) await desk.until(/✅ Allow once · ana/, place);
});

it("shows five of many, says how many are left, and keeps it a private list in a group", async (t) => {
  const { desk, workspace } = await open(t, { settings: { concurrent: 9 } });
  for (const thread of ["1", "2", "3", "4", "5", "6"]) {
    const there = { chat: { ...group, thread } };
    await desk.say("2", `do ${join(workspace, `n${thread}.txt`)}`, there);
    await desk.until(new RegExp(`Create n${thread}`), "-7");
  }
  await desk.say("1", "/approvals");
  await desk.until(/^1 more: /, "1");
  const cards = desk.messages("1").filter(({ buttons }) => buttons.length > 0);
  assert.equal(cards.length, 5);
  const before = desk.see("-7").length;
  await desk.say("1", "/approvals", chat);
  const list = await desk.until(/\*\*6\*\* Create n6/, "1");
  assert.match(list.text, /`allow 1` or `deny 1 because …` decides/);
  assert.equal(desk.see("-7").length, before);
  await desk.say("1", "allow 6");
  await desk.until(/✅ Allow once · olga/, "-7");
});

it("lists the choices where there are no buttons, and takes one by its number", async (t) => {
  const { desk, join: pair } = await startSpine(t, { desk: createDesk("desk", { buttons: 0 }) });
  await pair("2", "ana");
  await desk.say("2", colourForm);
  const card = await desk.until(/Colour\?/, "2");
  assert.match(card.text, /1\. red\n2\. blue\n3\. Decline\n\nAnswer with `answer 1 …`/);
  await desk.say("2", "answer 1 2");
  await desk.until(/"colour":"blue"/, "2");
  await desk.say("2", colourForm);
  await desk.until(/\(2\)/, "2");
  await desk.say("2", "answer 2 decline");
  await desk.until(/"action":"decline"/, "2");
});
