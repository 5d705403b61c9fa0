// Pairing codes: how they are read, and what they open, once.
import assert from "node:assert/strict";
import { it } from "node:test";
import {
  addInvite,
  burnCode,
  codeIn,
  hmacOf,
  makeCode,
  normaliseCode,
  redeemCode,
} from "../../src/access/codes.ts";
import {
  changeRole,
  createPairing,
  knownPairings,
  removePairing,
  unlink,
} from "../../src/access/pairings.ts";
import { accessRig, codeKey, hmac, minute, person, start } from "../fakes/access-rig.ts";

it("makes codes that read well, use every character, and always hold a digit", () => {
  const codes = Array.from({ length: 2000 }, makeCode);
  for (const code of codes) {
    assert.match(code, /^[2-9A-HJ-NP-Z]{4}-[2-9A-HJ-NP-Z]{4}$/);
    assert.match(code, /[2-9]/);
    assert.equal(codeIn(`join ${code.replace("-", "").toLowerCase()}`), code.replace("-", ""));
  }
  assert.equal(new Set(codes).size, codes.length);
  assert.equal(new Set(codes.join("").replaceAll("-", "")).size, 32);
});

it("reads a code as people type, paste and dictate it", () => {
  const texts = [
    "join K7Q2-9XF4",
    "  JOIN k7q2-9xf4  ",
    "/join K7Q29XF4",
    "/start K7Q2-9XF4",
    "/start@sallyport_bot K7Q29XF4",
    "/join@sallyport_bot K7Q2-9XF4",
    "@sallyport_bot join K7Q2-9XF4",
    "join: K7Q2 9XF4",
    "join  K7Q2 - 9XF4.",
    "join “K7Q2–9XF4”",
    "join 'k7q2—9xf4'.",
    "join `K7Q2-9XF4`!",
    "join <K7Q2-9XF4>",
    "join **K7Q2-9XF4**",
    "**join K7Q2-9XF4**",
    "`join K7Q2-9XF4`",
    "> join K7Q2-9XF4",
    "||join K7Q2-9XF4||",
    "_join K7Q2-9XF4_",
    "join\u00A0K7Q2\u00A09XF4",
    "join K7Q2\u22129XF4",
    "join K7Q2\u20119XF4",
    "join \u200BK7Q2\u00AD9XF4\uFEFF",
    "join Ｋ７Ｑ２－９ＸＦ４",
    "join\nK7Q2-9XF4",
  ];
  for (const text of texts) assert.equal(codeIn(text), "K7Q29XF4", JSON.stringify(text));
  assert.equal(normaliseCode(" k7q2 9xf4 "), "K7Q29XF4");
  assert.equal(hmacOf(codeKey, "k7q2-9xf4"), hmacOf(codeKey, "K7Q29XF4"));
  assert.notEqual(hmacOf(codeKey, "K7Q29XF4"), hmacOf(Buffer.alloc(32, 8), "K7Q29XF4"));
});

it("leaves every other sentence alone", () => {
  const texts = [
    "join",
    "join us",
    "join research",
    "join data sets",
    "join me at K7Q2-9XF4",
    "please join K7Q2-9XF4",
    "join K7Q2-9XF4 and then list the files",
    "join K7Q2-9XF",
    "join K7Q2-9XF44",
    "join K0Q2-9XF4",
    "join K7O2-9XF4",
    "join K7Q2-9XI4",
    "joinK7Q2-9XF4",
    "start K7Q2-9XF4",
    "/startK7Q29XF4",
    "/start",
    "K7Q2-9XF4",
    `join ${" ".repeat(200)}x K7Q2-9XF4`,
  ];
  for (const text of texts) assert.equal(codeIn(text), null, JSON.stringify(text));
});

it("reads a long hostile text in no time", () => {
  const began = performance.now();
  for (const text of ["join ", "@", "@a ", '"', "join \u200B", "/start "])
    assert.equal(codeIn(`join ${text.repeat(200_000)}`), null);
  assert.ok(performance.now() - began < 2000);
});

it("lets one account in with a code, once", async (t) => {
  const { invite, redeem, who } = accessRig(t);
  const code = await invite("ana", start);
  assert.equal(await redeem(code, person("1"), start + minute), "linked");
  assert.equal(await redeem(code, person("2"), start + minute), "refused");
  const { role, name, pairing, id } = await who(person("1"));
  assert.deepEqual({ role, name, id }, { role: "authenticated", name: "ana", id: `p:${pairing}` });
  assert.equal((await who(person("2"))).role, "anonymous");
  assert.equal((await who(person("1", "discord"))).role, "anonymous");
});

it("tells the one who took a code the same again, as long as it holds", async (t) => {
  const { run, invite, redeem } = accessRig(t);
  const code = await invite("ana", start);
  await redeem(code, person("1"), start);
  assert.equal(await redeem(code, person("1"), start + 1), "linked");
  await run(() => unlink("ana", ["telegram"]));
  assert.equal(await redeem(code, person("1"), start + 2), "refused");
});

it("lets one of many redemptions at once win", async (t) => {
  const { run, invite, redeem, who } = accessRig(t);
  const code = await invite("ana", start, "owner");
  const people = Array.from({ length: 50 }, (_, n) => person(String(n)));
  const results = await Promise.all(people.map((one) => redeem(code, one, start)));
  assert.equal(results.filter((result) => result === "linked").length, 1);
  const roles = await Promise.all(people.map(async (one) => (await who(one)).role));
  assert.equal(roles.filter((role) => role === "owner").length, 1);
  const [ana] = await run(knownPairings);
  assert.equal(ana?.accounts.length, 1);
});

it("counts a code for fifteen minutes, whatever the clock does", async (t) => {
  const { invite, redeem } = accessRig(t);
  const late = await invite("ana", start);
  assert.equal(await redeem(late, person("1"), start + 15 * minute), "refused");
  const intime = await invite("ana", start);
  assert.equal(await redeem(intime, person("2"), start + 15 * minute - 1), "linked");
  const ahead = await invite("bob", start + 365 * 24 * 60 * minute);
  assert.equal(await redeem(ahead, person("3"), start), "refused");
});

it("withdraws a name's open code when it is invited again", async (t) => {
  const { invite, redeem } = accessRig(t);
  const first = await invite("ana", start, "owner");
  const other = await invite("bob", start);
  const next = await invite("ana", start + 1);
  assert.equal(await redeem(first, person("1"), start + 2), "refused");
  assert.equal(await redeem(next, person("2"), start + 2), "linked");
  assert.equal(await redeem(other, person("3"), start + 2), "linked");
});

it("adds one more account to a pairing, with the role that the pairing has", async (t) => {
  const { run, redeem, invite, who } = accessRig(t);
  await redeem(await invite("ana", start), person("1"), start);
  const code = makeCode();
  const asked = { hmac: hmac(code), name: "ana", role: "owner", now: start } as const;
  const invited = await run(() => addInvite(asked));
  assert.deepEqual(invited, { expiresAt: start + 15 * minute, role: "authenticated" });
  await redeem(code, person("U1", "slack"), start);
  assert.equal((await who(person("U1", "slack"))).id, (await who(person("1"))).id);
  assert.equal((await who(person("U1", "slack"))).role, "authenticated");
  const later = await invite("ana", start);
  await run(() => changeRole("ana", "owner"));
  const third = { hmac: hmac(later), sender: person("3"), now: start, id: "unused" };
  const redeemed = await run(() => redeemCode(third));
  assert.deepEqual(redeemed, { is: "linked", name: "ana", role: "owner" });
});

it("moves an account that is linked elsewhere, and says so in the audit", async (t) => {
  const { invite, redeem, who, audits } = accessRig(t);
  await redeem(await invite("ana", start, "owner"), person("1"), start);
  assert.equal(await redeem(await invite("bob", start), person("1"), start), "linked");
  const { name, role } = await who(person("1"));
  assert.deepEqual({ name, role }, { name: "bob", role: "authenticated" });
  const [newest] = await audits();
  assert.equal(newest?.why, "moved from ana");
  assert.equal(newest?.target, "bob");
});

it("makes no code that would open what is not a person's", async (t) => {
  const { run } = accessRig(t);
  const agent = { id: "x", name: "other", role: "authenticated", kind: "agent" } as const;
  await run(() => createPairing({ ...agent, tokenHash: "h", createdAt: start }));
  for (const name of [
    "other",
    "local",
    "anonymous",
    "email:a@example.org",
    "Ana",
    "",
    "a b",
    "-x",
  ]) {
    const invite = { hmac: hmac(name), name, role: "owner", now: start } as const;
    const invited = await run(() => addInvite(invite));
    assert.ok("problem" in invited, name);
  }
});

it("does not let a code for a person open the agent that took the name since", async (t) => {
  const { run, invite, redeem, who } = accessRig(t);
  const code = await invite("other", start, "owner");
  const agent = { id: "x", name: "other", role: "authenticated", kind: "agent" } as const;
  await run(() => createPairing({ ...agent, tokenHash: "h", createdAt: start }));
  assert.equal(await redeem(code, person("1"), start), "refused");
  assert.equal((await who(person("1"))).role, "anonymous");
});

it("takes the open code away with the pairing", async (t) => {
  const { run, invite, redeem } = accessRig(t);
  await redeem(await invite("ana", start), person("1"), start);
  const code = await invite("ana", start);
  await run(() => removePairing("ana", start));
  assert.equal(await redeem(code, person("2"), start), "refused");
});

it("burns a code shown to a group, and treats a wrong one the same", async (t) => {
  const { run, invite, redeem, audits } = accessRig(t);
  const code = await invite("ana", start);
  const right = await run(() => burnCode(hmac(code), person("1"), start));
  const wrong = await run(() => burnCode(hmac("AAAA-2222"), person("1"), start));
  assert.equal(right, wrong);
  const [second, first] = await audits();
  assert.deepEqual({ ...second, id: 0 }, { ...first, id: 0 });
  assert.equal(await redeem(code, person("1"), start), "refused");
  assert.equal(await redeem(code, person("2"), start), "refused");
});

it("keeps neither code nor a stranger's words, only who tried, and in which place", async (t) => {
  const { invite, redeem, audits } = accessRig(t);
  const code = await invite("ana", start);
  await redeem("AAAA-2222", person("1"), start);
  await redeem(code, person("1"), start);
  const rows = await audits({ action: "code" });
  assert.deepEqual(
    rows.map(({ who, place, outcome }) => [who, place, outcome]),
    [
      ["a:telegram:1", "telegram", "linked"],
      ["a:telegram:1", "telegram", "refused"],
    ],
  );
  const text = JSON.stringify(rows);
  for (const secret of [code, code.replace("-", ""), hmac(code), "AAAA", "name of 1"])
    assert.ok(!text.includes(secret), secret);
});
