// Browser sessions: how links and codes open them, once, and what ends them.
import assert from "node:assert/strict";
import { it } from "node:test";
import { changeRole, removePairing, rotateToken, unlink } from "../../src/access/pairings.ts";
import { listPairings } from "../../src/store/pairings.ts";
import { forgetBefore } from "../../src/store/retention.ts";
import { addSession, countSessions } from "../../src/store/sessions.ts";
import { hour, minute, person, second, start } from "../fakes/access-rig.ts";
import { away, home, type VisitorRig, visitorRig } from "../fakes/visitor-rig.ts";

async function withLink(rig: VisitorRig): Promise<string> {
  const signed = await rig.visitors.signIn({ link: await rig.link() }, home);
  assert.ok(signed !== "refused");
  return signed.cookie;
}

const web = (account: string) => person(account, "web");

it("signs the owner in with a link, once, to the operator's page", async (t) => {
  const rig = visitorRig(t);
  await rig.startLocal();
  const link = await rig.link();
  const signed = await rig.visitors.signIn({ link }, home);
  assert.ok(signed !== "refused");
  assert.equal(signed.maxAgeMs, 12 * hour);
  const { caller, by, operator, expiresAt } = signed.visitor;
  assert.deepEqual([caller.role, caller.name, by, operator], ["owner", "local", "session", true]);
  assert.equal(expiresAt, start + 12 * hour);
  assert.deepEqual(await rig.seen(signed.cookie, true), signed.visitor);
  assert.equal(await rig.visitors.signIn({ link }, home), "refused");
  assert.equal((await rig.who(web(caller.pairing ?? ""))).id, caller.id);
});

it("counts a link for five minutes and a session for twelve hours", async (t) => {
  const rig = visitorRig(t);
  await rig.startLocal();
  const [late, inTime] = [await rig.link(), await rig.link()];
  rig.time.now += 5 * minute - 1;
  const signed = await rig.visitors.signIn({ link: inTime }, home);
  assert.ok(signed !== "refused");
  rig.time.now += 1;
  assert.equal(await rig.visitors.signIn({ link: late }, home), "refused");
  rig.time.now = start + 5 * minute - 1 + 12 * hour - 1;
  assert.ok(await rig.seen(signed.cookie, true));
  assert.equal(await rig.visitors.stillCounts(signed.visitor), true);
  rig.time.now += 1;
  assert.equal(await rig.seen(signed.cookie, true), undefined);
  assert.equal(await rig.visitors.stillCounts(signed.visitor), false);
});

it("takes nothing that was made by a clock that was ahead", async (t) => {
  const rig = visitorRig(t);
  rig.time.now = start + 24 * hour;
  await rig.startLocal();
  const [link, cookie] = [await rig.link(), await withLink(rig)];
  rig.time.now = start;
  assert.equal(await rig.seen(cookie, true), undefined);
  assert.equal(await rig.visitors.signIn({ link }, home), "refused");
});

it("lets one of many who hold the same link or code in", async (t) => {
  const rig = visitorRig(t);
  await rig.startLocal();
  const link = await rig.link();
  const code = await rig.invite("ana", start);
  const everybody = Array.from({ length: 40 }, (_, n) => away(`198.51.100.${n}`));
  const byLink = await Promise.all(everybody.map(() => rig.visitors.signIn({ link }, home)));
  const byCode = await Promise.all(everybody.map((one) => rig.visitors.signIn({ code }, one)));
  for (const results of [byLink, byCode])
    assert.equal(results.filter((one) => one !== "refused").length, 1);
});

it("keeps links and sessions over a restart", async (t) => {
  const rig = visitorRig(t);
  await rig.startLocal();
  const [link, cookie] = [await rig.link(), await withLink(rig)];
  await rig.restart();
  await rig.startLocal();
  assert.equal((await rig.seen(cookie, true))?.operator, true);
  assert.notEqual(await rig.visitors.signIn({ link }, home), "refused");
});

it("makes the pairing of a code in this browser, without the operator's page", async (t) => {
  const rig = visitorRig(t);
  const code = await rig.invite("ana", start, "owner");
  const signed = await rig.visitors.signIn({ code: ` ${code.toLowerCase()}. ` }, away());
  assert.ok(signed !== "refused");
  const { caller, operator } = signed.visitor;
  assert.deepEqual([caller.name, caller.role, operator], ["ana", "owner", false]);
  assert.equal((await rig.who(web(caller.pairing ?? ""))).name, "ana");
  assert.equal(await rig.visitors.signIn({ code }, away("198.51.100.1")), "refused");
  assert.equal(
    await rig.visitors.signIn({ code }, away()),
    "refused",
    "not to the same one either",
  );
});

it("gives a browser of one person to another by a code, and leaves the first their own", async (t) => {
  const rig = visitorRig(t);
  const [ana, bob] = [await rig.enter("ana"), await rig.enter("bob")];
  assert.equal((await rig.seen(ana))?.caller.name, "ana");
  assert.equal((await rig.seen(bob))?.caller.name, "bob");
  const id = (await rig.seen(ana))?.caller.pairing ?? "";
  const code = await rig.invite("bob", start);
  assert.equal(await rig.redeem(code, web(id), start), "refused", "no `join` in the page's chat");
  assert.equal((await rig.who(web(id))).name, "ana");
});

it("takes the local pairing from this machine alone", async (t) => {
  const rig = visitorRig(t);
  const token = await rig.startLocal();
  const cookie = await withLink(rig);
  assert.equal(await rig.seen(cookie, false), undefined);
  assert.equal((await rig.visitors.byToken(token, { local: true }))?.caller.role, "owner");
  assert.equal(await rig.visitors.byToken(token, { local: false }), undefined);
  const link = await rig.link();
  assert.equal(await rig.visitors.signIn({ link }, away()), "refused");
  assert.equal(await rig.visitors.signIn({ link }, home), "refused", "it was seen elsewhere");
  const code = await rig.invite("local", start);
  assert.equal(await rig.visitors.signIn({ code }, away()), "refused");
  const here = await rig.visitors.signIn({ code: await rig.invite("local", start) }, home);
  assert.ok(here !== "refused");
  assert.equal(here.visitor.operator, false);
});

it("reads the role at each look, and lets no page stay open that saw more", async (t) => {
  const rig = visitorRig(t);
  const cookie = await rig.enter("ana", "owner");
  const before = await rig.seen(cookie);
  assert.ok(before);
  await rig.run(() => changeRole("ana", "authenticated"));
  const after = await rig.seen(cookie);
  assert.equal(after?.caller.role, "authenticated");
  assert.equal(await rig.visitors.stillCounts(before), false);
  assert.equal(await rig.visitors.stillCounts(after), true);
  await rig.run(() => changeRole("ana", "owner"));
  assert.equal(await rig.visitors.stillCounts(after), true, "more than before ends nothing");
});

it("shows the operator's page to owners only, whatever the session was", async (t) => {
  const rig = visitorRig(t);
  await rig.enter("ana");
  const pairing = (await rig.run(listPairings))[0]?.id ?? "";
  const row = { hash: "h", id: "s", pairing, operator: true };
  await rig.run(() => addSession({ ...row, createdAt: start, expiresAt: start + hour }, 20));
  const visitor = { by: "session", operator: true, session: "s", expiresAt: start + hour } as const;
  const caller = { id: `p:${pairing}`, pairing, role: "authenticated", name: "ana" } as const;
  assert.equal(await rig.visitors.stillCounts({ ...visitor, caller }), false);
  assert.equal(await rig.visitors.stillCounts({ ...visitor, operator: false, caller }), true);
});

const endings = {
  "its pairing is removed": () => removePairing("ana", start),
  "its token is rotated": () => rotateToken("ana", "other"),
  "the page is unlinked": () => unlink("ana", ["web"]),
};
for (const [when, end] of Object.entries(endings))
  it(`ends every session at once when ${when}, and nobody else's`, async (t) => {
    const rig = visitorRig(t);
    const [first, next, other] = [
      await rig.enter("ana"),
      await rig.enter("ana"),
      await rig.enter("bob"),
    ];
    const visitor = await rig.seen(next);
    assert.ok(visitor);
    await rig.run<unknown>(end);
    assert.equal(await rig.seen(first), undefined);
    assert.equal(await rig.seen(next), undefined);
    assert.equal(await rig.visitors.stillCounts(visitor), false);
    const left = await rig.run(() => countSessions(visitor.caller.pairing ?? "", start));
    assert.equal(left, 0, "nothing of them is kept");
    assert.equal((await rig.seen(other))?.caller.name, "bob");
  });

it("ends open links with the local pairing", async (t) => {
  const rig = visitorRig(t);
  await rig.startLocal();
  const [link, cookie] = [await rig.link(), await withLink(rig)];
  await rig.run(() => removePairing("local", start));
  assert.equal(await rig.seen(cookie, true), undefined);
  assert.equal(await rig.visitors.signIn({ link }, home), "refused");
  await rig.startLocal();
  assert.equal(await rig.visitors.signIn({ link }, home), "refused");
  assert.equal(await rig.seen(cookie, true), undefined);
});

it("takes open links away with the sessions of the owner at the keyboard", async (t) => {
  const rig = visitorRig(t);
  await rig.startLocal();
  for (const end of [() => rotateToken("local", "other"), () => unlink("local", ["web"])]) {
    const [link, cookie] = [await rig.link(), await withLink(rig)];
    await rig.run<unknown>(end);
    assert.equal(await rig.seen(cookie, true), undefined);
    assert.equal(await rig.visitors.signIn({ link }, home), "refused");
  }
  assert.ok(await rig.seen(await withLink(rig), true), "a new one is as good as ever");
});

it("keeps sessions when another channel is unlinked", async (t) => {
  const rig = visitorRig(t);
  const cookie = await rig.enter("ana");
  await rig.redeem(await rig.invite("ana", start), person("1"), start);
  await rig.run(() => unlink("ana", ["telegram"]));
  assert.equal((await rig.seen(cookie))?.caller.name, "ana");
});

it("signs one browser out, and leaves the others", async (t) => {
  const rig = visitorRig(t);
  const [first, next] = [await rig.enter("ana"), await rig.enter("ana")];
  const visitor = await rig.seen(first);
  assert.ok(visitor);
  await rig.visitors.signOut(first);
  await rig.visitors.signOut("never was");
  assert.equal(await rig.seen(first), undefined);
  assert.equal(await rig.visitors.stillCounts(visitor), false);
  assert.ok(await rig.seen(next));
  const rows = await rig.audits({ action: "sign-out" });
  assert.deepEqual(
    rows.map(({ who, name }) => [who, name]),
    [[visitor.caller.id, "ana"]],
  );
});

it("keeps twenty sessions of a pairing: the oldest go", async (t) => {
  const rig = visitorRig(t);
  const other = await rig.enter("bob");
  const cookies: string[] = [];
  for (let n = 0; n < 25; n += 1) {
    rig.time.now += second;
    cookies.push(await rig.enter("ana"));
  }
  const seen = await Promise.all(cookies.map((cookie) => rig.seen(cookie)));
  assert.deepEqual(
    seen.map((visitor) => visitor !== undefined),
    cookies.map((_, n) => n >= 5),
  );
  assert.ok(await rig.seen(other));
  const id = seen.at(-1)?.caller.pairing ?? "";
  assert.equal(await rig.run(() => countSessions(id, rig.time.now)), 20);
  rig.time.now += 12 * hour;
  assert.equal(await rig.run(() => countSessions(id, rig.time.now)), 0);
  let gone = 0;
  for (let step = 1; step > 0; gone += step)
    step = await rig.run(() => forgetBefore(rig.time.now + 1, 100));
  assert.ok(gone > 20);
});

it("keeps no secret: neither in the audit nor anywhere in the store", async (t) => {
  const rig = visitorRig(t);
  await rig.startLocal();
  const link = await rig.link();
  const code = await rig.invite("ana", start);
  const [byLink, byCode, wrong] = [
    await rig.visitors.signIn({ link }, home),
    await rig.visitors.signIn({ code }, away()),
    await rig.visitors.signIn({ link: "no such link at all" }, away("198.51.100.9")),
  ];
  assert.ok(byLink !== "refused" && byCode !== "refused");
  assert.equal(wrong, "refused");
  const token = await rig.visitors.exchange(await rig.invite("bob", start), away());
  assert.ok(token !== "refused");
  const rows = await rig.audits();
  const summary = rows.map(({ action, outcome, name, why }) => [action, outcome, name, why]);
  assert.deepEqual(summary, [
    ["token", "done", "bob", "by code from 203.0.113.7"],
    ["sign-in", "refused", "", "wrong, used or expired"],
    ["sign-in", "done", "ana", "by code from 203.0.113.7"],
    ["sign-in", "done", "local", "by link from 127.0.0.1"],
  ]);
  const kept = rig.bytes() + JSON.stringify(rows);
  const secrets = [link, code, code.replace("-", ""), byLink.cookie, byCode.cookie, token.token];
  for (const secret of [...secrets, "no such link"]) assert.ok(!kept.includes(secret), secret);
});
