// What is said in one thread stays in it: two people at once, two threads of one person, and a thief of references.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import type { MailPerson, Sent } from "../fakes/mail-person.ts";
import { eventually, type MailRig, scripted, startMailRig, withDovecot } from "./mail-rig.ts";

const settings = { "access.allowEmail": ["example.test", "other.test"] };

function conversations({ rows }: MailRig): number {
  return rows("select distinct conversation from turns").length;
}

it(
  "keeps two people in two threads apart, also when they write at once",
  withDovecot,
  async (t) => {
    const flags = scripted({ record: "prompts.jsonl" });
    const rig = await startMailRig(t, { settings, flags });
    const ana = rig.town.person("ana@example.test");
    const ben = rig.town.person("ben@other.test");
    const talk = async (who: MailPerson, word: string) => {
      let last: Sent = who.writes({ subject: "Same subject", text: `echo ${word}-0` });
      for (const turn of [1, 2, 3]) {
        const answer = await rig.answer(who, last);
        assert.match(answer.text, new RegExp(`${word}-${turn - 1}`));
        last = who.replies(answer, `echo ${word}-${turn}`);
      }
      await rig.answer(who, last);
    };
    await Promise.all([talk(ana, "canary-ana"), talk(ben, "canary-ben")]);
    await rig.quiet();
    assert.doesNotMatch(raw(ana), /canary-ben/);
    assert.doesNotMatch(raw(ben), /canary-ana/);
    assert.deepEqual([ana.arrived.length, ben.arrived.length], [4, 4]);
    assert.equal(conversations(rig), 2);
    for (const words of sessionsIn(rig)) assert.equal(new Set(words.match(/canary-\w+/g)).size, 1);
  },
);

function raw(who: MailPerson): string {
  return who.arrived.map((mail) => `${mail.raw}${mail.text}${mail.html}`).join("\n");
}

/** What each session of an agent was told. */
function sessionsIn({ workspace }: MailRig): string[] {
  const sessions = new Map<string, string>();
  for (const line of readFileSync(join(workspace, "prompts.jsonl"), "utf8").trim().split("\n")) {
    const { method, params } = JSON.parse(line) as {
      method?: string;
      params?: { sessionId?: string };
    };
    if (method !== "session/prompt") continue;
    const id = params?.sessionId ?? "";
    sessions.set(id, (sessions.get(id) ?? "") + line);
  }
  return [...sessions.values()];
}

it(
  "works on two threads of one person side by side, and on one thread in its order",
  withDovecot,
  async (t) => {
    const rig = await startMailRig(t, { settings, flags: scripted() });
    const ana = rig.town.person("ana@example.test");
    const gate = join(rig.workspace, "gate");
    const slow = ana.writes({ subject: "Slow", text: `stall ${gate}\necho slow` });
    await eventually("the slow turn", () => rig.rows("select id from turns").length === 1);
    const more = { inReplyTo: slow.messageId, references: [slow.messageId] };
    const behind = ana.writes({ subject: "Re: Slow", text: "echo behind", ...more });
    const quick = await rig.answer(ana, ana.writes({ subject: "Quick", text: "echo quick" }));
    assert.deepEqual([quick.subject, quick.text.includes("quick")], ["Re: Quick", true]);
    assert.equal(ana.inbox.length, 1, "what waits says nothing");
    writeFileSync(gate, "");
    await rig.answer(ana, slow);
    await rig.answer(ana, behind);
    await rig.quiet();
    assert.equal(ana.arrived.length, 3, rig.town.transcript());
    assert.equal(conversations(rig), 2);
  },
);

it("gives a thread of their own to whoever refers to somebody else's", withDovecot, async (t) => {
  const flags = scripted({ record: "prompts.jsonl" });
  const rig = await startMailRig(t, { settings, flags });
  const ana = rig.town.person("ana@example.test");
  const ben = rig.town.person("ben@other.test");
  const begun = ana.writes({ subject: "Secret", text: "echo canary-ana" });
  const ours = await rig.answer(ana, begun);
  const thefts: Parameters<MailPerson["writes"]>[0][] = [
    { references: [begun.messageId] },
    { inReplyTo: begun.messageId },
    { inReplyTo: ours.messageId, references: [begun.messageId, ours.messageId] },
    { references: [ours.messageId, "unknown@other.test"], inReplyTo: "unknown@other.test" },
    { messageId: `${begun.messageId}x`, references: [ours.messageId] },
  ];
  for (const [index, theft] of thefts.entries()) {
    const sent = ben.writes({ subject: "Re: Secret", text: `echo canary-ben-${index}`, ...theft });
    const answer = await rig.answer(ben, sent);
    assert.match(answer.text, new RegExp(`canary-ben-${index}`));
  }
  const next = ana.replies(ours, "echo still mine");
  await rig.answer(ana, next);
  await rig.quiet();
  assert.equal(ana.arrived.length, 2);
  assert.doesNotMatch(raw(ben), /canary-ana|still mine/);
  assert.doesNotMatch(raw(ana), /canary-ben/);
  for (const words of sessionsIn(rig)) assert.equal(new Set(words.match(/canary-[a-z]+/g)).size, 1);
});
