// Mail servers that break at the worst moment: no mail is lost, none is answered twice, and a repeat is the same mail.
import assert from "node:assert/strict";
import { it } from "node:test";
import type { MailPerson, Sent } from "../fakes/mail-person.ts";
import type { CutRule } from "../fakes/tcp-cut.ts";
import { eventually, type MailRig, startMailRig, withDovecot } from "./mail-rig.ts";

const settings = { "access.allowEmail": ["example.test"] };
// A server that says nothing for that long is left.
const channel = { answerSeconds: 1, idleSeconds: 2 };

const cuts: Readonly<Record<string, CutRule>> = {
  "in the middle of IDLE, as the news of a mail come": { from: "server", at: /EXISTS/, how: "cut" },
  "between IDLE and what comes after it": { from: "client", at: /^DONE/m, how: "cut" },
  "as it asks which mails there are": { from: "client", at: /UID SEARCH/, how: "cut", pass: 0 },
  "before the answer to that is whole": {
    from: "server",
    at: /\* SEARCH|\* ESEARCH/,
    how: "cut",
    pass: 6,
  },
  "in the middle of a mail": { from: "server", at: /BODY\[/, how: "cut", pass: 400 },
  "in the middle of a mail, without a word": {
    from: "server",
    at: /BODY\[/,
    how: "stall",
    pass: 400,
  },
  "before it marks a mail": { from: "client", at: /UID STORE/, how: "cut", pass: 0 },
  "after it marked a mail": { from: "server", at: /OK Store completed/, how: "cut", pass: 0 },
};

it(
  "loses no mail and answers none twice, wherever the mailbox's connection breaks",
  withDovecot,
  async (t) => {
    const rig = await startMailRig(t, { settings, channel, plain: true });
    const ana = rig.town.person("ana@example.test");
    for (const [where, rule] of Object.entries(cuts)) {
      const met = rig.town.cut.when(rule);
      const sent = [1, 2, 3].map((n) =>
        ana.writes({ subject: `${where} ${n}`, text: `say ${where}` }),
      );
      await met;
      // Something that comes while nobody listens.
      sent.push(ana.writes({ subject: `${where} 4`, text: `say ${where}` }));
      await answeredOnce(rig, ana, sent);
    }
    await rig.quiet();
    assert.equal(ana.arrived.length, 4 * Object.keys(cuts).length);
  },
);

async function answeredOnce(rig: MailRig, who: MailPerson, sent: readonly Sent[]): Promise<void> {
  for (const one of sent) await rig.answer(who, one);
  const ids = sent.map(({ messageId }) => messageId);
  const answers = who.inbox.filter(({ inReplyTo }) => ids.includes(inReplyTo));
  assert.equal(answers.length, sent.length, rig.town.transcript());
}

it(
  "goes on when the mail server comes back, and hears what came meanwhile",
  withDovecot,
  async (t) => {
    const rig = await startMailRig(t, { settings, channel });
    const { town } = rig;
    const ana = town.person("ana@example.test");
    await rig.answer(ana, ana.writes({ subject: "Before", text: "say one" }));
    await town.dovecot.kill();
    const away = ana.writes({ subject: "Away", text: "say two" });
    await town.dovecot.start();
    await rig.answer(ana, away);
    await town.dovecot.recreate("kept");
    const anew = ana.writes({ subject: "Anew", text: "say three" });
    await rig.answer(ana, anew);
    await rig.town.settled();
    assert.deepEqual(
      ana.arrived.map(({ subject }) => subject),
      ["Re: Before", "Re: Away", "Re: Anew"],
    );
  },
);

it(
  "sends the same mail again when it is not known to have arrived, also after a restart",
  withDovecot,
  async (t) => {
    const rig = await startMailRig(t, { settings });
    const { town } = rig;
    const ana = town.person("ana@example.test");
    town.smtp.faults.add("RCPT", { reply: "451 4.3.0 try again" }, { times: 1 });
    await rig.answer(ana, ana.writes({ subject: "Later", text: "say later" }));
    town.smtp.faults.add("dot", { drop: true, kept: true }, { times: 1 });
    const doubted = ana.writes({ subject: "Doubted", text: "say doubted" });
    await town.waitFor(
      () => ana.arrived.filter(({ inReplyTo }) => inReplyTo === doubted.messageId).length === 2,
    );
    town.smtp.faults.add("dot", { drop: true, kept: true }, { times: 1 });
    const cut = ana.writes({ subject: "Restarted", text: "say restarted" });
    await rig.answer(ana, cut);
    await rig.stop();
    await rig.start();
    await town.waitFor(
      () => ana.arrived.filter(({ inReplyTo }) => inReplyTo === cut.messageId).length === 2,
    );
    await rig.quiet();
    assert.equal(ana.arrived.length, 5);
    assert.deepEqual(
      ana.inbox.map(({ subject }) => subject),
      ["Re: Later", "Re: Doubted", "Re: Restarted"],
    );
    for (const { messageId } of ana.inbox) {
      const [first, again] = ana.arrived.filter((mail) => mail.messageId === messageId);
      if (again) assert.deepEqual([again.text, again.subject], [first?.text, first?.subject]);
    }
  },
);

it(
  "keeps a mail whose keys cannot be looked up, hears others meanwhile, and answers it once DNS does",
  withDovecot,
  async (t) => {
    const rig = await startMailRig(t, {
      settings: { "access.allowEmail": ["example.test", "other.test"] },
      channel: { retrySeconds: 0.5 },
    });
    const { town } = rig;
    const ana = town.person("ana@example.test");
    const ben = town.person("ben@other.test");
    const key = "s1._domainkey.example.test";
    town.dns.fault(key, "servfail");
    const sent = ana.writes({ subject: "Later", text: "say later" });
    await rig.answer(ben, ben.writes({ subject: "Now", text: "say now" }));
    const asked = () => town.dns.asked.filter((question) => question === `TXT ${key}`).length;
    const first = asked();
    await eventually("another try", () => asked() > first);
    assert.equal(ana.arrived.length, 0);
    await rig.stop();
    await rig.start();
    town.dns.fault(key, undefined);
    await rig.answer(ana, sent);
    await rig.quiet();
    assert.deepEqual([ana.arrived.length, ben.arrived.length], [1, 1]);
  },
);
