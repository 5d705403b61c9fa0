// Hearing mail on a real Dovecot: in order, once, kept before it is marked, and nothing that lay there before.
import assert from "node:assert/strict";
import { it } from "node:test";
import { openThreads } from "../../channels/email/threads.ts";
import { withDovecot } from "../fakes/dovecot.ts";
import { agent, ana, mailboxRig } from "../fakes/mailbox-rig.ts";
import { notesInMemory } from "../fakes/notes.ts";

const numbers = (count: number, from = 1) =>
  Array.from({ length: count }, (_, at) => `mail ${at + from}`);

it(
  "leaves alone what lay in the mailbox at the very first start, and hears what comes",
  withDovecot,
  async (t) => {
    const rig = await mailboxRig(t);
    await rig.writes("before");
    await rig.start(rig.open());
    await rig.writes("after");
    await rig.until("the mail", () => rig.heard.length > 0);
    const [event] = rig.heard;
    assert.deepEqual(rig.texts(), ["after"]);
    assert.equal(event?.sender.account, ana);
    assert.equal(event?.sender.proof?.address, ana);
    assert.equal(event?.chat.id, ana);
    assert.match(event?.key ?? "", /^\d+\.2$/);
    assert.equal(event?.subject, "Work");
    await rig.until("the mark", () => rig.dovecot.mailbox().list()[1]?.seen === true);
    assert.equal(rig.dovecot.mailbox().list()[0]?.seen, false);
  },
);

it("reads after a restart what came meanwhile, and nothing twice", withDovecot, async (t) => {
  const rig = await mailboxRig(t);
  const first = rig.open();
  await rig.start(first);
  await rig.writes("one");
  await rig.until("the first", () => rig.heard.length === 1);
  await first.stop();
  for (const text of ["two", "three"]) await rig.writes(text);
  await rig.start(rig.open());
  await rig.until("the others", () => rig.heard.length === 3);
  assert.deepEqual(rig.texts(), ["one", "two", "three"]);
});

it(
  "marks as seen only what was accepted, and never a mail that nobody is answered for",
  withDovecot,
  async (t) => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let offered = 0;
    const rig = await mailboxRig(t, {
      async accept(events) {
        offered += events.length;
        await held;
      },
    });
    await rig.start(rig.open());
    await rig.writes("do it");
    await rig.until("the offer", () => offered === 1);
    assert.match(rig.kept.get("cursor") ?? "", /"next":1,/);
    assert.deepEqual(
      rig.dovecot
        .mailbox()
        .list()
        .map(({ seen }) => seen),
      [false],
    );
    release();
    await rig.until("the mark", () => rig.dovecot.mailbox().list()[0]?.seen === true);
    assert.match(rig.kept.get("cursor") ?? "", /"next":2,/);
    await rig.dovecot.deliver(
      (await rig.mail("forged"))
        .toString("latin1")
        .replace("Hello", "Hi")
        .replace(/^DKIM-Signature: v=1/m, "X-Signature: v=1"),
    );
    await rig.writes("and then");
    await rig.until("the mark of the last", () => rig.dovecot.mailbox().list()[2]?.seen === true);
    assert.equal(rig.dovecot.mailbox().list()[1]?.seen, false);
    const [, forged] = rig.heard;
    assert.match(forged?.silent ?? "", /not proved/);
    assert.deepEqual([forged?.text, forged?.files, forged?.marks], ["", [], undefined]);
  },
);

it("offers mails again until they are accepted, and skips none", withDovecot, async (t) => {
  const offers: string[] = [];
  const rig = await mailboxRig(t, {
    async accept(events) {
      offers.push(events.map(({ key }) => key).join());
      if (offers.length < 3) throw new Error("the disk is full");
    },
  });
  const listener = rig.open();
  await rig.start(listener);
  await rig.writes("one");
  await rig.until("the second offer", () => offers.length === 2);
  assert.match(listener.health().lastError ?? "", /cannot be stored: the disk is full/);
  await rig.writes("two");
  await rig.until("both", () => rig.heard.length === 2);
  assert.deepEqual(rig.texts(), ["one", "two"]);
  assert.equal(new Set(offers.slice(0, 3)).size, 1);
  assert.equal(listener.health().lastError, undefined);
});

it(
  "offers a mail again under the same key when it died between accepting and moving on",
  withDovecot,
  async (t) => {
    const kept = new Map<string, string>();
    const inMemory = notesInMemory(kept);
    let broken = false;
    const write = async (name: string, value: string | undefined) => {
      if (broken && name === "cursor") throw new Error("killed");
      await inMemory.write(name, value);
    };
    const rig = await mailboxRig(t, { notes: { ...inMemory, write } });
    const first = rig.open();
    await rig.start(first);
    broken = true;
    await rig.writes("once");
    await rig.until("the mail", () => rig.heard.length === 1);
    await first.stop();
    broken = false;
    await rig.start(rig.open());
    await rig.until("the same mail", () => rig.heard.length === 2);
    const [one, again] = rig.heard;
    assert.equal(again?.key, one?.key);
    assert.deepEqual(again?.marks, one?.marks);
  },
);

it(
  "reads a mailbox that was made anew, but for what is older than its first start",
  withDovecot,
  async (t) => {
    const rig = await mailboxRig(t);
    const old = await rig.mail("long ago");
    rig.dovecot.mailbox().add(old, new Date(Date.now() - 60_000));
    await rig.start(rig.open());
    await rig.writes("one");
    await rig.until("the first", () => rig.heard.length === 1);
    await rig.dovecot.kill();
    await rig.writes("two, not heard yet");
    await rig.dovecot.recreate("kept");
    await rig.until("both", () => rig.heard.length === 3);
    await rig.writes("three");
    await rig.until("the last", () => rig.heard.length === 4);
    assert.deepEqual(rig.texts(), ["one", "one", "two, not heard yet", "three"]);
    // What was taken before has another key, but the same marks, by which it is known.
    assert.notEqual(rig.heard[1]?.key, rig.heard[0]?.key);
    assert.deepEqual(rig.heard[1]?.marks, rig.heard[0]?.marks);
    assert.equal(new Set(rig.heard.map(({ key }) => key)).size, 4);
    await rig.dovecot.recreate("empty");
    await rig.writes("four");
    await rig.until("one in the empty mailbox", () => rig.heard.length === 5);
    assert.equal(rig.texts().at(-1), "four");
  },
);

it(
  "takes a thousand mails at once, in order, many in one fetch, and within bounds",
  withDovecot,
  async (t) => {
    const batches: number[] = [];
    const rig = await mailboxRig(t, {
      accept: async (events) => void batches.push(events.length),
    });
    const listener = rig.open({ answerSeconds: 10 });
    await rig.start(listener);
    await listener.stop();
    const texts = numbers(1000);
    for (const text of texts) await rig.writes(text);
    await rig.start(rig.open({ answerSeconds: 10 }));
    await rig.until("a thousand mails", () => rig.heard.length === 1000);
    assert.deepEqual(rig.texts(), texts);
    assert.ok(Math.max(...batches) <= 20, `batches of ${Math.max(...batches)}`);
    const fetches = rig.cut.heard().match(/UID FETCH [\d,:]+ \(UID BODY/g) ?? [];
    assert.ok(fetches.length <= 60, `${fetches.length} fetches`);
    await rig.until("the marks", () =>
      rig.dovecot
        .mailbox()
        .list()
        .every(({ seen }) => seen),
    );
  },
);

it("hears a burst, and what comes while it fetches, once and in order", withDovecot, async (t) => {
  const rig = await mailboxRig(t);
  await rig.start(rig.open());
  const texts = numbers(60);
  for (const text of texts.slice(0, 20)) await rig.writes(text);
  await rig.until("some of the burst", () => rig.heard.length > 0);
  for (const text of texts.slice(20)) await rig.writes(text);
  await rig.until("all of it", () => rig.heard.length >= 60);
  assert.deepEqual(rig.texts(), texts);
});

it("says which mail of ours is answered, and goes on in its thread", withDovecot, async (t) => {
  const rig = await mailboxRig(t);
  await rig.start(rig.open());
  await rig.writes("hello", { messageId: "<first@example.test>" });
  await rig.until("the mail", () => rig.heard.length === 1);
  const [{ chat, message, quote } = assert.fail("nothing was heard")] = rig.heard;
  assert.deepEqual([message.id, quote], ["<first@example.test>", undefined]);
  const threads = await openThreads(notesInMemory(rig.kept), agent);
  const ours = threads.messageId({ account: ana, thread: chat.thread ?? "", key: "o7" });
  const answers = { inReplyTo: ours, references: ["<first@example.test>", ours] };
  await rig.writes("and more", answers);
  await rig.until("the answer", () => rig.heard.length === 2);
  const answer = rig.heard[1];
  assert.equal(answer?.chat.thread, chat.thread);
  assert.equal(answer?.quote?.ours, true);
  assert.deepEqual(answer?.quote?.message, { chat: ana, id: ours, thread: chat.thread });
});
