// A question that nobody answers, and who wins when a decision and an end meet.
import assert from "node:assert/strict";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { createApprovals } from "../../src/approvals/approvals.ts";
import { patience } from "../../src/approvals/ask.ts";
import type { Ask } from "../../src/approvals/ports.ts";
import type { Caller } from "../../src/core/words.ts";
import { findQuestion, pendingQuestions } from "../../src/store/questions.ts";
import { openSqlite } from "../../src/store/sqlite.ts";
import { addTask, findTask } from "../../src/store/tasks.ts";
import { addTurn, findTurn } from "../../src/store/turns.ts";
import { memoryLog, temporaryFolder } from "../fakes/agent-rig.ts";

const ana: Caller = { id: "p:ana", pairing: "ana", role: "authenticated", name: "ana" };

async function rig(t: TestContext) {
  const store = openSqlite(join(temporaryFolder(t), "server.db"));
  const time = { now: 1_000_000 };
  let count = 0;
  const approvals = createApprovals({
    store,
    clock: { now: () => time.now },
    log: memoryLog(),
    token: () => `token-${++count}`,
    render: async (_, text) => [{ plain: text }],
    ownerChats: async () => [],
    deliver: () => undefined,
    isIdle: () => true,
  });
  t.after(async () => {
    approvals.stop();
    await store.close();
  });
  await store.run(function* () {
    const task = { id: "task", conversation: "c", caller: ana.id, callerName: "ana", title: "t" };
    yield* addTask({ ...task, at: 1 });
    const turn = { id: "turn", task: "task", conversation: "c", caller: ana.id } as const;
    yield* addTurn({
      ...turn,
      role: "authenticated",
      asks: true,
      epoch: store.epoch,
      startedAt: 1,
    });
  });
  const ask: Ask = {
    turn: "turn",
    task: "task",
    conversation: "c",
    starter: ana,
    home: { person: ana.id, to: { listener: "chat", chat: "1" } },
    ownersOnly: false,
    kind: "approval",
    title: "Run a command",
    body: "",
    options: [
      { key: "allow:0", label: "Allow once" },
      { key: "deny", label: "Deny" },
    ],
    signal: new AbortController().signal,
  };
  const question = async () => {
    for (;;) {
      const [first] = await store.run(pendingQuestions);
      if (first) return first;
    }
  };
  return { store, time, approvals, ask, question };
}

it("takes an hour of silence for a no, and a late yes changes nothing", async (t) => {
  const { store, time, approvals, ask, question } = await rig(t);
  const answer = approvals.request(ask);
  const asked = await question();
  assert.equal((await store.run(() => findTask("task")))?.state, "input-required");
  time.now += patience - 1;
  assert.equal((await store.run(() => findQuestion(asked.id)))?.state, "pending");
  time.now += 1;
  assert.deepEqual(await answer, { is: "expired", why: "silence" });
  const late = await approvals.decide(ana, asked, { key: "allow:0", place: "chat 1" });
  assert.equal(late, "expired");
  assert.equal((await store.run(() => findTurn("turn")))?.effects, false);
  assert.equal((await store.run(() => findTask("task")))?.state, "working");
});

it("takes the first of two answers, and marks the turn before the agent hears of a yes", async (t) => {
  const { store, approvals, ask, question } = await rig(t);
  const answer = approvals.request(ask);
  const asked = await question();
  const both = await Promise.all([
    approvals.decide(ana, asked, { key: "allow:0", place: "chat 1" }),
    approvals.decide(ana, asked, { key: "deny", place: "chat 1" }),
  ]);
  assert.deepEqual(both, ["decided", "already-decided"]);
  assert.deepEqual(await answer, { is: "answered", key: "allow:0", reason: null });
  assert.equal((await store.run(() => findTurn("turn")))?.effects, true);
});

it("lets a stop that was first win against a press", async (t) => {
  const { store, approvals, ask, question } = await rig(t);
  const answer = approvals.request(ask);
  const asked = await question();
  const stop = store.run(() => approvals.expireTurn("turn", "stop"));
  const press = approvals.decide(ana, asked, { key: "allow:0", place: "chat 1" });
  approvals.afterExpiry(await stop);
  assert.equal(await press, "expired");
  assert.equal((await answer).is, "expired");
  assert.equal((await store.run(() => findTurn("turn")))?.effects, false);
});

it("denies when nobody who may answer can be reached", async (t) => {
  const { approvals, ask } = await rig(t);
  const stranger: Caller = { id: "a:chat:9", pairing: null, role: "anonymous", name: "x" };
  const answer = await approvals.request({ ...ask, starter: stranger });
  assert.deepEqual(answer, { is: "expired", why: "unreachable" });
});
