// The channel contract on the real Telegram listener, against the fake Bot API server; and what only Telegram has.
import assert from "node:assert/strict";
import { it } from "node:test";
import { channelContract } from "./channel-contract.ts";
import { inbox } from "./rig.ts";
import { openTelegram } from "./telegram-rig.ts";

channelContract("telegram", async () => (await openTelegram()).rig);

async function withTelegram(
  work: (telegram: Awaited<ReturnType<typeof openTelegram>>) => Promise<void>,
): Promise<void> {
  const telegram = await openTelegram();
  try {
    await work(telegram);
  } finally {
    await telegram.rig.listener.stop();
    await telegram.rig.close();
  }
}

it("skips an update that cannot be read, and hears the next one", () =>
  withTelegram(async ({ fake, rig, log }) => {
    const box = inbox();
    await rig.listener.start(box.accept);
    fake.push({ message: { message_id: "x", chat: null } });
    rig.says(rig.direct, "after it");
    await rig.until("the message", () => box.events.length === 1);
    assert.deepEqual(box.texts(), ["after it"]);
    assert.ok(log.some((line) => line.includes("is skipped")));
  }));

it("steps back for another poller, says so, and recovers by itself", () =>
  withTelegram(async ({ fake, rig }) => {
    const box = inbox();
    await rig.listener.start(box.accept);
    await fake.waitFor(() => fake.queue.polling);
    await fetch(`${fake.url}/bot${fake.token}/getUpdates`);
    await rig.until("the state", () => rig.listener.health().state === "reconnecting");
    assert.match(rig.listener.health().lastError ?? "", /Another program polls/);
    rig.says(rig.direct, "still there?");
    await rig.until("the message", () => box.events.length === 1);
    assert.equal(rig.listener.health().state, "connected");
    assert.equal(rig.listener.health().lastError, undefined);
  }));

it("goes on polling after server errors, broken connections and a poll that never answers", () =>
  withTelegram(async ({ fake, rig }) => {
    fake.faults.fail("getUpdates");
    fake.faults.drop("getUpdates");
    fake.faults.hang("getUpdates");
    fake.faults.status("getUpdates", {
      code: 429,
      description: "Too Many Requests: retry after 1",
      parameters: { retry_after: 1 },
    });
    const box = inbox();
    await rig.listener.start(box.accept);
    rig.says(rig.direct, "hello");
    await rig.until("the message", () => box.events.length === 1);
    assert.equal(fake.queue.conflicts, 0);
  }));

it("keeps the token out of logs, errors and health, whatever fails", () =>
  withTelegram(async ({ fake, rig, log }) => {
    fake.faults.drop("getUpdates");
    fake.faults.drop("sendMessage");
    await rig.listener.start(inbox().accept);
    await rig.until("trouble", () => rig.listener.health().lastError !== undefined);
    const errors: unknown[] = [rig.listener.health()];
    errors.push(await rig.listener.send(rig.direct, { plain: "x" }, "1").catch((error) => error));
    await fake.close();
    errors.push(await rig.listener.send(rig.direct, { plain: "x" }, "2").catch((error) => error));
    const file = { id: "f", name: "f", mime: "" };
    errors.push(await rig.listener.fetchFile?.(file, new WritableStream()).catch((error) => error));
    errors.push(await rig.listener.setMenu?.([]).catch((error) => error));
    const shown = errors.map((error) =>
      error instanceof Error ? `${error.stack} ${JSON.stringify(error)}` : JSON.stringify(error),
    );
    assert.equal(shown.length, 5);
    for (const text of [...shown, ...log]) assert.doesNotMatch(text, /fake-token/);
  }));

it("tells where a migrated chat has gone", () =>
  withTelegram(async ({ fake, rig, ana }) => {
    const old = fake.group({ basic: true });
    const next = fake.migrate(old, ana, { tellBot: false });
    const to = { listener: rig.listener.id, chat: String(old.id) };
    await assert.rejects(rig.listener.send(to, { plain: "x" }, "m1"), (error: unknown) => {
      const { kind, detail } = error as { kind: string; detail: { movedTo?: string } };
      return kind === "gone" && detail.movedTo === String(next.id);
    });
  }));

it("shows in groups the whole menu, and in private chats what counts there", () =>
  withTelegram(async ({ fake, rig }) => {
    await rig.listener.setMenu?.([
      { command: "help", description: "What I can do" },
      { command: "enable", description: "Open this group", groupsOnly: true },
    ]);
    const names = [...fake.world.commands].map(([scope, commands]) => [
      /"type":"(\w+)"/.exec(scope)?.[1],
      (commands as { command: string }[]).map(({ command }) => command),
    ]);
    assert.deepEqual(names, [
      ["default", ["help", "enable"]],
      ["all_private_chats", ["help"]],
    ]);
  }));

it("links to itself with a code once it knows its name", () =>
  withTelegram(async ({ rig }) => {
    assert.equal(rig.listener.joinLink?.("K7Q2-9XF4"), undefined);
    await rig.listener.start(inbox().accept);
    assert.equal(rig.listener.joinLink?.("K7Q2-9XF4"), "https://t.me/sallyport_bot?start=K7Q29XF4");
  }));

it("sends a file once, even if the text that goes with it has to be sent again", () =>
  withTelegram(async ({ fake, rig }) => {
    const file = { path: import.meta.filename, name: "a.ts", mime: "text/plain", size: 1 };
    const part = { plain: "long ".repeat(400), file };
    fake.faults.status("sendMessage", {
      code: 429,
      description: "Too Many Requests: retry after 3",
      parameters: { retry_after: 3 },
    });
    await assert.rejects(rig.listener.send(rig.direct, part, "k"), { kind: "rate-limited" });
    await rig.listener.send(rig.direct, part, "k");
    const seen = rig.visible(rig.direct).map((one) => one.file ?? one.text.length);
    assert.deepEqual(seen, ["a.ts", 1999]);
  }));
