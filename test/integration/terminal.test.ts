import assert from "node:assert/strict";
import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { call, events } from "../../src/cli/control-client.ts";
import { createTerminal } from "../../src/cli/terminal/channel.ts";
import type { TerminalEvent } from "../../src/cli/terminal/events.ts";
import type { Accept } from "../../src/core/channel.ts";
import type { InboundEvent } from "../../src/core/events.ts";
import { openControl } from "../../src/http/control.ts";
import { memoryLog, temporaryFolder } from "../fakes/agent-rig.ts";
import { notesInMemory } from "../fakes/notes.ts";

async function rig(t: TestContext, { folder = temporaryFolder(t), listen = true } = {}) {
  const log = memoryLog();
  const channel = createTerminal({ settled: async () => "answered" });
  const fetchFrom = () => {
    throw new Error("the terminal reaches nothing");
  };
  const notes = notesInMemory();
  const listener = channel.open({}, { listener: "terminal", log, notes, fetchFrom });
  const control = await openControl({
    path: join(folder, "control.sock"),
    record: join(folder, "control.path"),
    runtimeDir: temporaryFolder(t),
    log,
    routes: listener.routes?.() ?? [],
    async admin(name, input) {
      if (name === "boom") throw new Error("secret inside");
      return name === "echo" ? { ok: true, value: input } : undefined;
    },
  });
  t.after(() => control.stop());
  const taken: InboundEvent[] = [];
  const accept: Accept = async (batch) => void taken.push(...batch);
  if (listen) await listener.start(accept);
  const post = (path: string, body: unknown) => call(control.path, { path, body });
  return { listener, control, taken, post, log, folder };
}

const to = { listener: "terminal", chat: "local" };
const id = "0123456789";

/** Follows from `after` until `count` events were seen. */
async function read(socket: string, after: string, count: number) {
  const stop = new AbortController();
  const seen: TerminalEvent[] = [];
  let last = "";
  const path = `/terminal/events?after=${after}`;
  for await (const event of events(socket, { path, signal: stop.signal })) {
    if (event.data) seen.push(JSON.parse(event.data));
    if (event.id) last = event.id;
    if (seen.length >= count && last) break;
  }
  stop.abort();
  return { seen, last };
}

it("makes one event of a message and of a press, as the local account in a direct chat", async (t) => {
  const { post, taken } = await rig(t);
  assert.equal((await post("/terminal/messages", { id, text: "hello" })).status, 200);
  const press = { id: "press-0001", message: "m1", data: "d" };
  assert.equal((await post("/terminal/presses", press)).status, 200);
  const [message, pressed] = taken;
  assert.ok(message?.kind === "message" && pressed?.kind === "press");
  assert.deepEqual([message.text, message.key, message.addressed], ["hello", `m-${id}`, true]);
  assert.deepEqual(message.chat, { id: "local", kind: "direct" });
  assert.equal(message.sender.account, "local");
  assert.deepEqual([pressed.data, pressed.message], ["d", { chat: "local", id: "m1" }]);
});

it("refuses what is no message, and says that it is not ready", async (t) => {
  const { post, taken } = await rig(t, { listen: false });
  assert.equal((await post("/terminal/messages", { id, text: "early" })).status, 503);
  for (const body of [
    null,
    [],
    { id, text: " " },
    { id: "x", text: "a" },
    { id, text: "a".repeat(200_001) },
  ])
    assert.equal((await post("/terminal/messages", body)).status, 400);
  assert.equal(
    (await post("/terminal/presses", { id, message: "m", data: "é".repeat(33) })).status,
    400,
  );
  assert.deepEqual(taken, []);
});

it("shows every chat the same, and tells one that was away what it missed", async (t) => {
  const { listener, control, post } = await rig(t);
  const ref = await listener.send(to, { plain: "one" }, "k1");
  assert.deepEqual(await listener.send(to, { plain: "one" }, "k1"), ref);
  const unseen = await read(control.path, "unseen", 1);
  assert.deepEqual(
    unseen.seen.map((event) => event.type === "posted" && event.text),
    ["one"],
  );
  await listener.edit?.(ref, { plain: "one, grown" });
  await listener.edit?.(ref, { plain: "one, grown more" });
  await post("/terminal/messages", { id, text: "from another chat" });
  const missed = await read(control.path, unseen.last, 2);
  assert.deepEqual(
    missed.seen.map((event) => ("text" in event ? event.text : event.type)),
    ["one, grown more", "from another chat"],
  );
  const [a, b] = await Promise.all([
    read(control.path, missed.last, 1),
    read(control.path, missed.last, 1),
    listener.send(to, { plain: "two" }, "k2"),
  ]);
  assert.deepEqual(a.seen, b.seen);
});

it("shows a chat that opens later the questions that are open, and no others", async (t) => {
  const { listener, control } = await rig(t);
  const buttons = [{ label: "Go", data: "d" }];
  const answered = await listener.send(to, { plain: "answered", buttons }, "k1");
  await listener.send(to, { plain: "open", buttons }, "k2");
  await listener.edit?.(answered, { plain: "was answered" });
  const { seen } = await read(control.path, "now", 1);
  assert.deepEqual(
    seen.map((event) => event.type === "posted" && event.text),
    ["open"],
  );
});

it("tells a chat that some of what it missed is gone", async (t) => {
  const { listener, control } = await rig(t);
  await listener.send(to, { plain: "first" }, "k0");
  const { last } = await read(control.path, "unseen", 1);
  for (let n = 1; n <= 1100; n++) await listener.send(to, { plain: `n${n}` }, `k${n}`);
  const { seen } = await read(control.path, last, 1001);
  assert.equal(seen[0]?.type, "gap");
  assert.equal(seen.length, 1001);
  const { seen: fromOther } = await read(control.path, "ffffffffffff-7", 1000);
  assert.equal(fromOther[0]?.type, "gap");
});

it("opens a socket that only its user can use, and answers operations", async (t) => {
  const { control, post, log } = await rig(t);
  assert.equal(statSync(control.path).mode & 0o777, 0o600);
  assert.deepEqual((await post("/admin/echo", { a: 1 })).body, { ok: true, value: { a: 1 } });
  assert.equal((await post("/admin/nosuch", {})).status, 404);
  const failed = await post("/admin/boom", {});
  assert.equal(failed.status, 500);
  assert.doesNotMatch(JSON.stringify(failed.body), /secret inside/);
  assert.match(log.lines.join(), /An operation failed/);
  await control.stop();
  assert.equal(existsSync(control.path), false);
});

it("finds a short place where the path is too long for a socket, and removes a stale one", async (t) => {
  const folder = join(temporaryFolder(t), "x".repeat(60), "y".repeat(60));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "control.sock"), "stale");
  const { control, post } = await rig(t, { folder });
  assert.ok(control.path.length < 100);
  assert.equal((await post("/admin/echo", {})).status, 200);
  assert.equal(existsSync(join(folder, "control.path")), true);
  await control.stop();
  assert.equal(existsSync(join(folder, "control.path")), false);
});
