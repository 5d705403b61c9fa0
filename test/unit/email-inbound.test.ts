// From a mail that was read to an event: who is heard, who is not and why, and in which words.
import assert from "node:assert/strict";
import { it } from "node:test";
import { type Arrived, toInboundEvent } from "../../channels/email/inbound.ts";
import type { Reading, Verdict } from "../../channels/email/mail.ts";

const mail: Reading = {
  from: [{ name: "Ana Ruiz", address: "Ana@example.org" }],
  to: [{ name: "", address: "Agent@example.net" }],
  cc: [],
  subject: "Re: Build",
  messageId: "<3@example.org>",
  inReplyTo: [],
  references: [],
  text: "Restart web1.",
  attachments: [],
  automatic: null,
  unreadable: null,
  loose: [],
};
const verdict: Verdict = {
  is: "authenticated",
  address: "Ana@example.org",
  reason: "DMARC pass, DKIM d=example.org",
  marks: ["m:1", "s:2"],
};
const own = { address: "agent@example.net", name: "Sally Port" };
const arrived: Arrived = {
  mail,
  verdict,
  key: "7.12",
  at: 1_760_000_000_000,
  own,
  thread: "t1",
  isOurs: false,
  fileId: (index) => `12/${index}`,
};

const event = (changed: Partial<Reading>, more: Partial<Arrived> = {}) =>
  toInboundEvent({ ...arrived, ...more, mail: { ...mail, ...changed } });

it("makes a message of a person's mail", () => {
  const attachments = [{ name: "a.pdf", mime: "application/pdf", size: 12 }];
  assert.deepEqual(event({ attachments }), {
    kind: "message",
    key: "7.12",
    at: 1_760_000_000_000,
    chat: { id: "ana@example.org", kind: "direct", thread: "t1" },
    sender: {
      account: "ana@example.org",
      name: "Ana Ruiz",
      proof: { address: "Ana@example.org", reason: "DMARC pass, DKIM d=example.org" },
    },
    message: { chat: "ana@example.org", id: "<3@example.org>", thread: "t1" },
    marks: ["m:1", "s:2"],
    text: "Restart web1.",
    subject: "Build",
    addressed: true,
    files: [{ id: "12/0", name: "a.pdf", mime: "application/pdf", size: 12 }],
  });
});

it("takes the subject where nothing else is said", () => {
  for (const [subject, text] of [
    ["Restart web1", "Restart web1"],
    ["An: das Team, bitte web1 neu starten", "An: das Team, bitte web1 neu starten"],
    ["", ""],
  ] as const) {
    const made = event({ text: " \n", subject });
    assert.deepEqual([made.text, made.subject, made.silent], [text, undefined, undefined]);
  }
});

it("asks for nothing again by an empty answer, whose subject was said before", () => {
  for (const subject of ["Re: Restart web1", "Re: Fwd: AW: Restart web1", "SV: Restart web1"])
    assert.deepEqual(
      [event({ text: "\n", subject }).text, event({ text: "", subject }).subject],
      ["", "Restart web1"],
    );
});

it("says what cannot be read, to the one who is proved", () => {
  const made = event({ text: "", unreadable: "an encrypted mail" });
  assert.equal(made.unreadable, "an encrypted mail");
  assert.equal(made.sender.proof?.address, "Ana@example.org");
});

const nothing = { text: "", files: [], subject: undefined, marks: undefined };
const kept = ({ text, files, subject, marks }: ReturnType<typeof event>) => ({
  text,
  files,
  subject,
  marks,
});

it("hears nobody who is not proved, and keeps nothing of it", () => {
  const attachments = [{ name: "a.pdf", mime: "application/pdf", size: 12 }];
  const made = event(
    { attachments, unreadable: "x" },
    { verdict: { is: "unauthenticated", address: "Ana@example.org", reason: "no\r\nsignature" } },
  );
  assert.equal(made.silent, "not proved whom it is from: no signature");
  assert.equal(made.sender.account, "unproved:ana@example.org");
  assert.equal(made.chat.id, "unproved:ana@example.org");
  assert.equal(made.sender.proof, undefined);
  assert.equal(made.unreadable, undefined);
  assert.deepEqual(kept(made), nothing);
});

it("names a bounce though nobody proved it", () => {
  const made = event(
    { automatic: "a bounce: leo@example.org did not get <o12@example.net>: 550 no such user" },
    { verdict: { is: "unauthenticated", address: null, reason: "no signature" } },
  );
  assert.equal(made.sender.account, "unproved:");
  assert.match(made.silent ?? "", /no signature; a bounce: leo@example\.org did not get <o12/);
});

it("answers no machine, though it knows which", () => {
  const made = event({ automatic: "Auto-Submitted: auto-replied" });
  assert.equal(made.silent, "Auto-Submitted: auto-replied");
  assert.equal(made.sender.account, "ana@example.org");
  assert.ok(made.sender.proof);
  assert.deepEqual(kept(made), nothing);
});

it("knows its own mail by its Message-ID and by its address", () => {
  assert.equal(event({}, { isOurs: true }).silent, "our own mail came back");
  const from = [{ name: "", address: "AGENT@example.net" }];
  assert.equal(event({ from }).silent, "our own mail came back");
});

const copy = { to: [{ name: "", address: "leo@example.org" }], cc: mail.to };

for (const text of [
  "Hi Sally Port,\n\ncan you look?",
  "sally port: look at this",
  "@agent what is this?",
  "Leo, ask\n\nthe agent, please",
  "> quoted\n> quoted\n> quoted\n> quoted\nAgent, look.",
])
  it(`hears a copy that calls it: ${JSON.stringify(text.slice(0, 30))}`, () => {
    assert.equal(event({ ...copy, text }).silent, undefined);
  });

for (const text of [
  "Leo, look at this.",
  "The reagents are here, useragents too.",
  "Sally went to the Port.",
  "one\ntwo\nthree\nagent",
  "> agent, look\nyes",
  "",
])
  it(`leaves a copy alone that does not call it: ${JSON.stringify(text.slice(0, 30))}`, () => {
    const made = event({ ...copy, text, subject: "agent" });
    assert.equal(made.silent, "we are only in Cc, and not called by name");
    assert.deepEqual(kept(made), nothing);
  });

it("leaves alone what is addressed to others only", () => {
  const made = event({ to: [{ name: "", address: "agent+x@example.net" }], text: "Look." });
  assert.equal(made.silent, "it is not addressed to us, and does not call us by name");
});

it("takes names as they are written, whatever they hold", () => {
  const odd = { address: "a.b+c@example.net", name: "C++ (bot) [x]*" };
  const called = (text: string) => event({ ...copy, text }, { own: odd }).silent === undefined;
  assert.equal(called("Hi C++ (bot) [x]*, look"), true);
  assert.equal(called("a.b+c: look"), true);
  assert.equal(called("axb+c: look"), false);
});

it("breaks no line and bounds all that is not the text", () => {
  const long = "x\r\ny\u2028\u202e".repeat(10_000);
  const from = [{ name: long, address: "ana@example.org" }];
  const heard = event({ from, subject: long });
  const unheard = event({}, { verdict: { is: "unauthenticated", address: long, reason: long } });
  const machine = event({ automatic: long });
  for (const one of [heard, unheard, machine]) {
    const said = [one.subject, one.sender.name, one.sender.account, one.chat.id, one.silent];
    for (const text of said) {
      assert.ok((text ?? "").length <= 500, `${text?.length}`);
      assert.doesNotMatch(text ?? "", /[\r\n\u2028]/);
    }
  }
});
