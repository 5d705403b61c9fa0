// Whose mail is let in: by a proved address on the list, once, and nobody else, without a word to them.
import assert from "node:assert/strict";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { knownPairings } from "../../src/access/pairings.ts";
import { findByKey, isKnown } from "../../src/store/inbox.ts";
import { keepMarks } from "../../src/store/marks.ts";
import { forgetMarks } from "../../src/store/retention.ts";
import { listTasks } from "../../src/store/tasks.ts";
import { audits, createMailDesk, reason } from "../fakes/mail-desk.ts";
import { type SpineOptions, startSpine } from "../fakes/spine.ts";

const day = 86_400_000;

async function open(t: TestContext, settings: SpineOptions["settings"] = {}) {
  const desk = createMailDesk();
  const spine = await startSpine(t, { desk, settings });
  const pairings = async () =>
    (await spine.store.run(knownPairings)).map(({ name, role, kind, accounts }) => ({
      name,
      role,
      kind,
      accounts: accounts.map(({ listener, account }) => `${listener} ${account}`),
    }));
  return { ...spine, desk, pairings };
}

it("makes a pairing of a proved address that an entry covers, with its first mail", async (t) => {
  const { desk, store, pairings } = await open(t, { allowEmail: ["Example.org"] });
  await desk.mail("Ana@example.org", "hello");
  await desk.until(/hello/, "ana@example.org");
  await desk.mail("ana@example.org", "again");
  await desk.until(/again/, "ana@example.org");
  const name = "email:ana@example.org";
  const accounts = ["email ana@example.org"];
  assert.deepEqual(await pairings(), [{ name, role: "authenticated", kind: "email", accounts }]);
  const [row] = await audits(store);
  assert.deepEqual([row?.outcome, row?.why, row?.name], ["authenticated", reason, name]);
  const [made, ...more] = await audits(store, "pair.email");
  assert.deepEqual([made?.target, made?.why], [name, "Example.org in access.allowEmail"]);
  assert.equal(more.length, 0);
});

it("is the same person at another mailbox of ours", async (t) => {
  const other = createMailDesk("post");
  const desk = createMailDesk();
  const settings = { allowEmail: ["ana@example.org"] };
  const { store } = await startSpine(t, { desk, more: [other], settings });
  for (const at of [desk, other]) {
    await at.mail("ana@example.org", "hello");
    await at.until(/hello/, "ana@example.org");
  }
  const [only, ...others] = await store.run(knownPairings);
  assert.deepEqual(only?.accounts.map(({ listener }) => listener).sort(), ["email", "post"]);
  assert.equal(others.length, 0);
});

it("lets nobody else in, and says nothing to them", async (t) => {
  const allowEmail = ["ana@example.org", "*.example.net", "example.com"];
  const { desk, store, pairings } = await open(t, { allowEmail });
  const strangers = [
    "ana+work@example.org",
    "bob@example.org",
    "ana@sub.example.org",
    "ana@example.net",
    "ana@notexample.net",
    "eve@sub.example.com",
    "ana@example.org.evil.test",
  ];
  for (const address of strangers) await desk.mail(address, "hello, and /help");
  await desk.mail("kim@a.b.example.net", "let me in");
  await desk.until(/let me in/, "kim@a.b.example.net");
  for (const address of strangers) assert.deepEqual(desk.see(address), [], address);
  assert.deepEqual(
    (await pairings()).map(({ name }) => name),
    ["email:kim@a.b.example.net"],
  );
  const ignored = (await audits(store)).filter(({ outcome }) => outcome === "ignored");
  assert.equal(ignored.length, strangers.length);
  for (const { why } of ignored) assert.equal(why, "not on the list");
});

it("does not match what only looks like an address of the list", async (t) => {
  const { desk, pairings } = await open(t, { allowEmail: ["ana@example.org", "example.org"] });
  // The first letter is Cyrillic; the K is the sign of kelvin, whose small letter is an ASCII one.
  for (const address of ["аna@example.org", "\u{212A}im@example.org"])
    await desk.mail(address, "hello");
  const account = "eve@evil.test";
  const proof = { address: "ana@example.org", reason };
  await desk.say(account, "hello", { sender: { account, name: "ana@example.org", proof } });
  assert.deepEqual(await pairings(), []);
  for (const chat of ["аna@example.org", "kim@example.org", account])
    assert.deepEqual(desk.see(chat), []);
});

it("takes proved strangers for people it does not know, where anyone may talk to it", async (t) => {
  const { desk, store, pairings } = await open(t, { public: "anyone", allowEmail: [] });
  await desk.mail("eve@evil.test", "hello");
  await desk.until(/hello/, "eve@evil.test");
  assert.deepEqual(await pairings(), []);
  const [row] = await audits(store);
  assert.deepEqual([row?.who, row?.outcome], ["a:email:eve@evil.test", "authenticated"]);
});

it("ends what is to be silent, whoever may talk to it, and keeps nothing but why", async (t) => {
  const settings = { public: "anyone", allowEmail: ["example.org"] } as const;
  const { desk, store, pairings } = await open(t, settings);
  const event = await desk.unproved("ana@example.org", "no DKIM signature of example.org");
  const sender = {
    account: "bob@example.org",
    name: "",
    proof: { address: "bob@example.org", reason },
  };
  const bounce = { sender, silent: "automatic: Auto-Submitted", text: "join K7Q2-9XF4" };
  await desk.say("bob@example.org", "", { ...bounce, marks: ["m:1"] });
  const [machine, row] = await audits(store);
  assert.deepEqual([machine?.outcome, machine?.why], ["ignored", "automatic: Auto-Submitted"]);
  assert.equal(row?.who, "a:email:unproved:ana@example.org");
  assert.equal(row?.why, "no DKIM signature of example.org");
  assert.equal(await store.run(() => isKnown("email", event.key)), true);
  assert.equal(await store.run(() => findByKey("email", event.key)), undefined);
  assert.deepEqual(await pairings(), []);
  assert.equal((await store.run(() => listTasks(5))).length, 0);
  assert.deepEqual(desk.see("bob@example.org"), []);
  assert.deepEqual(desk.see("unproved:ana@example.org"), []);
  // Its mark does not count: whoever forges a mail cannot keep out the real one.
  await desk.mail("bob@example.org", "the real one", { marks: ["m:1"] });
  await desk.until(/the real one/, "bob@example.org");
});

it("hears a message once, by each of its marks, also in one batch and from another account", async (t) => {
  const { desk, store } = await open(t, { allowEmail: ["example.org"] });
  await desk.mail("ana@example.org", "once", { marks: ["m:1", "s:1"] });
  await desk.mail("ana@example.org", "twice", { marks: ["m:2", "s:1"] });
  await desk.mail("bob@example.org", "join K7Q2-9XF4", { marks: ["m:1"] });
  await desk.mail("ana@example.org", "other", { marks: ["m:3"] });
  await desk.until(/other/, "ana@example.org");
  assert.deepEqual(
    desk.see("ana@example.org").filter((text) => /twice/.test(text)),
    [],
  );
  assert.deepEqual(desk.see("bob@example.org"), []);
  const ignored = (await audits(store)).filter(({ outcome }) => outcome === "ignored");
  assert.deepEqual(
    ignored.map(({ why }) => why),
    Array(2).fill("seen before (a replay or a second copy)"),
  );
});

it("knows a mark for 30 days, and forgets it then", async (t) => {
  const { desk, store } = await open(t, { allowEmail: ["example.org"] });
  const now = Date.now();
  await store.run(function* () {
    yield* keepMarks({ listener: "email", marks: ["m:29"] }, now - 29 * day);
    yield* keepMarks({ listener: "email", marks: ["m:31"] }, now - 31 * day);
  });
  await desk.mail("ana@example.org", "of 29 days", { marks: ["m:29"] });
  await desk.mail("ana@example.org", "of 31 days", { marks: ["m:31"] });
  await desk.until(/of 31 days/, "ana@example.org");
  assert.equal(
    desk.see("ana@example.org").some((text) => /29/.test(text)),
    false,
  );
  assert.equal(await store.run(() => forgetMarks(now, 100)), 0);
  assert.equal(await store.run(() => forgetMarks(now + 2 * day, 100)), 1);
  assert.equal(await store.run(() => forgetMarks(now + 2 * day, 100)), 0);
  await desk.mail("ana@example.org", "twice", { marks: ["m:31"] });
  const [row] = await audits(store);
  assert.match(row?.why ?? "", /seen before/);
});

it("leaves a thread alone that was answered ten times within an hour, and tells an owner once", async (t) => {
  const desk = createMailDesk();
  const { createDesk } = await import("../fakes/desk.ts");
  const chats = createDesk("desk");
  const settings = { allowEmail: ["example.org"] };
  const spine = await startSpine(t, { desk: chats, more: [desk], settings });
  await spine.join("1", "olga", "owner");
  const ana = "ana@example.org";
  const chat = (thread: string) => ({ chat: { id: ana, kind: "direct" as const, thread } });
  for (let n = 1; n <= 10; n += 1) {
    await desk.mail(ana, `round ${n}.`, chat("one"));
    await desk.until(new RegExp(`round ${n}\\.`), ana);
  }
  await desk.mail(ana, "round 11.", chat("one"));
  await desk.mail(ana, "/help", chat("one"));
  await chats.until(/looks like a loop/);
  await desk.mail(ana, "another thread", chat("two"));
  await desk.until(/another thread/, ana);
  assert.equal(desk.see(ana).length, 11);
  assert.equal(chats.see().filter((text) => /loop/.test(text)).length, 1);
  const refused = (await audits(spine.store)).filter(({ outcome }) => outcome === "refused");
  assert.equal(refused.length, 2);
  assert.equal(refused[0]?.why, "loop: 10 answers in this thread within an hour");
});

it("takes a bare yes for a task where a decision needs its word", async (t) => {
  const desk = createMailDesk("email", { decidesByWord: true });
  const settings = { allowEmail: ["example.org"] };
  const { workspace, store } = await startSpine(t, { desk, settings });
  const ana = "ana@example.org";
  await desk.mail(ana, `do ${join(workspace, "n.txt")}`);
  await desk.until(/Create n\.txt/, ana);
  await desk.mail(ana, "yes");
  const decided = await audits(store, "question.answer");
  assert.deepEqual(decided, []);
});
