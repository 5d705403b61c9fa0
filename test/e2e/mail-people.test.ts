// Who is answered by mail, and who is not: the list, codes, the public, look-alikes, and copies.
import assert from "node:assert/strict";
import { it } from "node:test";
import { eventually, type MailRig, startMailRig, withDovecot } from "./mail-rig.ts";

/** Whom the agent wrote to, once everything is heard. */
async function answered(rig: MailRig): Promise<string[]> {
  await rig.quiet();
  return rig.town.sent.flatMap(({ envelope }) => envelope.to).sort();
}

it("answers whom an entry covers, and is silent to everybody else", withDovecot, async (t) => {
  const entries = ["ana@example.test", "other.test", "*.sub.test"];
  const domains = [
    "example.test",
    "other.test",
    "evil.test",
    "deep.sub.test",
    "sub.test",
    "xother.test",
    "a.other.test",
  ];
  const rig = await startMailRig(t, { domains, settings: { "access.allowEmail": entries } });
  const people = [
    ...["ana@example.test", "ANA@EXAMPLE.TEST", "bob@example.test", "ana+x@example.test"],
    ...["any@other.test", "any@xother.test", "any@a.other.test"],
    ...["any@deep.sub.test", "any@sub.test", "eve@evil.test"],
  ];
  for (const address of people) rig.town.person(address).writes({ text: "say hello" });
  const eve = rig.town.person("eve@evil.test");
  eve.writes({ text: "say hello", from: "ana@example.test" });
  eve.writes({ text: "say hello", from: "ana@example.test", signed: false });
  assert.deepEqual(
    (await answered(rig)).map((address) => address.toLowerCase()),
    ["ana@example.test", "ana@example.test", "any@deep.sub.test", "any@other.test"],
  );
  const kept = rig.rows<{ bodyJson: string | null }>(
    "select bodyJson from inbox where outcome = 'refused' or outcome is null",
  );
  for (const { bodyJson } of kept) assert.doesNotMatch(bodyJson ?? "", /say hello/);
  const silenced = rig.rows(
    "select why from audit where outcome in ('ignored', 'refused') and why != ''",
  );
  assert.equal(silenced.length, people.length + 2 - 4);
});

it(
  "hears whoever it does not know where everybody may talk, as nobody in particular",
  withDovecot,
  async (t) => {
    const rig = await startMailRig(t, {
      settings: { "access.public": ["anyone"] },
      flags: { allowAnonymousOnHost: true },
    });
    const eve = rig.town.person("eve@evil.test");
    const answer = await rig.answer(eve, eve.writes({ subject: "Hi", text: "say hello" }));
    assert.match(answer.text, /hello/);
    eve.writes({ subject: "Hi", text: "say hello", signed: false });
    // What changes something is asked of an owner, never of them.
    const asked = eve.writes({ subject: "Do", text: "write x.txt\nx" });
    const pending = await eventually(
      "the question",
      () => rig.rows<{ id: string }>("select id from questions")[0],
    );
    await rig.admin("approval.deny", { question: pending.id });
    assert.doesNotMatch((await rig.answer(eve, asked)).text, /allow \d|Created/);
    assert.deepEqual(await answered(rig), [eve.address, eve.address]);
  },
);

it(
  "takes a code by mail, also in the subject alone, for exactly the address that is proved",
  withDovecot,
  async (t) => {
    const rig = await startMailRig(t);
    const { town, admin } = rig;
    const code = async (name: string) =>
      ((await admin("pair.invite", { name, role: "owner" })) as { code: string }).code;
    const first = await code("ana");
    const ana = town.person("ana@example.test");
    const eve = town.person("eve@evil.test");
    eve.writes({ subject: `join ${first}`, from: ana.address });
    ana.writes({ subject: `join ${first}`, signed: false });
    const joined = await rig.answer(ana, ana.writes({ subject: `Join ${first}` }));
    assert.match(joined.text, /Welcome, ana/);
    const used = town.person("bob@other.test");
    used.writes({ text: `join ${first}` });
    const who = await rig.answer(ana, ana.writes({ subject: "/whoami" }));
    assert.match(who.text, /ana/);
    assert.doesNotMatch(who.text, /owner/);
    const tagged = town.person("ana+tag@example.test");
    tagged.writes({ text: "say hello" });
    const refused = (await answered(rig)).filter((address) => address !== ana.address);
    assert.deepEqual(
      refused.filter((address) => address !== used.address),
      [],
    );
    assert.ok(used.inbox.every(({ text }) => /does not count/.test(text)));
  },
);

it("forgets whoever an entry no longer covers, at once", withDovecot, async (t) => {
  const rig = await startMailRig(t, { settings: { "access.allowEmail": ["example.test"] } });
  const ana = rig.town.person("ana@example.test");
  await rig.answer(ana, ana.writes({ subject: "Now", text: "say hello" }));
  const card = await rig.answer(ana, ana.writes({ subject: "Do", text: "write a.txt\nx" }));
  await rig.set("access.allowEmail", "other.test");
  const [yes = ""] = /allow \d+ \w{4}/.exec(card.text) ?? [];
  assert.ok(yes);
  const before = rig.town.sent.length;
  await ana.replies(card, yes).delivered;
  await ana.writes({ subject: "Later", text: "say hello" }).delivered;
  await eventually("both heard", () => rig.rows("select id from inbox").length === 4);
  await rig.quiet();
  const after = rig.town.sent.slice(before);
  assert.deepEqual(
    after.filter(({ text }) => /hello|Created/.test(text)),
    [],
  );
  assert.deepEqual(rig.rows("select id from questions where state = 'pending'"), []);
});

it("answers a copy only when it is called by its name", withDovecot, async (t) => {
  const rig = await startMailRig(t, {
    settings: { "access.allowEmail": ["example.test"] },
    channel: { name: "Sally" },
  });
  const ana = rig.town.person("ana@example.test");
  const copy = { to: ["ben@other.test"], cc: [rig.town.agent] };
  ana.writes({ subject: "FYI", text: "say you see this too", ...copy });
  const named = ana.writes({ subject: "FYI", text: "Sally, say hello", ...copy });
  ana.writes({ subject: "Blind", text: "say hello", to: ["ben@other.test"] });
  await rig.town.waitFor(() => ana.inbox.length > 0);
  assert.deepEqual(await answered(rig), [ana.address]);
  assert.equal(ana.inbox[0]?.inReplyTo, named.messageId);
});
