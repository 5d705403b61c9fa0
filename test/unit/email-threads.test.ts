// Threads of mail: whose they are, and what is known of them.
import assert from "node:assert/strict";
import { it } from "node:test";
import { bareSubject, echoIn, echoOf, openThreads } from "../../channels/email/threads.ts";
import { notesInMemory } from "../fakes/notes.ts";

const agent = "agent@sally.test";
const ana = "ana@example.org";
const eve = "eve@example.org";
const first = { messageId: "<a1@example.org>", inReplyTo: [], references: [] };

it("a whole thread is one conversation, whichever of its mails is answered", async () => {
  const threads = await openThreads(notesInMemory(), agent);
  const thread = threads.threadOf(ana, first);
  const ours = threads.messageId({ account: ana, thread, key: "o12" });
  const answer = { messageId: "<a2@example.org>", inReplyTo: [ours], references: [] };
  assert.equal(threads.threadOf(ana, answer), thread);
  assert.equal(
    threads.threadOf(ana, { ...answer, references: ["<a1@example.org>", ours], inReplyTo: [] }),
    thread,
  );
  const own = { messageId: "<a3@example.org>", inReplyTo: ["<a1@example.org>"], references: [] };
  assert.equal(threads.threadOf(ana, own), thread);
  assert.notEqual(threads.threadOf(ana, { ...first, messageId: "<b1@example.org>" }), thread);
});

it("the newest of our mails that is named decides", async () => {
  const threads = await openThreads(notesInMemory(), agent);
  const older = threads.messageId({ account: ana, thread: "aaaaaaaaaaaaaa", key: "o1" });
  const newer = threads.messageId({ account: ana, thread: "bbbbbbbbbbbbbb", key: "o2" });
  const mail = { messageId: "<a2@example.org>", inReplyTo: [], references: [older, newer] };
  assert.equal(threads.threadOf(ana, mail), "bbbbbbbbbbbbbb");
  assert.equal(threads.threadOf(ana, { ...mail, inReplyTo: [older] }), "aaaaaaaaaaaaaa");
});

it("nobody gets into the thread of somebody else", async () => {
  const threads = await openThreads(notesInMemory(), agent);
  const thread = threads.threadOf(ana, first);
  const ours = threads.messageId({ account: ana, thread, key: "o12" });
  const copied = [
    { ...first, messageId: "<e1@example.org>", inReplyTo: [ours], references: [ours] },
    { ...first, messageId: "<e1@example.org>", references: ["<a1@example.org>", ours] },
    { ...first, messageId: "<e1@example.org>", inReplyTo: ["<a1@example.org>"] },
    first,
    { ...first, messageId: ours },
  ];
  for (const mail of copied) assert.notEqual(threads.threadOf(eve, mail), thread);
  const mails = new Set(copied.map((mail) => threads.threadOf(eve, mail)));
  assert.equal(mails.has(thread), false);
  assert.equal(threads.isOurs(ours), true);
});

it("a Message-ID that was made up or changed is not ours", async () => {
  const threads = await openThreads(notesInMemory(), agent);
  const thread = threads.threadOf(ana, first);
  const ours = threads.messageId({ account: ana, thread, key: "o12" });
  const theirs = threads.messageId({ account: eve, thread, key: "o12" });
  const [, who = ""] = /\.(\w{10})\.\w{20}@/.exec(ours) ?? [];
  const forged = [
    ours.replace("o12", "o13"),
    ours.replace(thread, "aaaaaaaaaaaaaa"),
    theirs.replace(/\.\w{10}\.(?=\w{20}@)/, `.${who}.`),
    ours.replace(/\w{20}@/, `${"0".repeat(20)}@`),
    ours.replace(/.@/, "@"),
    ours.slice(1),
    `${ours}x`,
    `<x ${ours.slice(1)}`,
  ];
  for (const id of forged) {
    assert.equal(threads.isOurs(id), false, id);
    const mail = { messageId: "<a9@example.org>", inReplyTo: [id], references: [] };
    assert.notEqual(threads.threadOf(ana, mail), thread, id);
  }
  const other = await openThreads(notesInMemory(), agent);
  assert.equal(other.isOurs(ours), false);
});

it("the same mail has the same Message-ID after a restart, another one another", async () => {
  const notes = notesInMemory();
  const before = await openThreads(notes, agent);
  const thread = before.threadOf(ana, first);
  const own = { account: ana, thread, key: "o12" };
  const after = await openThreads(notes, agent);
  const id = before.messageId(own);
  assert.equal(after.messageId(own), id);
  assert.match(id, /^<o12\.[A-Za-z0-9._-]+@sally\.test>$/);
  assert.ok(id.length <= 200);
  assert.notEqual(after.messageId({ ...own, key: "o13" }), id);
  assert.notEqual(after.messageId({ ...own, account: eve }), id);
  assert.notEqual(after.messageId({ ...own, thread: "aaaaaaaaaaaaaa" }), id);
  assert.notEqual((await openThreads(notesInMemory(), agent)).messageId(own), id);
});

it("a key of whatever form makes a Message-ID that is valid", async () => {
  const threads = await openThreads(notesInMemory(), agent);
  for (const key of ["", "a b", "o1>\r\nBcc: x@y.z", "ü".repeat(500), "a.b.c.d@e"]) {
    const id = threads.messageId({ account: ana, thread: "aaaaaaaaaaaaaa", key });
    assert.match(id, /^<[A-Za-z0-9._-]{1,90}@sally\.test>$/);
    assert.equal(threads.isOurs(id), true);
  }
});

it("an answer to a mail that we began belongs to that mail", async () => {
  const threads = await openThreads(notesInMemory(), agent);
  const own = { account: ana, key: "o7" };
  const answer = {
    messageId: "<a2@example.org>",
    inReplyTo: [threads.messageId(own)],
    references: [],
  };
  assert.equal(threads.threadOf(ana, answer), threads.newThread(own));
  assert.notEqual(threads.newThread({ ...own, key: "o8" }), threads.newThread(own));
});

it("an answer says again the subject, the address as it was written, the first reference and the last ones", () => {
  const references = Array.from({ length: 50 }, (_, index) => `<r${index}@example.org>`);
  const hostile = [
    "<a b@c>",
    "<x@y>\r\nBcc: <z@z>",
    "no brackets@x",
    `<${"x".repeat(300)}@y>`,
    "<é@y>",
  ];
  const mail = {
    address: "Ana@example.org",
    subject: "Re: AW: The\r\nbuild",
    references: [...hostile, ...references],
  };
  assert.deepEqual(echoIn(echoOf(mail)), {
    address: "Ana@example.org",
    subject: "The build",
    references: ["<r0@example.org>", ...references.slice(-20)],
  });
  assert.equal(echoIn(undefined), undefined);
});

it("marks of answers go, whatever the language, words of the person's own stay", () => {
  const same: [given: string, bare: string][] = [
    ["Re: The build", "The build"],
    ["RE: Fwd: AW: The build", "The build"],
    ["Antw: SV: Re[2]: re : The build", "The build"],
    ["Odp: Отв: RIF： The build", "The build"],
    ["The build: Re: it", "The build: Re: it"],
    ["Regarding: the build", "Regarding: the build"],
    ["Re:", ""],
    ["  ", ""],
    ["Re: a\r\nBcc: b@c.d", "a Bcc: b@c.d"],
    ["\u202eRe: x\u0000y\u2028z", "x y z"],
  ];
  for (const [given, bare] of same) assert.equal(bareSubject(given), bare);
  assert.ok(bareSubject(`Re: ${"x".repeat(100_000)}`).length <= 1001);
  assert.ok(bareSubject("re:".repeat(100_000)).length <= 1001);
});
