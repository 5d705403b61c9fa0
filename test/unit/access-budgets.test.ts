// What people we do not know may spend, and how often they are told how to come in.
import assert from "node:assert/strict";
import { it } from "node:test";
import { type Spent, spend } from "../../src/access/budgets.ts";
import { takeHint } from "../../src/access/hints.ts";
import { addEntry, finishEntry } from "../../src/store/inbox.ts";
import { type AccessRig, accessRig, hour, minute, person, start } from "../fakes/access-rig.ts";

const limits = { listenerTasksPerHour: 20, listenerConcurrent: 2, callerTasksPerHour: 5 };
const year = 365 * 24 * hour;

function ask(rig: AccessRig, caller: string, now: number, listener = "telegram"): Promise<Spent> {
  return rig.run(() => spend({ listener, caller: `a:${listener}:${caller}`, now, limits }));
}

async function many(rig: AccessRig, callers: readonly string[], now: number): Promise<number> {
  const all = await Promise.all(callers.map((caller) => ask(rig, caller, now)));
  return all.filter((spent) => spent === "ok").length;
}

it("gives each caller five tasks an hour, and says when there is more", async (t) => {
  const rig = accessRig(t);
  for (let n = 0; n < 5; n += 1) assert.equal(await ask(rig, "1", start + n * minute), "ok");
  const refused = { refused: "caller", retryAt: start + hour };
  assert.deepEqual(await ask(rig, "1", start + 59 * minute), refused);
  assert.equal(await ask(rig, "2", start + 59 * minute), "ok");
  assert.equal(await ask(rig, "1", start + hour), "ok");
});

it("gives each listener twenty tasks an hour, however many ask at once", async (t) => {
  const rig = accessRig(t);
  const callers = Array.from({ length: 60 }, (_, n) => String(n));
  assert.equal(await many(rig, callers, start), 20);
  const refused = { refused: "listener", retryAt: start + hour };
  assert.deepEqual(await ask(rig, "x", start + minute), refused);
  assert.equal(await ask(rig, "x", start + minute, "discord"), "ok");
  assert.equal(await many(rig, callers, start + hour), 20);
});

it("charges a caller nothing for what the listener refused", async (t) => {
  const rig = accessRig(t);
  await many(
    rig,
    Array.from({ length: 20 }, (_, n) => String(n)),
    start,
  );
  for (let n = 0; n < 9; n += 1) await ask(rig, "late", start + minute);
  assert.equal(await many(rig, Array(9).fill("late"), start + hour), 5);
});

it("lets two of their tasks be at work on a listener, and the next when one is done", async (t) => {
  const rig = accessRig(t);
  const entry = (key: string, listener: string, role: "anonymous" | "owner") =>
    rig.run(() =>
      addEntry({
        ...{ listener, key, role, caller: `a:${listener}:${key}`, kind: "prompt" },
        ...{ state: "accepted", outcome: null, conversation: key, turn: null, album: null },
        ...{ body: {}, at: start, receivedAt: start },
      }),
    );
  const first = await entry("1", "telegram", "anonymous");
  await entry("2", "telegram", "owner");
  await entry("3", "discord", "anonymous");
  assert.equal(await ask(rig, "9", start), "ok");
  await entry("4", "telegram", "anonymous");
  const refused = { refused: "listener", retryAt: start + minute };
  assert.deepEqual(await ask(rig, "9", start), refused);
  await rig.run(() => finishEntry(first, "ok"));
  assert.equal(await ask(rig, "9", start), "ok");
});

it("refills nothing by a restart", async (t) => {
  const rig = accessRig(t);
  assert.equal(await many(rig, Array(9).fill("1"), start), 5);
  await rig.restart();
  assert.equal(await many(rig, Array(9).fill("1"), start + 1), 0);
  assert.equal(await many(rig, Array(9).fill("1"), start + hour), 5);
});

it("refills nothing when the clock goes back, and blocks for one window at most", async (t) => {
  const rig = accessRig(t);
  assert.equal(await many(rig, Array(9).fill("1"), start), 5);
  const back = start - year;
  assert.equal(await many(rig, Array(9).fill("1"), back), 0);
  assert.equal(await many(rig, Array(9).fill("1"), back + 59 * minute), 0);
  assert.equal(await many(rig, Array(9).fill("1"), back + hour), 5);
  assert.equal(await many(rig, Array(9).fill("1"), back + hour - 5), 0);
});

it("does not block at all for a clock that goes on by a year, nor for more than a window after it came back", async (t) => {
  const rig = accessRig(t);
  const callers = Array.from({ length: 60 }, (_, n) => String(n));
  await many(rig, callers, start);
  assert.equal(await many(rig, callers, start + year), 20);
  assert.equal(await many(rig, callers, start + minute), 0);
  assert.equal(await many(rig, callers, start + minute + hour), 20);
});

it("takes a budget of nothing as nothing", async (t) => {
  const { run } = accessRig(t);
  const none = { ...limits, callerTasksPerHour: 0 };
  const spending = { listener: "telegram", caller: "a:telegram:1", now: start, limits: none };
  assert.notEqual(await run(() => spend(spending)), "ok");
});

it("hints each sender once a day, over restarts and whatever the clock does", async (t) => {
  const rig = accessRig(t);
  const hint = (account: string, now: number) => rig.run(() => takeHint(person(account), now));
  const day = 24 * hour;
  const atOnce = await Promise.all(Array.from({ length: 9 }, () => hint("1", start)));
  assert.equal(atOnce.filter(Boolean).length, 1);
  await rig.restart();
  assert.equal(await hint("1", start + day - 1), false);
  assert.equal(await hint("2", start), true);
  assert.equal(await hint("1", start + day), true);
  assert.equal(await hint("1", start + day - minute), false);
  assert.equal(await hint("1", start - year), true);
  assert.equal(await hint("1", start - year + 1), false);
});
