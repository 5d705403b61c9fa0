// Upkeep: a deaf listener and a failing agent are told to owners elsewhere, and what is too old goes.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { countAudit } from "../../src/store/audit.ts";
import { listTasks } from "../../src/store/tasks.ts";
import { forgetOld } from "../../src/turns/housekeeping.ts";
import { createDesk } from "../fakes/desk.ts";
import { startSpine } from "../fakes/spine.ts";

it("tells an owner on another listener, once, that one is deaf, and that it hears again", async (t) => {
  const other = createDesk("other");
  const { desk, gateway, join: pair } = await startSpine(t, { more: [other] });
  await pair("1", "olga", "owner");
  other.state.now = "deaf";
  await gateway.ports.alarm.look();
  await desk.until(/The channel `other` is deaf/);
  await gateway.ports.alarm.look();
  other.state.now = "connected";
  await gateway.ports.alarm.look();
  await desk.until(/`other` hears again/);
  assert.equal(desk.see().filter((text) => /is deaf/.test(text)).length, 1);
});

it("tells an owner when the agent fails three times in a row", async (t) => {
  const { desk, join: pair } = await startSpine(t);
  await pair("1", "olga", "owner");
  for (let n = 1; n <= 3; n += 1) {
    await desk.say("1", "crash 3");
    await desk.until(n < 3 ? /I could not finish/ : /The agent has failed 3 times in a row/);
    while (desk.see().filter((text) => /I could not finish/.test(text)).length < n)
      await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await desk.say("1", "alive");
  await desk.until(/^alive/);
});

it("forgets tasks, events, audit rows and files that are too old, and keeps the rest", async (t) => {
  const { desk, store, folder, join: pair } = await startSpine(t);
  await pair("1", "ana");
  await desk.say("1", "something old");
  await desk.until(/something old/);
  const files = join(folder, "files");
  const [old, fresh] = [join(files, "old"), join(files, "fresh")];
  for (const path of [old, fresh]) {
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, "answer.md"), "x");
  }
  const long = new Date(Date.now() - 100 * 86_400_000);
  utimesSync(old, long, long);
  const ports = { store, files, homes: join(folder, "homes"), retentionDays: () => 90 };
  const signal = new AbortController().signal;
  const soon = { now: () => Date.now() + 10_000 };
  assert.deepEqual(await forgetOld({ ...ports, clock: soon }, signal), { rows: 0, files: 1 });
  assert.deepEqual([existsSync(old), existsSync(fresh)], [false, true]);
  const later = { now: () => Date.now() + 91 * 86_400_000 };
  const { rows } = await forgetOld({ ...ports, clock: later }, signal);
  assert.ok(rows >= 5);
  assert.equal((await store.run(() => listTasks(5))).length, 0);
  assert.equal(await store.run(() => countAudit({})), 0);
});

it("makes no id that the command line would take for an option, and none twice", async (t) => {
  const { gateway } = await startSpine(t);
  const ids = new Set(Array.from({ length: 5000 }, () => gateway.ports.token()));
  assert.equal(ids.size, 5000);
  assert.deepEqual(
    [...ids].filter((id) => !/^[\w][\w-]{19}$/.test(id)),
    [],
  );
});
