// What the page shows of conversations that people share, and of those that went on in another chat.
import assert from "node:assert/strict";
import { it } from "node:test";
import type { ChatRef } from "../../src/core/words.ts";
import { linkAccount } from "../../src/store/accounts.ts";
import { findPairing } from "../../src/store/pairings.ts";
import { createDesk } from "../fakes/desk.ts";
import { viewsRig } from "../fakes/views-rig.ts";

const group: ChatRef = { id: "-7", kind: "group" };

it("shows a shared conversation to owners, as everybody's, and to nobody else", async (t) => {
  const rig = await viewsRig(t);
  const { desk, views } = rig;
  await rig.join("1", "olga", "owner");
  await rig.join("2", "ana", "authenticated");
  await desk.say("1", "/share", { chat: group });
  await desk.until(/From now on/, "-7");
  await desk.say("2", "canary shared", { chat: group });
  await desk.until(/canary shared/, "-7");
  const olga = await rig.caller("olga");
  const ana = await rig.caller("ana");
  const [shared] = (await views.conversations(olga)).conversations.filter(
    ({ whose }) => whose === "everybody",
  );
  assert.equal(shared?.kind, "group");
  const history = await views.history(olga, shared?.id ?? "");
  assert.deepEqual(
    history?.entries.map(({ is, text }) => [is, text.trim().split("\n").at(-1)?.slice(-13)]),
    [
      ["said", "canary shared"],
      ["posted", "canary shared"],
    ],
  );
  assert.equal(await views.history(ana, shared?.id ?? ""), undefined);
  assert.doesNotMatch(JSON.stringify(await views.conversations(ana)), /everybody|canary/);
  const { tasks } = await views.tasks(ana);
  assert.deepEqual(
    tasks.map(({ title, whose }) => [title, whose]),
    [["canary shared", null]],
  );
});

it("tells a conversation whole where it went on, and what was there before as one that was set aside", async (t) => {
  const web = createDesk("web");
  const rig = await viewsRig(t, { more: [web] });
  const { desk, views } = rig;
  await rig.join("2", "ana", "authenticated");
  const ana = await rig.caller("ana");
  const pairing = ana.pairing ?? "";
  const chat: ChatRef = { id: pairing, kind: "direct" };
  await desk.say("2", "begun on the desk");
  await desk.until(/begun on the desk/, "2");
  await web.say(pairing, "begun on the page", { chat });
  await web.until(/begun on the page/, pairing);
  await web.say(pairing, "/resume 1", { chat });
  await web.until(/We go on here with "begun on the desk"/, pairing);
  await web.say(pairing, "and on", { chat });
  await web.until(/^and on/, pairing);
  const history = await views.chat(ana, pairing);
  const told = history?.entries.map(({ is, text }) => `${is} ${text.trim()}`) ?? [];
  assert.deepEqual(
    told.filter((line) => /begun on the desk$|and on/.test(line)),
    ["said begun on the desk", "posted begun on the desk", "said and on", "posted and on"],
  );
  assert.doesNotMatch(told.join("\n"), /(said|posted) begun on the page/);
  const { conversations } = await views.conversations(ana);
  assert.deepEqual(
    conversations.map(({ title, channel, chat: place }) => [title, channel, place]),
    [
      ["and on", "desk", pairing],
      ["begun on the page", "desk", null],
    ],
  );
  const aside = conversations.find(({ title }) => title === "begun on the page");
  const before = await views.history(ana, aside?.id ?? "");
  const words = JSON.stringify(before?.entries);
  assert.match(words, /begun on the page/);
  assert.doesNotMatch(words, /"and on"/);
});

it("gives the page of an account that moved to somebody else nothing of what was continued there", async (t) => {
  const other = createDesk("other");
  const rig = await viewsRig(t, { more: [other] });
  const { desk, views, store } = rig;
  await rig.join("2", "ana", "authenticated");
  await rig.join("3", "bob", "authenticated");
  const ana = await store.run(() => findPairing("ana"));
  const there = { listener: "other", account: "22", name: "ana", linkedAt: Date.now() };
  await store.run(() => linkAccount({ ...there, pairing: ana?.id ?? "" }));
  await desk.say("2", "canary of ana");
  await desk.until(/canary of ana/, "2");
  await other.say("22", "/resume 1");
  await other.until(/We go on here/, "22");
  const bob = await store.run(() => findPairing("bob"));
  await store.run(() => linkAccount({ ...there, pairing: bob?.id ?? "" }));
  await other.say("22", "hello");
  await other.until(/^hello/, "22");
  const viewer = await rig.caller("bob");
  const { conversations } = await views.conversations(viewer);
  const all = await Promise.all(conversations.map(({ id }) => views.history(viewer, id)));
  assert.match(JSON.stringify(all), /hello/);
  assert.doesNotMatch(JSON.stringify([conversations, all]), /canary|We go on here/);
});
