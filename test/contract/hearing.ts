// The contract of the way in: durable before acknowledged, translated, and silent about what no person said.
import assert from "node:assert/strict";
import { it } from "node:test";
import type { InboundEvent } from "../../src/core/events.ts";
import { inbox, type Rig, type Setup, withRig } from "./rig.ts";

export function hearing(name: string, setup: Setup): void {
  it(`${name}: hands over what a person says in a direct chat, in order`, () =>
    withRig(setup, handsOver));
  it(`${name}: tells the platform nothing before a batch is accepted`, () =>
    withRig(setup, tellsNothing));
  it(`${name}: offers a batch again when it could not be accepted`, () =>
    withRig(setup, offersAgain));
  it(`${name}: takes up after a restart what was not accepted, under the same key`, () =>
    withRig(setup, takesUp));
  it(`${name}: does not hear again after a stop what it accepted before`, () =>
    withRig(setup, confirmsOnStop));
  it(`${name}: says which group and thread, and whether it is addressed`, () =>
    withRig(setup, saysWhere));
  it(`${name}: hears nothing of its own messages, of bots and of the service`, () =>
    withRig(setup, hearsNoNoise));
}

async function handsOver({ listener, says, direct, until }: Rig) {
  const box = inbox();
  await listener.start(box.accept);
  for (const text of ["one", "two 😀", "three"]) says(direct, text);
  await until("three messages", () => box.events.length >= 3);
  assert.deepEqual(box.texts(), ["one", "two 😀", "three"]);
  const [first, second] = box.messages();
  assert.equal(first?.chat.kind, "direct");
  assert.equal(first?.chat.id, direct.chat);
  assert.equal(first?.addressed, true);
  assert.notEqual(first?.key, second?.key);
  assert.ok(first?.sender.account);
  assert.ok(Math.abs(Date.now() - (first?.at ?? 0)) < 60_000);
}

async function tellsNothing({ listener, says, direct, until, unconfirmed }: Rig) {
  if (!unconfirmed) return;
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let asked = 0;
  const box = inbox(async () => {
    asked += 1;
    await held;
  });
  await listener.start(box.accept);
  says(direct, "keep me");
  await until("the offer", () => asked === 1);
  assert.equal(unconfirmed(), 1);
  release();
  await until("the confirmation", () => unconfirmed() === 0);
  assert.deepEqual(box.texts(), ["keep me"]);
}

async function offersAgain({ listener, says, direct, until, unconfirmed }: Rig) {
  if (!unconfirmed) return;
  const offers: string[] = [];
  const box = inbox(async (events) => {
    offers.push(events.map(({ key }) => key).join());
    if (offers.length < 3) throw new Error("the disk is full");
  });
  await listener.start(box.accept);
  says(direct, "keep me");
  await until("the second offer", () => offers.length === 2);
  assert.equal(unconfirmed(), 1);
  await until("the confirmation", () => unconfirmed() === 0);
  assert.deepEqual(box.texts(), ["keep me"]);
  assert.equal(new Set(offers).size, 1);
}

async function takesUp({ listener, says, direct, until, again }: Rig) {
  if (!again) return;
  const seen: InboundEvent[] = [];
  await listener.start(async (events) => {
    seen.push(...events);
    throw new Error("killed before the commit");
  });
  says(direct, "do it");
  await until("the first offer", () => seen.length > 0);
  await listener.stop();
  const box = inbox();
  const next = again();
  await next.start(box.accept);
  await until("the second offer", () => box.events.length > 0);
  await next.stop();
  assert.deepEqual(box.texts(), ["do it"]);
  assert.equal(box.events[0]?.key, seen[0]?.key);
}

async function confirmsOnStop({ listener, says, direct, until, again, unconfirmed }: Rig) {
  if (!again || !unconfirmed) return;
  let stopped: Promise<void> | undefined;
  // It stops while the batch is being accepted: no poll comes after it that would confirm it by the way.
  const box = inbox(async () => {
    stopped = listener.stop();
  });
  await listener.start(box.accept);
  says(direct, "once");
  await until("the message", () => box.events.length === 1);
  await stopped;
  assert.equal(unconfirmed(), 0);
  assert.equal(listener.health().state, "stopped");
  says(direct, "while it was away");
  const next = again();
  const later = inbox();
  await next.start(later.accept);
  await until("what came meanwhile", () => later.events.length > 0);
  await next.stop();
  assert.deepEqual(later.texts(), ["while it was away"]);
}

async function saysWhere({ listener, says, group, thread, until }: Rig) {
  if (!group) return;
  const box = inbox();
  await listener.start(box.accept);
  says(group, "just talking", false);
  says(group, "do it", true);
  if (thread) says(thread, "and that", true);
  const count = thread ? 3 : 2;
  await until("the messages", () => box.events.length === count);
  const [talk, asked, deeper] = box.messages();
  assert.deepEqual([talk?.addressed, asked?.addressed], [false, true]);
  assert.deepEqual([talk?.chat.kind, asked?.chat.id], ["group", group.chat]);
  assert.equal(asked?.chat.thread, undefined);
  assert.equal(asked?.text, "do it");
  if (thread)
    assert.deepEqual([deeper?.chat.id, deeper?.chat.thread], [thread.chat, thread.thread]);
}

async function hearsNoNoise({ listener, says, direct, group, until, noise }: Rig) {
  if (!noise) return;
  const box = inbox();
  await listener.start(box.accept);
  noise(group ?? direct);
  await listener.send(direct, { plain: "I am the bot" }, "k1");
  says(direct, "and a person");
  await until("the person", () => box.texts().includes("and a person"));
  assert.deepEqual(box.texts(), ["and a person"]);
}
