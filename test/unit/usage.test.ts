// What is used of the model: sums that add up, whatever happens in between, and where a budget ends.
import assert from "node:assert/strict";
import { it } from "node:test";
import { dayMs, dayOf, tokensOf } from "../../src/core/usage.ts";
import { listAudit } from "../../src/store/audit.ts";
import { forgetBefore } from "../../src/store/retention.ts";
import { usageOfCallers, usageOfTask } from "../../src/store/usage.ts";
import { noon, scopeFor, type UsageRig, usageRig, used } from "../fakes/usage-rig.ts";

async function tokens({ store }: UsageRig, task: string): Promise<number> {
  return tokensOf(await store.run(() => usageOfTask(task)));
}

async function written(rig: UsageRig): Promise<number> {
  await rig.meter.write();
  return tokens(rig, "t1");
}

it("adds up requests, bytes and tokens of a task and of its caller", async (t) => {
  const rig = await usageRig(t);
  const turn = await rig.enter("ana", "t1");
  rig.meter.note({ ...used("ana", 100), outputTokens: 11 });
  rig.meter.note({ ...used("ana", 200), outputTokens: 22 });
  turn.leave();
  await rig.enter("ana", "t2");
  rig.meter.note(used("ana", 1000));
  rig.meter.note(used("bob", 7));
  await rig.meter.write();
  assert.deepEqual(await rig.store.run(() => usageOfTask("t1")), {
    requests: 2,
    bytesIn: 800,
    bytesOut: 1280,
    inputTokens: 300,
    outputTokens: 33,
    uncounted: 0,
    guessedTokens: 0,
  });
  const callers = await rig.store.run(() => usageOfCallers(dayOf(noon)));
  const sums = [...callers].map(([caller, usage]) => [caller, usage.requests, tokensOf(usage)]);
  assert.deepEqual(sums.sort(), [
    ["p:ana", 3, 1333],
    ["p:bob", 1, 7],
  ]);
});

it("guesses by size what came back without a count, so that no budget is passed by asking for none", async (t) => {
  const rig = await usageRig(t);
  rig.limits.task = 1000;
  await rig.enter("ana", "t1");
  rig.meter.note({ scope: scopeFor("ana"), bytesIn: 3600, bytesOut: 6400, complete: true });
  await rig.meter.write();
  const usage = await rig.store.run(() => usageOfTask("t1"));
  assert.deepEqual([usage.uncounted, usage.guessedTokens, usage.inputTokens], [1, 1000, 0]);
  assert.match(rig.meter.overBudget(scopeFor("ana")) ?? "", /This task has used its 1,000 tokens/);
});

it("guesses by size what came back of an answer that was left before its end, where more than was reported", async (t) => {
  const rig = await usageRig(t);
  await rig.enter("ana", "t1");
  const left = { ...used("ana", 10), bytesOut: 6400, complete: false };
  rig.meter.note({ ...left, outputTokens: 1 });
  assert.equal(await written(rig), 110);
  rig.meter.note({ ...left, outputTokens: 500 });
  assert.equal(await written(rig), 620);
  rig.meter.note({ ...left, outputTokens: 1, complete: true });
  assert.equal(await written(rig), 631);
});

it("writes many requests together, off the path of whatever else is written", async (t) => {
  const rig = await usageRig(t);
  await rig.enter("ana", "t1");
  for (let n = 0; n < 500; n += 1) rig.meter.note(used("ana", 1));
  assert.equal(rig.writes, 0);
  await rig.meter.write();
  assert.equal(rig.writes, 1);
  assert.equal(await tokens(rig, "t1"), 500);
});

it("writes by itself within a second, and at the end of a turn", async (t) => {
  const rig = await usageRig(t);
  const turn = await rig.enter("ana", "t1");
  rig.meter.note(used("ana", 5));
  const noted = Date.now();
  while (rig.writes === 0) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.ok(Date.now() - noted < 5000);
  }
  rig.meter.note(used("ana", 6));
  turn.leave();
  await rig.meter.write();
  assert.equal(rig.writes, 2);
  assert.equal(await tokens(rig, "t1"), 11);
});

it("loses and doubles nothing when the store fails for a while", async (t) => {
  const rig = await usageRig(t);
  await rig.enter("ana", "t1");
  rig.failing = true;
  rig.meter.note(used("ana", 5));
  await rig.meter.write();
  assert.equal(rig.log.lines.length, 1);
  rig.failing = false;
  rig.meter.note(used("ana", 6));
  await rig.meter.write();
  assert.equal(await tokens(rig, "t1"), 11);
});

it("gives what several turns of a sandbox use to the one that began last, and the rest to the last that left", async (t) => {
  const rig = await usageRig(t);
  const first = await rig.enter("ana", "t1");
  const second = await rig.enter("ana", "t2");
  await rig.enter("bob", "t3");
  rig.meter.note(used("ana", 1));
  second.leave();
  rig.meter.note(used("ana", 10));
  first.leave();
  rig.meter.note(used("ana", 100));
  await rig.meter.write();
  assert.deepEqual(
    [await tokens(rig, "t1"), await tokens(rig, "t2"), await tokens(rig, "t3")],
    [110, 1, 0],
  );
});

it("cuts a task at its limit once, and refuses every request from then on", async (t) => {
  const rig = await usageRig(t);
  rig.limits.task = 50_000;
  const turn = await rig.enter("ana", "t1");
  rig.meter.note(used("ana", 49_999));
  assert.equal(rig.meter.overBudget(scopeFor("ana")), undefined);
  rig.meter.note(used("ana", 1));
  const sentence =
    "This task has used its 50,000 tokens. The owner can allow more: `sallyport config set budgets.tokens.task N`.";
  for (let n = 0; n < 5; n += 1) assert.equal(rig.meter.overBudget(scopeFor("ana")), sentence);
  assert.deepEqual(
    rig.cuts.map(({ task, over }) => [task, over.why]),
    [["t1", "budgets.tokens.task is 50000"]],
  );
  assert.equal(turn.over()?.sentence, sentence);
  turn.leave();
  // What it left running in the sandbox gets no further either.
  assert.equal(rig.meter.overBudget(scopeFor("ana")), sentence);
  assert.equal(rig.meter.overBudget(scopeFor("bob")), undefined);
  await rig.enter("ana", "t2");
  assert.equal(rig.meter.overBudget(scopeFor("ana")), undefined);
  rig.limits.task = 0;
  assert.equal(rig.cuts.length, 1);
});

it("notes in the audit what it refuses to a sandbox in which no turn is at work, once a minute", async (t) => {
  const rig = await usageRig(t);
  rig.limits.caller = 10;
  rig.meter.note(used("ana", 10));
  for (let n = 0; n < 5; n += 1) assert.ok(rig.meter.overBudget(scopeFor("ana")));
  await rig.meter.write();
  const rows = await rig.store.run(() => listAudit(10));
  assert.deepEqual(
    rows.map(({ who, action, outcome, why }) => [who, action, outcome, why]),
    [["p:ana", "model", "refused", "budgets.tokens.caller is 10"]],
  );
});

it("cuts all that is at work for somebody at their limit of the day, and lets nothing new begin", async (t) => {
  const rig = await usageRig(t);
  rig.limits.caller = 100;
  await rig.enter("ana", "t1");
  await rig.enter("ana", "t2");
  await rig.enter("bob", "t3");
  rig.meter.note(used("ana", 100));
  assert.match(rig.meter.overBudget(scopeFor("ana")) ?? "", /your 100 tokens of today/);
  assert.deepEqual(rig.cuts.map(({ task }) => task).sort(), ["t1", "t2"]);
  const caller = (id: string) => ({ id, pairing: null, role: "owner", name: "" }) as const;
  assert.match(rig.meter.refusal(caller("p:ana")) ?? "", /config set budgets\.tokens\.caller/);
  assert.equal(rig.meter.refusal(caller("p:bob")), undefined);
  rig.clock.at += dayMs;
  assert.equal(rig.meter.overBudget(scopeFor("ana")), undefined);
  assert.equal(rig.meter.refusal(caller("p:ana")), undefined);
  // A clock that is set back finds the day as it was left.
  rig.clock.at -= dayMs;
  assert.ok(rig.meter.refusal(caller("p:ana")));
});

it("refills nothing by a restart, for a day or for a task that goes on", async (t) => {
  const rig = await usageRig(t);
  Object.assign(rig.limits, { task: 100, unpaired: 1000 });
  await rig.enter("ana", "t1");
  rig.meter.note(used("ana", 60));
  rig.meter.note(used(null, 1000));
  await rig.restart();
  assert.ok(rig.meter.overBudget(scopeFor(null)));
  await rig.enter("ana", "t1", true);
  assert.equal(rig.meter.overBudget(scopeFor("ana")), undefined);
  rig.meter.note(used("ana", 40));
  assert.match(rig.meter.overBudget(scopeFor("ana")) ?? "", /This task/);
});

it("forgets rows that are too old, and never those of today", async (t) => {
  const rig = await usageRig(t);
  await rig.enter("ana", "t1");
  rig.meter.note(used("ana", 5));
  rig.clock.at += 40 * dayMs;
  rig.meter.note(used("ana", 6));
  await rig.meter.write();
  assert.equal(await rig.store.run(() => forgetBefore(rig.clock.at - dayMs, 100)), 1);
  assert.equal(await rig.store.run(() => forgetBefore(rig.clock.at - dayMs, 100)), 0);
  assert.equal(await tokens(rig, "t1"), 6);
});

it("counts what is used in a conversation that people share for the one whose turn it is", async (t) => {
  const rig = await usageRig(t);
  rig.limits.caller = 100;
  const scope = { ...scopeFor(null), key: "s-1", shared: true } as const;
  const turnOf = (name: string) =>
    rig.meter.enter({ scope, payer: `p:${name}`, task: name, again: false, cut: () => {} });
  const anas = await turnOf("ana");
  rig.meter.note({ ...used(null, 100), scope });
  assert.match(rig.meter.overBudget(scope) ?? "", /your 100 tokens of today/);
  anas.leave();
  await turnOf("bob");
  rig.meter.note({ ...used(null, 10), scope });
  assert.equal(rig.meter.overBudget(scope), undefined);
  const caller = (id: string) => ({ id, pairing: null, role: "owner", name: "" }) as const;
  assert.ok(rig.meter.refusal(caller("p:ana")));
  assert.equal(rig.meter.refusal(caller("p:bob")), undefined);
});
