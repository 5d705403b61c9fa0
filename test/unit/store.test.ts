// The store: grouped commits that fail one by one, durable over a kill, one gateway per state.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { addEntry, isKnown, type NewEntry } from "../../src/store/inbox.ts";
import { takeLock } from "../../src/store/lock.ts";
import { forgetBefore } from "../../src/store/retention.ts";
import { openSqlite } from "../../src/store/sqlite.ts";

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), "sallyport-store-"));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function entry(key: string, change: Partial<NewEntry> = {}): NewEntry {
  return {
    listener: "telegram",
    key,
    kind: "prompt",
    state: "accepted",
    outcome: null,
    caller: "p:ana",
    role: "owner",
    conversation: null,
    turn: null,
    album: null,
    body: { text: key },
    at: 1,
    receivedAt: 1,
    ...change,
  };
}

it("commits what waits in one tick together, and lets only the guilty operation fail", async (t) => {
  const store = openSqlite(join(folder(t), "server.db"));
  t.after(() => store.close());
  const good = store.run(() => addEntry(entry("a")));
  const bad = store.run(function* () {
    yield* addEntry(entry("b"));
    throw new Error("broken");
  });
  const duplicate = store.run(() => addEntry(entry("a")));
  const alsoGood = store.run(() => addEntry(entry("c")));
  await assert.rejects(bad, /broken/);
  await assert.rejects(duplicate, /UNIQUE/);
  await Promise.all([good, alsoGood]);
  const known = await store.run(function* () {
    const all: boolean[] = [];
    for (const key of ["a", "b", "c"]) all.push(yield* isKnown("telegram", key));
    return all;
  });
  assert.deepEqual(known, [true, false, true]);
});

it("keeps what a killed process had committed, and nothing of what it had not", async (t) => {
  const path = join(folder(t), "server.db");
  const script = `
    import { openSqlite } from "${new URL("../../src/store/sqlite.ts", import.meta.url)}";
    import { addEntry } from "${new URL("../../src/store/inbox.ts", import.meta.url)}";
    const store = openSqlite(${JSON.stringify(path)});
    for (let n = 0; ; n++) {
      await store.run(() => addEntry({ ...${JSON.stringify(entry("x"))}, key: "k" + n }));
      process.stdout.write(n + "\\n");
    }`;
  const child = spawn(process.execPath, ["--input-type=module-typescript", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  child.stdout.on("data", (chunk) => {
    said += chunk;
    if (said.split("\n").length > 200) child.kill("SIGKILL");
  });
  await once(child, "close");
  const last = Number(said.trimEnd().split("\n").at(-1));
  const store = openSqlite(path);
  t.after(() => store.close());
  const known = await store.run(function* () {
    let all = true;
    for (let n = 0; n <= last; n++) all &&= yield* isKnown("telegram", `k${n}`);
    return all;
  });
  assert.ok(last >= 199);
  assert.equal(known, true);
});

it("raises its epoch at every start and keeps the file private", async (t) => {
  const path = join(folder(t), "server.db");
  const first = openSqlite(path);
  await first.close();
  const second = openSqlite(path);
  assert.equal(second.epoch, first.epoch + 1);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  await second.close();
});

it("gives the lock of a state to one process, and frees it when that one is killed", async (t) => {
  const path = join(folder(t), "lock");
  const script = `
    import { takeLock } from "${new URL("../../src/store/lock.ts", import.meta.url)}";
    const lock = takeLock(${JSON.stringify(path)});
    if (lock) process.stdout.write("mine");
    // Kept: a lock that nobody holds any more is collected, and freed.
    setInterval(() => lock, 1000);`;
  const holder = spawn(process.execPath, ["--input-type=module-typescript", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => holder.kill("SIGKILL"));
  await once(holder.stdout, "data");
  assert.equal(takeLock(path), undefined);
  holder.kill("SIGKILL");
  await once(holder, "close");
  const lock = takeLock(path);
  assert.ok(lock);
  lock.release();
});

it("forgets finished rows that are too old, in small steps, and never what is still open", async (t) => {
  const store = openSqlite(join(folder(t), "server.db"));
  t.after(() => store.close());
  await store.run(function* () {
    for (let n = 0; n < 25; n++)
      yield* addEntry(entry(`old${n}`, { state: "done", outcome: "ok", receivedAt: 10 }));
    yield* addEntry(entry("open", { receivedAt: 10 }));
    yield* addEntry(entry("new", { state: "done", outcome: "ok", receivedAt: 1000 }));
  });
  const steps: number[] = [];
  for (;;) {
    const gone = await store.run(() => forgetBefore(500, 10));
    if (gone === 0) break;
    steps.push(gone);
  }
  assert.deepEqual(steps, [10, 10, 5]);
  const left = await store.run(function* () {
    return [
      yield* isKnown("telegram", "old3"),
      yield* isKnown("telegram", "open"),
      yield* isKnown("telegram", "new"),
    ];
  });
  assert.deepEqual(left, [false, true, true]);
});
