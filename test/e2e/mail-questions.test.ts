// What the agent may not do by itself is asked by mail: who decides, with which words, and what decides nothing.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import type { MailPerson, Sent } from "../fakes/mail-person.ts";
import type { SeenMail } from "../fakes/mail-seen.ts";
import { eventually, type MailRig, startMailRig, withDovecot } from "./mail-rig.ts";

const settings = { "access.allowEmail": ["example.test", "other.test"] };

interface Asked {
  readonly sent: Sent;
  readonly card: SeenMail;
  /** `3 K7Q2` */
  readonly which: string;
}

/** Ana wants a file written, and is asked. */
async function asks(rig: MailRig, who: MailPerson, name: string): Promise<Asked> {
  const sent = who.writes({ subject: `Make ${name}`, text: `write ${name}\nmade` });
  const card = await rig.answer(who, sent);
  const which = /allow (\d+ [A-Z2-9]{4})/.exec(card.text)?.[1];
  assert.ok(which, card.text);
  return { sent, card, which };
}

const made = ({ workspace }: MailRig, name: string) => existsSync(join(workspace, name));

it("asks by mail, and goes by the first line of the reply", withDovecot, async (t) => {
  const rig = await startMailRig(t, { settings });
  const ana = rig.town.person("ana@example.test", "Ana");
  const { card, which } = await asks(rig, ana, "a.txt");
  assert.equal(card.subject, "Re: Make a.txt");
  assert.match(card.text, new RegExp(`Question ${which.replace(" ", ", word ")}`));
  assert.match(card.text, /made/);
  assert.match(card.text, /within (a day|24 hours)/);
  assert.doesNotMatch(card.text, /hitl|https?:/);
  assert.equal(made(rig, "a.txt"), false);
  ana.replies(card, `Allow ${which.toLowerCase()}\n\nThanks, Ana`);
  const done = await rig.until(ana, /Created a\.txt/);
  assert.equal(done.subject, "Re: Make a.txt");
  assert.equal(readFileSync(join(rig.workspace, "a.txt"), "utf8").trim(), "made");
  const denied = await asks(rig, ana, "b.txt");
  ana.replies(denied.card, `deny ${denied.which} because it is late`);
  await rig.town.waitFor(() => ana.inbox.length === 4);
  await rig.quiet();
  assert.equal(made(rig, "b.txt"), false);
  // Each task: a question and an answer.
  assert.equal(ana.arrived.length, 4, rig.town.transcript());
});

it(
  "decides nothing by a wrong word, a bare yes, the number alone, or what is quoted",
  withDovecot,
  async (t) => {
    const rig = await startMailRig(t, { settings });
    const ana = rig.town.person("ana@example.test");
    const { card, which } = await asks(rig, ana, "a.txt");
    const [number] = which.split(" ");
    for (const text of [`allow ${number} AAAA`, `allow ${number}`]) {
      const told = await rig.answer(ana, ana.replies(card, text));
      assert.match(told.text, /Nothing was decided/);
      assert.equal(told.text.includes(which), false, "the word is given away");
    }
    for (const text of ["yes", "ok", "👍"]) await ana.replies(card, text).delivered;
    await ana.replies(card, `I would say so.\n\n> allow ${which}`).delivered;
    await eventually("all of it heard", () => heard(rig) === 7);
    assert.equal(made(rig, "a.txt"), false);
    assert.deepEqual(pending(rig), ["pending"]);
    ana.replies(card, `allow ${which}`);
    await rig.until(ana, /Created a\.txt/);
  },
);

function heard({ rows }: MailRig): number {
  return rows<{ id: number }>("select id from inbox").length;
}

function pending({ rows }: MailRig): string[] {
  return rows<{ state: string }>("select state from questions").map(({ state }) => state);
}

it(
  "decides nothing by a forgery, by somebody else, or by the same mail once more",
  withDovecot,
  async (t) => {
    const rig = await startMailRig(t, { settings });
    const { town } = rig;
    const ana = town.person("ana@example.test");
    const ben = town.person("ben@other.test");
    const eve = town.person("eve@evil.test");
    const first = await asks(rig, ana, "a.txt");
    const yes = `allow ${first.which}`;
    await ana.replies(first.card, yes, { signed: false }).delivered;
    await ana.replies(first.card, yes, { signed: "evil.test" }).delivered;
    await eve.replies(first.card, yes, { from: ana.address }).delivered;
    await eve.replies(first.card, yes).delivered;
    await eventually("the forgeries", () => heard(rig) === 5);
    const refused = await rig.answer(ben, ben.replies(first.card, yes));
    assert.doesNotMatch(refused.text, /a\.txt/);
    assert.deepEqual(pending(rig), ["pending"]);
    const reply = ana.replies(first.card, `deny ${first.which}`);
    await eventually("the denial", () => pending(rig)[0] === "answered");
    // A new question, and the old mail again: it has the same bytes, and its number may even be the same.
    const second = await asks(rig, ana, "b.txt");
    const before = town.sent.length;
    await ana.again(first.sent);
    await ana.again(reply);
    await eventually("the repeats", () => heard(rig) === 10);
    await eventually(
      "the end of them",
      () => rig.rows("select id from inbox where state = 'accepted'").length === 0,
    );
    assert.deepEqual(pending(rig), ["answered", "pending"]);
    assert.equal(town.sent.length, before);
    ana.replies(second.card, `allow ${second.which}`);
    await rig.until(ana, /Created b\.txt/);
    assert.deepEqual([made(rig, "a.txt"), made(rig, "b.txt")], [false, true]);
    assert.equal(eve.arrived.length, 0);
    assert.match(town.transcript(ben.address), /got:/);
  },
);
