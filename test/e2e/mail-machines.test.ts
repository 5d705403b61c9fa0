// Nobody answers a machine: bounces, lists, absences, and two programs that would answer each other for ever.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { newMessageId } from "../fakes/mail-compose.ts";
import type { MailPerson } from "../fakes/mail-person.ts";
import { type MailRig, startMailRig, withDovecot } from "./mail-rig.ts";

const settings = { "access.allowEmail": ["example.test", "other.test"] };
const corpus = join(import.meta.dirname, "../../fixtures/email/automatic");

const automatic: Readonly<Record<string, string>>[] = [
  { "Auto-Submitted": "auto-replied" },
  { "Auto-Submitted": "auto-generated" },
  { "Auto-Submitted": "auto-replied; owner-email=x" },
  { "X-Auto-Response-Suppress": "All" },
  { "X-Auto-Response-Suppress": "DR, OOF, AutoReply" },
  { Precedence: "bulk" },
  { Precedence: "list" },
  { Precedence: "auto_reply" },
  { "List-Id": "Work <work.example.test>" },
  {
    "List-Unsubscribe": "<mailto:leave@example.test>",
    "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
  },
  { "X-Autoreply": "yes" },
  { "X-Autorespond": "away" },
  { "X-Loop": "agent@example.test" },
];

it(
  "answers no machine, also when its mail is well signed and on the list",
  withDovecot,
  async (t) => {
    const rig = await startMailRig(t, { settings });
    const ana = rig.town.person("ana@example.test");
    for (const headers of automatic)
      ana.writes({ subject: "say hello", text: "say hello", headers });
    for (const name of ["MAILER-DAEMON", "postmaster", "noreply", "no-reply", "bounces"])
      rig.town.person(`${name}@example.test`).writes({ subject: "say hello", text: "say hello" });
    rig.town.person(rig.town.agent).writes({ subject: "say hello", text: "say hello" });
    await noAnswer(rig);
    const sent = ana.writes({ subject: "say a person", headers: { "Auto-Submitted": "no" } });
    await rig.answer(ana, sent);
  },
);

it("answers nothing of a collection of bounces, absences, lists and invitations", {
  ...withDovecot,
  skip: withDovecot.skip || !existsSync(corpus),
}, async (t) => {
  const rig = await startMailRig(t, { settings });
  const names = readdirSync(corpus).filter((name) => /^(?!person).*\.eml$/.test(name));
  assert.ok(names.length >= 30);
  for (const name of names) await rig.town.deliver(readFileSync(join(corpus, name)));
  // The same, as if somebody on the list had sent and signed it; who writes as noreply is known by that alone.
  const ana = rig.town.person("ana@example.test");
  const others = names.filter((name) => !name.startsWith("noreply"));
  for (const name of others)
    await ana.passesOn(asIfFrom(ana, rig, readFileSync(join(corpus, name)))).delivered;
  await noAnswer(rig);
  const proved = "select why from audit where place = ? and outcome = 'ignored'";
  const reasons = rig.rows<{ why: string }>(proved, `email ${ana.address}`);
  assert.equal(reasons.length, others.length, JSON.stringify(reasons));
  for (const { why } of reasons) assert.doesNotMatch(why, /not proved/);
});

/** With a head that passes every check of whom it is from. */
function asIfFrom({ address }: MailPerson, { town }: MailRig, raw: Buffer): Buffer {
  const [, head = "", body = ""] =
    /^([\s\S]*?\r?\n)\r?\n([\s\S]*)$/.exec(raw.toString("latin1")) ?? [];
  const own =
    /^(?:from|to|cc|date|message-id|sender|reply-to|dkim-signature):.*(?:\r?\n[ \t].*)*\r?\n/gim;
  const lines = [
    `From: ${address}`,
    `To: ${town.agent}`,
    `Date: ${new Date().toUTCString().replace("GMT", "+0000")}`,
    `Message-ID: <${newMessageId(address)}>`,
  ];
  const text = `${lines.join("\r\n")}\r\n${head.replace(own, "")}\r\n${body}`;
  return Buffer.from(text.replace(/\r?\n/g, "\r\n"), "latin1");
}

async function noAnswer(rig: MailRig): Promise<void> {
  await rig.quiet();
  assert.deepEqual(
    rig.town.sent.map(({ to, text }) => [to, text]),
    [],
  );
  assert.deepEqual(rig.rows("select id from turns"), []);
}

it(
  "ends a loop with a program that answers everything and hides that it is one",
  withDovecot,
  async (t) => {
    const rig = await startMailRig(t, { settings });
    const robot = rig.town.person("robot@other.test");
    answersAll(rig, robot, 40);
    const ana = rig.town.person("ana@example.test");
    robot.writes({ subject: "say ping", text: "say ping" });
    await rig.town.waitFor(() => robot.arrived.length >= 10);
    // Others are answered as ever, and the robot in another thread.
    await rig.answer(ana, ana.writes({ subject: "Me", text: "say hello" }));
    await rig.quiet();
    assert.equal(robot.arrived.length, 10, rig.town.transcript(robot.address));
    await rig.answer(robot, robot.writes({ subject: "Other", text: "say hello" }));
  },
);

it("ends a loop with another agent of its kind at once", withDovecot, async (t) => {
  const rig = await startMailRig(t, { settings });
  const other = rig.town.person("other-agent@other.test");
  answersAll(rig, other, 40, { "Auto-Submitted": "auto-replied" });
  other.writes({ subject: "say ping", text: "say ping" });
  await rig.town.waitFor(() => other.arrived.length > 0);
  await rig.quiet();
  assert.equal(other.arrived.length, 1);
});

/** Whatever comes is answered, as a badly set up program does it. */
function answersAll(
  { town }: MailRig,
  who: MailPerson,
  most: number,
  headers: Readonly<Record<string, string>> = {},
): void {
  let answered = 0;
  town.watch(() => {
    for (const mail of who.arrived.slice(answered, most)) {
      answered += 1;
      who.replies(mail, "say pong", { headers });
    }
  });
}
