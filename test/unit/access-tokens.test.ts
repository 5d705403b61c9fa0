// Caller tokens over HTTP: what a code gives a program, and how one stops counting.
import assert from "node:assert/strict";
import { it } from "node:test";
import {
  changeRole,
  createPairing,
  hashToken,
  makeToken,
  removePairing,
  rotateToken,
  unlink,
} from "../../src/access/pairings.ts";
import { person, start } from "../fakes/access-rig.ts";
import { away, home, type VisitorRig, visitorRig } from "../fakes/visitor-rig.ts";

async function tokenFor(rig: VisitorRig, name: string, role: "owner" | "authenticated" = "owner") {
  const code = await rig.invite(name, rig.time.now, role);
  const given = await rig.visitors.exchange(code, away());
  assert.ok(given !== "refused");
  return given;
}

const far = { local: false };

it("gives a token for a code, once, and reads its role at each call", async (t) => {
  const rig = visitorRig(t);
  const code = await rig.invite("ana", start, "owner");
  const given = await rig.visitors.exchange(code, away());
  assert.ok(given !== "refused");
  assert.match(given.token, /^a2p_[\w-]{43}$/);
  assert.deepEqual([given.name, given.role], ["ana", "owner"]);
  assert.equal(await rig.visitors.exchange(code, away()), "refused");
  assert.equal(await rig.visitors.signIn({ code }, away()), "refused");
  const visitor = await rig.visitors.byToken(given.token, far);
  assert.ok(visitor);
  const { by, operator, session, expiresAt } = visitor;
  assert.deepEqual([by, operator, session, expiresAt], ["token", false, null, null]);
  await rig.run(() => changeRole("ana", "authenticated"));
  const later = await rig.visitors.byToken(given.token, far);
  assert.equal(later?.caller.role, "authenticated");
  assert.equal(await rig.visitors.stillCounts(visitor), false);
  assert.ok(later && (await rig.visitors.stillCounts(later)));
});

it("replaces the pairing's former token, and ends what listens with it", async (t) => {
  const rig = visitorRig(t);
  const first = await tokenFor(rig, "ana");
  const cookie = await rig.enter("ana");
  const listening = await rig.visitors.byToken(first.token, far);
  assert.ok(listening);
  const next = await tokenFor(rig, "ana");
  assert.equal(await rig.visitors.byToken(first.token, far), undefined);
  assert.equal(await rig.visitors.stillCounts(listening), false);
  const now = await rig.visitors.byToken(next.token, far);
  assert.equal(now?.caller.id, listening.caller.id);
  assert.ok(await rig.seen(cookie), "their browser stays signed in");
});

const endings = {
  "its pairing is removed": () => removePairing("ana", start),
  "it is rotated": () => rotateToken("ana", "other"),
  "the page is unlinked": () => unlink("ana", ["web"]),
};
for (const [when, end] of Object.entries(endings))
  it(`counts a token no more when ${when}`, async (t) => {
    const rig = visitorRig(t);
    const [ana, bob] = [await tokenFor(rig, "ana"), await tokenFor(rig, "bob")];
    const visitor = await rig.visitors.byToken(ana.token, far);
    assert.ok(visitor);
    await rig.run<unknown>(end);
    assert.equal(await rig.visitors.byToken(ana.token, far), undefined);
    assert.equal(await rig.visitors.stillCounts(visitor), false);
    assert.ok(await rig.visitors.byToken(bob.token, far));
  });

it("lets whoever writes with a token on the page be its pairing, also with one that an operator rotated", async (t) => {
  const rig = visitorRig(t);
  const { token } = await tokenFor(rig, "ana");
  const id = (await rig.visitors.byToken(token, far))?.caller.pairing ?? "";
  assert.equal((await rig.who(person(id, "web"))).name, "ana");
  await rig.redeem(await rig.invite("bob", start), person("1"), start);
  const rotated = makeToken();
  await rig.run(() => rotateToken("bob", hashToken(rotated)));
  const bob = (await rig.visitors.byToken(rotated, far))?.caller;
  assert.deepEqual(await rig.who(person(bob?.pairing ?? "", "web")), bob);
  await rig.run(() => removePairing("bob", start));
  assert.equal((await rig.who(person(bob?.pairing ?? "", "web"))).role, "anonymous");
});

it("gives no token of the local pairing for a code, here or from afar", async (t) => {
  const rig = visitorRig(t);
  const token = await rig.startLocal();
  for (const from of [home, away()]) {
    const code = await rig.invite("local", start);
    assert.equal(await rig.visitors.exchange(code, from), "refused");
  }
  assert.ok(await rig.visitors.byToken(token, { local: true }));
});

it("takes a caller's token only, not whatever else a pairing is known by", async (t) => {
  const rig = visitorRig(t);
  const node = { id: "n", name: "node", role: "authenticated", kind: "node" } as const;
  const hash = hashToken("a2rn.secret");
  await rig.run(() => createPairing({ ...node, tokenHash: hash, createdAt: start }));
  for (const token of ["a2rn.secret", hash, "", "a2p_", "a2p_wrong"])
    assert.equal(await rig.visitors.byToken(token, { local: true }), undefined, token);
});
