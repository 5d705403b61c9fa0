// What guessing over HTTP gets: nothing, slowly, and without filling the audit.
import assert from "node:assert/strict";
import { it, type TestContext } from "node:test";
import { countAudit } from "../../src/store/audit.ts";
import { hour, minute, person, second, start } from "../fakes/access-rig.ts";
import { away, home, type VisitorRig, visitorRig } from "../fakes/visitor-rig.ts";

const alphabet = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";

function guess(n: number): string {
  const letters = [0, 5, 10].map((shift) => alphabet[(n >> shift) & 31]).join("");
  return `${letters}2-2222`;
}

/** Ten thousand, one a millisecond; a third of each kind. */
async function guessAway(rig: VisitorRig, addressOf: (n: number) => string): Promise<number> {
  const began = performance.now();
  const seen = new Set<unknown>();
  let results: Promise<unknown>[] = [];
  for (let n = 0; n < 10_000; n += 1) {
    rig.time.now = start + n;
    const from = away(addressOf(n));
    const { signIn, exchange } = rig.visitors;
    if (n % 3 === 0) results.push(exchange(guess(n), from));
    else results.push(signIn(n % 3 === 1 ? { code: guess(n) } : { link: guess(n) }, from));
    if (n % 100 < 99) continue;
    for (const result of await Promise.all(results)) seen.add(result);
    results = [];
  }
  assert.deepEqual([...seen], ["refused"]);
  return (performance.now() - began) / 10_000;
}

async function afterwards(t: TestContext, rig: VisitorRig, code: string): Promise<number> {
  const rows = await rig.run(() => countAudit());
  t.diagnostic(`${rows} audit rows`);
  const signed = await rig.visitors.signIn({ code }, away("192.0.2.200"));
  assert.ok(signed !== "refused", "a first honest attempt counts");
  assert.equal((await rig.seen(signed.cookie))?.caller.role, "owner");
  return rows;
}

it("lets none of ten thousand guesses from one address in, and then an honest one from another", async (t) => {
  const rig = visitorRig(t);
  const code = await rig.invite("ana", start, "owner");
  const each = await guessAway(rig, () => "203.0.113.7");
  assert.ok(each < 10, `${each} ms for a guess`);
  assert.equal(await rig.visitors.signIn({ code }, away("203.0.113.7")), "refused");
  const rows = await afterwards(t, rig, code);
  assert.equal(
    rows,
    7,
    "three codes and three links that were checked, and one for all the others",
  );
});

it("lets none of ten thousand guesses from a thousand addresses in, and then an honest one", async (t) => {
  const rig = visitorRig(t);
  const code = await rig.invite("ana", start, "owner");
  const each = await guessAway(rig, (n) => `10.0.${n % 4}.${Math.floor(n / 4) % 250}`);
  assert.ok(each < 10, `${each} ms for a guess`);
  // The shared door lets one through each second, and whoever goes through must wait no longer.
  const rows = await afterwards(t, rig, code);
  assert.ok(rows > 2000 && rows < 2100, `${rows} audit rows for codes and links`);
});

it("writes at most a row a minute about guesses that it did not check", async (t) => {
  const rig = visitorRig(t);
  for (let n = 0; n < 3600; n += 1) {
    rig.time.now = start + n * second;
    assert.equal(await rig.visitors.signIn({ code: guess(n) }, away()), "refused");
  }
  const rows = await rig.audits({ outcome: "refused" });
  const unchecked = rows.filter(({ why }) => why.startsWith("too many"));
  assert.ok(unchecked.length > 50 && unchecked.length <= 60, `${unchecked.length}`);
  assert.ok(rows.length - unchecked.length <= 10);
  rig.time.now += 2 * hour;
  const code = await rig.invite("ana", rig.time.now);
  assert.notEqual(await rig.visitors.signIn({ code }, away()), "refused", "a wait ends");
});

it("counts wrong codes of every kind together, wrong links apart, and a right link always", async (t) => {
  const rig = visitorRig(t);
  await rig.startLocal();
  const { signIn, exchange } = rig.visitors;
  for (let n = 0; n < 5; n += 1) await signIn({ link: `wrong ${n}` }, home);
  const first = await rig.invite("ana", start);
  assert.notEqual(await signIn({ code: first }, home), "refused", "links cost no code");
  await signIn({ code: "no code at all" }, home);
  await signIn({ code: "AAAA-3333" }, home);
  await exchange("AAAA-2222", home);
  const code = await rig.invite("ana", start);
  assert.equal(await signIn({ code }, home), "refused");
  assert.equal(await exchange(code, home), "refused");
  rig.time.now += 29 * second;
  assert.equal(await signIn({ code }, home), "refused");
  assert.notEqual(await signIn({ link: await rig.link() }, home), "refused");
  const next = await rig.invite("ana", rig.time.now);
  assert.notEqual(await signIn({ code: next }, home), "refused", "who came in is forgiven");
});

it("keeps the wait of an address over a restart, and keeps it from the chats", async (t) => {
  const rig = visitorRig(t);
  for (let n = 0; n < 3; n += 1) await rig.visitors.signIn({ code: guess(n) }, away());
  await rig.restart();
  const code = await rig.invite("ana", start);
  assert.equal(await rig.visitors.signIn({ code }, away()), "refused");
  assert.equal(await rig.redeem(code, person("1"), start), "linked");
  rig.time.now += minute;
  const next = await rig.invite("bob", rig.time.now);
  assert.notEqual(await rig.visitors.signIn({ code: next }, away()), "refused");
});
