// A connection that breaks or falls silent at any point: no mail is lost, none is heard twice, and the order stays.
import assert from "node:assert/strict";
import { it, type TestContext } from "node:test";
import { withDovecot } from "../fakes/dovecot.ts";
import { type MailboxRig, mailboxRig } from "../fakes/mailbox-rig.ts";
import type { CutRule } from "../fakes/tcp-cut.ts";

/** Every one of them once, by its Message-ID and by its key, and in order. */
function allOnce({ heard, texts }: MailboxRig, expected: readonly string[]): void {
  assert.deepEqual(texts(), expected);
  assert.equal(new Set(heard.map(({ key }) => key)).size, expected.length);
  assert.equal(new Set(heard.map(({ message }) => message.id)).size, expected.length);
}

async function breaksAt(t: TestContext, rule: CutRule): Promise<MailboxRig> {
  const rig = await mailboxRig(t);
  await rig.start(rig.open());
  const met = rig.cut.when(rule);
  for (const text of ["one", "two", "three"]) await rig.writes(text);
  await met;
  await rig.writes("four");
  await rig.until("all four", () => rig.heard.length >= 4);
  await rig.writes("five");
  await rig.until("the fifth", () => rig.heard.length >= 5);
  allOnce(rig, ["one", "two", "three", "four", "five"]);
  await rig.until("the marks", () =>
    rig.dovecot
      .mailbox()
      .list()
      .every(({ seen }) => seen),
  );
  assert.equal(rig.cut.connected(), 1, "one connection at a time");
  return rig;
}

const points: readonly (readonly [string, CutRule])[] = [
  ["in the middle of IDLE", { from: "server", at: /^\+ /m, how: "cut" }],
  ["as something is told in IDLE", { from: "server", at: /EXISTS/, how: "cut", pass: 0 }],
  ["between one IDLE and the next", { from: "client", at: /^DONE/m, how: "cut", pass: 0 }],
  ["after DONE", { from: "client", at: /^DONE/m, how: "cut" }],
  ["with a search under way", { from: "client", at: /UID SEARCH/, how: "cut", skip: 1 }],
  ["in the answer of a search", { from: "server", at: /^\* SEARCH \d/m, how: "cut", pass: 9 }],
  ["before the sizes are told", { from: "client", at: /RFC822\.SIZE/, how: "cut" }],
  ["before the first byte of a mail", { from: "client", at: /BODY\.PEEK/, how: "cut" }],
  ["in the middle of a mail", { from: "server", at: /BODY\[\]/, how: "cut", pass: 500 }],
  [
    "just before the end of a fetch",
    { from: "server", at: /BODY\[\](?:.|\s)*OK Fetch/, how: "cut", pass: 3000 },
  ],
  ["before a mail is marked", { from: "client", at: /STORE/, how: "cut", pass: 0 }],
  ["after a mail is marked", { from: "client", at: /STORE/, how: "cut" }],
];

for (const [where, rule] of points)
  it(`loses nothing when the connection breaks ${where}`, withDovecot, async (t) => {
    await breaksAt(t, rule);
  });

const silences: readonly (readonly [string, CutRule])[] = [
  ["in IDLE", { from: "server", at: /^\+ /m, how: "stall", pass: 0 }],
  ["after IDLE began", { from: "server", at: /^\+ /m, how: "stall" }],
  ["in the middle of a mail", { from: "server", at: /BODY\[\]/, how: "stall", pass: 500 }],
  ["while a mail is marked", { from: "client", at: /STORE/, how: "stall" }],
];

for (const [where, rule] of silences)
  it(`notices a server that falls silent ${where}, without a word`, withDovecot, async (t) => {
    const rig = await breaksAt(t, rule);
    assert.ok(rig.log.lines.some((line) => line.includes("does not answer")));
  });

it(
  "comes back by itself when the server was away, and hears what came meanwhile",
  withDovecot,
  async (t) => {
    const rig = await mailboxRig(t);
    const listener = rig.open();
    await rig.start(listener);
    await rig.writes("one");
    await rig.until("the first", () => rig.heard.length === 1);
    await rig.dovecot.kill();
    await rig.until("the trouble", () => listener.health().state === "reconnecting");
    assert.match(listener.health().lastError ?? "", /localhost/);
    await rig.writes("two");
    await rig.dovecot.start();
    await rig.until("the second", () => rig.heard.length === 2);
    allOnce(rig, ["one", "two"]);
    assert.equal(listener.health().state, "connected");
    assert.equal(listener.health().lastError, undefined);
  },
);

it("asks every now and then where the server has no IDLE", withDovecot, async (t) => {
  const rig = await mailboxRig(t, { capability: "IMAP4rev1 UIDPLUS" });
  await rig.start(rig.open());
  for (const text of ["one", "two"]) {
    await rig.writes(text);
    await rig.until(text, () => rig.texts().at(-1) === text);
  }
  assert.doesNotMatch(rig.cut.heard(), /IDLE/);
  allOnce(rig, ["one", "two"]);
});

it("believes no fetch that ends without what it was asked for", withDovecot, async (t) => {
  const rig = await mailboxRig(t);
  await rig.start(rig.open());
  // Whatever is asked for, nothing is told, and all is said to be well.
  let lies = 0;
  rig.cut.rewrite((text) => {
    if (lies >= 3 || !/^\* \d+ FETCH \(UID/m.test(text)) return text;
    lies += 1;
    return text.slice(text.lastIndexOf("\n", text.length - 2) + 1);
  });
  await rig.writes("one");
  await rig.until("the mail", () => rig.heard.length > 0);
  assert.equal(lies, 3);
  allOnce(rig, ["one"]);
});

it("passes by a mail that is deleted before it is fetched", withDovecot, async (t) => {
  const rig = await mailboxRig(t);
  const first = rig.open();
  await rig.start(first);
  await first.stop();
  for (const text of ["one", "two", "three"]) await rig.writes(text);
  const asked = rig.cut.when({ from: "client", at: /UID FETCH/, how: "cut", pass: 0 });
  await rig.start(rig.open());
  await asked;
  rig.dovecot.mailbox().remove(1);
  await rig.until("the others", () => rig.heard.length >= 2);
  allOnce(rig, ["one", "three"]);
  await rig.until("the end", () => /"next":4,/.test(rig.kept.get("cursor") ?? ""));
});

it(
  "hears all of it once, however often the connection breaks on the way",
  withDovecot,
  async (t) => {
    const rig = await mailboxRig(t);
    await rig.start(rig.open());
    const texts = Array.from({ length: 100 }, (_, at) => `mail ${at}`);
    const points = [/BODY\[\]/, /RFC822\.SIZE/, /EXISTS/, /OK Store/, /OK Search/];
    for (let at = 0; at < texts.length; at += 10) {
      const point = points[(at / 10) % points.length] ?? /OK/;
      const broken = rig.cut.when({ from: "server", at: point, how: "cut", pass: (at * 37) % 400 });
      for (const text of texts.slice(at, at + 10)) await rig.writes(text);
      await broken;
      // One break after the other: a mail on which it always breaks would be put aside.
      await rig.until("half of them", () => rig.heard.length >= at / 2);
    }
    await rig.until("all of it", () => rig.heard.length >= texts.length);
    allOnce(rig, texts);
    assert.ok(rig.cut.accepted() >= 10, "it did break");
  },
);
