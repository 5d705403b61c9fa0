// The way out: order, pace, retries, fallbacks, and what becomes of what cannot be delivered.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { createDeliver, type DeliverPorts } from "../../src/bus/deliver.ts";
import { type Listener, type Part, SendError } from "../../src/core/channel.ts";
import type { MessageRef } from "../../src/core/events.ts";
import type { Log } from "../../src/core/log.ts";
import { addPart, findPart, type NewPart } from "../../src/store/outbox.ts";
import { openSqlite } from "../../src/store/sqlite.ts";

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };
const to = { listener: "chat", chat: "1" };

/** A platform in memory: what it shows, and the errors it answers next. */
function platform(change: Partial<Listener> = {}) {
  const shown: { id: string; chat: string; text: string; formatted: boolean }[] = [];
  const errors: (Error | undefined)[] = [];
  const calls: string[] = [];
  const take = (what: string) => {
    calls.push(what);
    const error = errors.shift();
    if (error) throw error;
  };
  const listener: Listener = {
    id: "chat",
    start: async () => {},
    stop: async () => {},
    health: () => ({ state: "connected" }),
    async send(address, part: Part): Promise<MessageRef> {
      take(`send ${part.plain}`);
      const id = String(shown.length + 1);
      shown.push({ id, chat: address.chat, text: part.plain, formatted: part.body !== undefined });
      return { chat: address.chat, id };
    },
    async edit(ref, part) {
      take(`edit ${part.plain}`);
      const message = shown.find(({ id }) => id === ref.id);
      if (message) message.text = part.plain;
    },
    ...change,
  };
  return { listener, shown, errors, calls };
}

function rig(t: TestContext, listener: Listener | undefined, change: Partial<DeliverPorts> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-deliver-"));
  const store = openSqlite(join(folder, "server.db"));
  const happened: string[] = [];
  const deliver = createDeliver({
    store,
    clock: { now: () => Date.now() },
    log: silent,
    listener: () => listener,
    renderCard: async () => undefined,
    onGone: (address, why) => happened.push(`gone ${address.chat}: ${why}`),
    onMoved: async (address, chat) => {
      happened.push(`moved ${address.chat} to ${chat}`);
    },
    onAmbiguous: () => happened.push("ambiguous"),
    onFailed: (_, why) => happened.push(`failed: ${why}`),
    ...change,
  });
  t.after(async () => {
    await deliver.stop();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const put = (plain: string, part: Partial<NewPart> = {}) =>
    store.run(() =>
      addPart({
        kind: "notice",
        state: "pending",
        to,
        plain,
        body: `<b>${plain}</b>`,
        at: Date.now(),
        ...part,
      }),
    );
  const send = async (plain: string, part: Partial<NewPart> = {}) => {
    const row = await put(plain, part);
    const out = deliver.sent(row.id);
    deliver.deliver([row]);
    await out;
    return store.run(() => findPart(row.id));
  };
  return { store, deliver, happened, put, send };
}

it("sends the parts of a chat in order and remembers which message each became", async (t) => {
  const { listener, shown } = platform();
  const { put, deliver, store } = rig(t, listener);
  const rows = await Promise.all(["one", "two", "three"].map((text) => put(text)));
  const last = deliver.sent(rows[2]?.id ?? 0);
  deliver.deliver(rows);
  await last;
  assert.deepEqual(
    shown.map(({ text }) => text),
    ["one", "two", "three"],
  );
  const second = await store.run(() => findPart(rows[1]?.id ?? 0));
  assert.deepEqual([second?.state, second?.ref], ["sent", { chat: "1", id: "2" }]);
});

it("falls back to plain text when the formatting is refused", async (t) => {
  const { listener, shown, errors } = platform();
  errors.push(new SendError("rejected", "can't parse entities", { format: true }));
  const { send } = rig(t, listener);
  assert.equal((await send("a < b"))?.state, "sent");
  assert.deepEqual(
    shown.map(({ text, formatted }) => [text, formatted]),
    [["a < b", false]],
  );
});

it("gives up on a part that is refused for good, and goes on with the next", async (t) => {
  const { listener, shown, errors } = platform();
  errors.push(new SendError("rejected", "message is too long"));
  const { send, happened } = rig(t, listener);
  assert.equal((await send("refused"))?.state, "failed");
  assert.equal((await send("next"))?.state, "sent");
  assert.deepEqual(happened, ["failed: message is too long"]);
  assert.deepEqual(
    shown.map(({ text }) => text),
    ["next"],
  );
});

it("waits as long as the platform says, then sends the same part", async (t) => {
  const { listener, errors, calls } = platform();
  errors.push(new SendError("rate-limited", "too many", { retryAfter: 120 }));
  const { send } = rig(t, listener);
  const before = performance.now();
  assert.equal((await send("later"))?.state, "sent");
  assert.ok(performance.now() - before >= 115);
  assert.deepEqual(calls, ["send later", "send later"]);
});

it("warns once for each reason that a message waits for, at its first try", async (t) => {
  const { listener, errors } = platform();
  const warned: unknown[] = [];
  const log: Log = { ...silent, warn: (fields: unknown) => void warned.push(fields) };
  const r = rig(t, listener, { log });
  const soon = (why: string) => new SendError("rate-limited", why, { retryAfter: 1 });
  errors.push(soon("busy"), soon("busy"), soon("full"), soon("busy"));
  errors.push(...["a", "b", "c", "d", "e"].map(soon));
  const row = await r.send("late");
  assert.equal(row?.state, "sent");
  const common = { outbox: row?.id, listener: "chat" };
  assert.deepEqual(
    warned,
    ["busy", "full", "a", "b", "c"].map((why) => ({ ...common, why })),
  );
  await r.send("at once");
  errors.push(new SendError("rejected", "bad formatting", { format: true }));
  await r.send("plainly");
  assert.equal(warned.length, 5);
});

it("sends again once when it cannot know whether the first arrived, and says so", async (t) => {
  const { listener, errors, calls } = platform();
  errors.push(
    new SendError("unknown", "socket hang up"),
    new SendError("unknown", "socket hang up"),
  );
  const { send, happened } = rig(t, listener);
  assert.equal((await send("maybe"))?.state, "ambiguous");
  assert.deepEqual(calls, ["send maybe", "send maybe"]);
  assert.equal(happened[0], "ambiguous");
  assert.match(happened[1] ?? "", /^failed: it may have arrived/);
});

it("follows a chat to its new id", async (t) => {
  const { listener, shown, errors } = platform();
  errors.push(new SendError("gone", "group was upgraded", { movedTo: "-100" }));
  const { send, happened } = rig(t, listener);
  assert.equal((await send("hello"))?.state, "sent");
  assert.deepEqual(
    shown.map(({ chat }) => chat),
    ["-100"],
  );
  assert.deepEqual(happened, ["moved 1 to -100"]);
});

it("parks a chat that is gone while the others go on", async (t) => {
  const { listener, shown, errors } = platform();
  errors.push(new SendError("gone", "bot was blocked by the user"));
  const { send, happened } = rig(t, listener);
  assert.equal((await send("to nobody"))?.state, "failed");
  await send("to another", { to: { listener: "chat", chat: "2" } });
  assert.deepEqual(happened, [
    "gone 1: bot was blocked by the user",
    "failed: bot was blocked by the user",
  ]);
  assert.deepEqual(
    shown.map(({ chat }) => chat),
    ["2"],
  );
});

it("keeps to the pace of a chat and of the whole listener", async (t) => {
  const sent: number[] = [];
  const { listener } = platform({
    pace: () => ({ chat: { calls: 2, per: 200 }, all: { calls: 100, per: 1000 }, editEvery: 0 }),
    send: async (address) => {
      sent.push(performance.now());
      return { chat: address.chat, id: String(sent.length) };
    },
  });
  const { put, deliver } = rig(t, listener);
  const rows = await Promise.all([1, 2, 3, 4].map((n) => put(`n${n}`)));
  const last = deliver.sent(rows[3]?.id ?? 0);
  deliver.deliver(rows);
  await last;
  const [first = 0, , third = 0] = sent;
  assert.ok(third - first >= 150, "the third call waits for the window of the first two");
});

it("drops a preview while the chat is busy, and never lets one come after the end", async (t) => {
  const { listener, shown } = platform();
  const { send, deliver, put } = rig(t, listener);
  const row = await send("first");
  const ref = row?.ref ?? { chat: "1", id: "0" };
  const next = await put("second");
  const out = deliver.sent(next.id);
  deliver.deliver([next]);
  await deliver.preview(to, ref, { plain: "a late preview" });
  await out;
  assert.deepEqual(
    shown.map(({ text }) => text),
    ["first", "second"],
  );
  while (!deliver.isIdle(to)) await new Promise(setImmediate);
  await deliver.preview(to, ref, { plain: "first, grown" });
  assert.equal(shown[0]?.text, "first, grown");
});
