// What guessing costs: waits that outlive a restart, and a first honest attempt that always counts.
import assert from "node:assert/strict";
import { it } from "node:test";
import { ensureLocal } from "../../src/access/pairings.ts";
import { forgetBefore } from "../../src/store/retention.ts";
import { accessRig, hour, minute, person, second, start } from "../fakes/access-rig.ts";

const wrong = "AAAA-2222";

it("refuses a right code after three wrong ones, for 30 s that double up to an hour", async (t) => {
  const { invite, redeem } = accessRig(t);
  const mallory = person("1");
  let now = start;
  for (let n = 0; n < 3; n += 1) assert.equal(await redeem(wrong, mallory, now), "refused");
  for (const wait of [30, 60, 120, 240, 480, 960, 1920, 3600, 3600]) {
    const early = await invite("ana", now + wait * second - 1);
    assert.equal(await redeem(early, mallory, now + wait * second - 1), "refused", `${wait} s`);
    now += wait * second;
    assert.equal(await redeem(early, person(`honest after ${wait} at ${now}`), now), "linked");
    assert.equal(await redeem(wrong, mallory, now), "refused");
  }
  now += hour;
  assert.equal(await redeem(await invite("ana", now), mallory, now), "linked");
});

it("takes the right code after two wrong ones, and forgets them then", async (t) => {
  const { invite, redeem } = accessRig(t);
  await redeem(wrong, person("1"), start);
  await redeem(wrong, person("1"), start);
  assert.equal(await redeem(await invite("ana", start), person("1"), start), "linked");
  for (let n = 0; n < 2; n += 1) await redeem(wrong, person("1"), start);
  assert.equal(await redeem(await invite("ana", start), person("1"), start), "linked");
});

it("keeps the wait over a restart", async (t) => {
  const rig = accessRig(t);
  for (let n = 0; n < 3; n += 1) await rig.redeem(wrong, person("1"), start);
  await rig.restart();
  const code = await rig.invite("ana", start);
  assert.equal(await rig.redeem(code, person("1"), start + 29 * second), "refused");
  assert.equal(await rig.redeem(code, person("1"), start + 30 * second), "linked");
});

it("ends a wait early rather than late when the clock jumps", async (t) => {
  const { invite, redeem } = accessRig(t);
  for (let n = 0; n < 3; n += 1) await redeem(wrong, person("1"), start);
  const back = start - 365 * 24 * hour;
  assert.equal(await redeem(await invite("ana", back), person("1"), back), "linked");
  for (let n = 0; n < 3; n += 1) await redeem(wrong, person("2"), start);
  for (let n = 0; n < 3; n += 1) await redeem(wrong, person("3"), start);
  const little = start - 10 * minute;
  assert.equal(await redeem(await invite("cleo", little), person("3"), little), "linked");
  const on = start + 365 * 24 * hour;
  assert.equal(await redeem(await invite("bob", on), person("2"), on), "linked");
});

it("lets senders that failed share one attempt a second per listener, after a burst of twenty", async (t) => {
  const { invite, redeem } = accessRig(t);
  const people = Array.from({ length: 25 }, (_, n) => person(String(n)));
  const at = (n: number) => people[n] ?? person("?");
  for (const one of people) await redeem(wrong, one, start);
  for (const one of people.slice(0, 19)) await redeem(wrong, one, start);
  assert.equal(await redeem(await invite("twentieth", start), at(19), start), "linked");
  const code = await invite("ana", start);
  assert.equal(await redeem(code, at(20), start + 999), "refused");
  assert.equal(await redeem(code, person("fresh"), start + 999), "linked");
  const next = await invite("bob", start);
  assert.equal(await redeem(wrong, at(21), start + 1500), "refused");
  assert.equal(await redeem(next, at(22), start + 1999), "refused");
  assert.equal(await redeem(next, at(22), start + 2000), "linked");
  await redeem(wrong, person("1", "discord"), start);
  const elsewhere = await invite("cleo", start);
  assert.equal(await redeem(elsewhere, person("1", "discord"), start), "linked");
});

it("does not shut the shared door for long when the clock was ahead", async (t) => {
  const { invite, redeem } = accessRig(t);
  const ahead = start + 365 * 24 * hour;
  const people = Array.from({ length: 30 }, (_, n) => person(String(n)));
  for (const one of people) await redeem(wrong, one, ahead);
  for (const one of people) await redeem(wrong, one, ahead);
  const code = await invite("ana", start);
  assert.equal(await redeem(code, people[29] ?? person("?"), start), "linked");
});

it("lets none of ten thousand guesses in, and then still an honest first attempt", async (t) => {
  const { run, invite, redeem, who, audits } = accessRig(t);
  const code = await invite("ana", start, "owner");
  const alphabet = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
  const guess = (n: number) =>
    `${[...Array(4).keys()].map((place) => alphabet[(n >> (5 * place)) & 31]).join("")}-2222`;
  const guesses = Array.from({ length: 10_000 }, (_, n) => ({
    code: guess(n),
    // Half from as many accounts, half from ten of them, over three channels.
    sender: person(String(n % 2 ? n : n % 20), ["telegram", "discord", "slack"][n % 3]),
  }));
  assert.ok(!guesses.some((one) => one.code === code));
  const results = await Promise.all(
    guesses.map((one, n) => redeem(one.code, one.sender, start + n)),
  );
  assert.ok(results.every((result) => result === "refused"));
  // The ten hold the right code now, and it does not help them.
  for (let n = 0; n < 20; n += 2)
    assert.equal(await redeem(code, person(String(n)), start + 10 * second), "refused");
  assert.equal(await redeem(code, person("honest"), start + 11 * second), "linked");
  assert.equal((await who(person("honest"))).role, "owner");
  const checked = await audits({ outcome: "refused" });
  assert.equal(checked.length, 1000, "an audit row for each, a page at a time");
  let gone = 0;
  for (let step = 1; step > 0; gone += step)
    step = await run(() => forgetBefore(start + 24 * hour, 5000));
  assert.ok(gone > 15_000, "and nothing of it is kept for ever");
});

it("locks a single guesser out and lets a hundred others have one try each", async (t) => {
  const { invite, redeem } = accessRig(t);
  const code = await invite("ana", start);
  for (let n = 0; n < 10; n += 1) await redeem(wrong, person("1"), start + n * second);
  assert.equal(await redeem(code, person("1"), start + 11 * second), "refused");
  for (let n = 100; n < 200; n += 1)
    assert.equal(await redeem(wrong, person(String(n)), start + 11 * second), "refused");
  assert.equal(await redeem(code, person("honest"), start + 5 * minute), "linked");
});

it("leaves the owner at the keyboard where they are when they try a code there", async (t) => {
  const { run, invite, redeem, who } = accessRig(t);
  await run(() => ensureLocal({ id: "l", tokenHash: "h", now: start }));
  const code = await invite("ana", start);
  assert.equal(await redeem(code, person("local", "terminal"), start), "refused");
  assert.equal((await who(person("local", "terminal"))).role, "owner");
  assert.equal(await redeem(code, person("1"), start), "linked");
});
