// A bot whose only way out is the proxy of the environment.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { channel } from "../../channels/telegram/index.ts";
import type { InboundMessage } from "../../src/core/events.ts";
import { createGuardedFetch } from "../../src/net/guarded-fetch.ts";
import { inbox } from "../contract/rig.ts";
import { memoryLog } from "../fakes/agent-rig.ts";
import { startForwardProxy } from "../fakes/forward-proxy.ts";
import { notesInMemory } from "../fakes/notes.ts";
import { startTelegramServer } from "../fakes/telegram-server.ts";

const quick = { pollSeconds: 1, graceSeconds: 0.5, deafSeconds: 2.5 };

async function botBehindProxy(t: TestContext) {
  const proxy = await startForwardProxy();
  const fake = await startTelegramServer();
  const proxies = { http: proxy.url, https: proxy.url, no: "" };
  const guarded = createGuardedFetch({ allow: { root: fake.url }, proxies });
  const listener = channel.open(
    { token: fake.token, apiRoot: fake.url, ...quick },
    {
      listener: "telegram",
      log: memoryLog(),
      notes: notesInMemory(),
      fetchFrom: () => guarded.fetch,
      proxied: true,
    },
  );
  t.after(async () => {
    await listener.stop();
    await guarded.close();
    await fake.close();
    await proxy.close();
  });
  return { proxy, fake, listener };
}

it("polls, sends, uploads and downloads through the proxy, and no other way", async (t) => {
  const { proxy, fake, listener } = await botBehindProxy(t);
  const folder = mkdtempSync(join(tmpdir(), "sallyport-proxy-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const ana = fake.user({ name: "Ana" });
  const chat = fake.privateChat(ana);
  const heard = inbox();
  await listener.start(heard.accept);
  ana.sends(chat.id, "", { document: { name: "a.txt", content: "in", mime: "text/plain" } });
  const { files } = await firstMessage(t, heard);
  const bytes: Uint8Array[] = [];
  assert.ok(files[0]);
  await listener.fetchFile?.(
    files[0],
    new WritableStream({ write: (piece) => void bytes.push(piece) }),
  );
  assert.equal(Buffer.concat(bytes).toString(), "in");

  const path = join(folder, "b.txt");
  writeFileSync(path, "out");
  const to = { listener: "telegram", chat: String(chat.id) };
  const file = { path, name: "b.txt", mime: "text/plain", size: 3 };
  await listener.send(to, { plain: "hello" }, "k1");
  await listener.send(to, { plain: "", file }, "k2");
  const said = fake.messages(chat.id).filter(({ byBot }) => byBot);
  assert.deepEqual(
    said.map(({ text, file }) => file?.name ?? text),
    ["hello", "b.txt"],
  );
  const calls = fake.calls.length;
  assert.deepEqual([...new Set(proxy.asked)], [new URL(fake.url).host]);
  assert.ok(
    proxy.asked.length >= calls,
    `${proxy.asked.length} of ${calls} went through the proxy`,
  );
});

async function firstMessage(
  t: TestContext,
  heard: ReturnType<typeof inbox>,
): Promise<InboundMessage> {
  await t.waitFor(() => assert.ok(heard.messages()[0]), { timeout: 10_000 });
  const [first] = heard.messages();
  assert.ok(first);
  return first;
}
