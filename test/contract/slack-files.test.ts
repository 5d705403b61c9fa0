// Files that people send on Slack, and where the token goes: to Slack's own addresses and into no word of ours.
import assert from "node:assert/strict";
import { it } from "node:test";
import { isSlackAddress, slackFetch } from "../../channels/slack/addresses.ts";
import { configSchema } from "../../channels/slack/config.ts";
import type { FileRef } from "../../src/core/events.ts";
import { inbox } from "./rig.ts";
import { openSlack } from "./slack-rig.ts";

type Slack = Awaited<ReturnType<typeof openSlack>>;

async function withFile(
  content: string | Uint8Array,
  work: (slack: Slack & { file: FileRef; fetched(): Promise<string> }) => Promise<void>,
  { name = "a.bin", mime = "application/pdf", unknown = false } = {},
): Promise<void> {
  const slack = await openSlack();
  const { rig, ana, dm } = slack;
  const box = inbox();
  try {
    await rig.listener.start(box.accept);
    ana.sends(dm, "look", { files: [{ name, content, mime, unknown }] });
    await rig.until("the file", () => box.events.length === 1);
    const [file] = box.messages()[0]?.files ?? [];
    assert.ok(file);
    const fetched = async () => {
      const chunks: Uint8Array[] = [];
      const write = (chunk: Uint8Array) => void chunks.push(chunk);
      await rig.listener.fetchFile?.(file, new WritableStream({ write }));
      return Buffer.concat(chunks).toString();
    };
    await work({ ...slack, file, fetched });
  } finally {
    await rig.listener.stop();
    await rig.close();
  }
}

it("says which scope is missing, and takes a login page for no file", () =>
  withFile("PDF", async ({ fake, fetched }) => {
    const held = fake.faults.stallAt("files.info", { when: "stored" });
    const fetching = fetched();
    await held.arrived;
    fake.scopes.delete("files:read");
    held.release();
    await assert.rejects(fetching, /login page .* files:read/);
    await assert.rejects(fetched(), /lacks the scope files:read/);
  }));

it("takes a login page for no file when a page was sent, either", () =>
  withFile(
    "<p>a page that Ana wrote</p>",
    async ({ fake, fetched }) => {
      assert.equal(await fetched(), "<p>a page that Ana wrote</p>");
      const held = fake.faults.stallAt("files.info", { when: "stored" });
      const fetching = fetched();
      await held.arrived;
      fake.scopes.delete("files:read");
      held.release();
      await assert.rejects(fetching, /files:read/);
    },
    { name: "a.html", mime: "text/html" },
  ));

it("fetches a file of which it was told no more than the id", () =>
  withFile("content", async ({ fetched }) => assert.equal(await fetched(), "content"), {
    unknown: true,
  }));

it("fetches no file that is too large, and no more of one than Slack said", () =>
  withFile(Buffer.alloc(21 * 1024 * 1024), async ({ fake, fetched }) => {
    await assert.rejects(fetched(), /larger than 20 MB/);
    assert.equal(fake.calls.filter(({ method }) => method === "download").length, 0);
  }));

it("follows addresses of Slack's own only", () => {
  const root = "https://slack.com/api";
  const yes = (address: string) => assert.equal(isSlackAddress(address, root), true, address);
  const no = (address: string, of = root) =>
    assert.equal(isSlackAddress(address, of), false, address);
  yes("https://files.slack.com/files-pri/T1-F1/download/a.txt");
  yes("https://hooks.slack.com/actions/T1/1/x");
  yes("https://slack.com/x");
  no("http://files.slack.com/x");
  no("https://files.slack.com:8443/x");
  no("https://files.slack.com.evil.test/x");
  no("https://evilslack.com/x");
  no("https://user:pass@files.slack.com/x");
  no("https://docs.google.com/document/1");
  no("https://169.254.169.254/latest");
  no("ftp://files.slack.com/x");
  no("");
  no("http://127.0.0.1:9/x", "http://127.0.0.1:8/api");
  no("http://x.127.0.0.1/x", "http://127.0.0.1/api");
});

it("asks nobody for an address that is not Slack's", async () => {
  const config = configSchema.parse({
    token: "xoxb-1234567890",
    signingSecret: "0123456789abcdef",
  });
  const asked: string[] = [];
  const fetch = slackFetch(config, {
    fetchFrom(root: string) {
      asked.push(root);
      return async () => new Response("");
    },
  } as never);
  await assert.rejects(fetch("https://evil.test/f"), /not Slack's/);
  assert.deepEqual(asked, []);
  await fetch("https://files.slack.com/f");
  assert.deepEqual(asked, ["https://slack.com"]);
});

it("keeps tokens and secret addresses out of logs, errors and health, whatever fails", async () => {
  const slack = await openSlack();
  const { fake, rig, log, ana, dm, open } = slack;
  const box = inbox();
  fake.faults.drop("apps.connections.open");
  fake.faults.drop("auth.test");
  fake.faults.drop("chat.postMessage");
  await rig.listener.start(box.accept);
  await rig.until("trouble", () => rig.listener.health().lastError !== undefined);
  const shown: unknown[] = [rig.listener.health()];
  const failing = async (work: Promise<unknown> | undefined) =>
    shown.push(await work?.catch((error) => error));
  ana.slash(dm, "/sallyport", "tasks");
  await failing(rig.listener.send(rig.direct, { plain: "x" }, "1"));
  fake.revokeToken();
  const again = open();
  await again.start(box.accept);
  shown.push(again.health());
  await failing(again.openDirect?.(`${fake.me.team}:${ana.id}`));
  await fake.close();
  const account = `${fake.me.team}:${ana.id}`;
  await failing(again.send(rig.direct, { plain: "x" }, "2"));
  await failing(again.whisper?.(rig.direct, { account }, { plain: "x" }));
  await failing(again.fetchFile?.({ id: "F1", name: "f", mime: "" }, new WritableStream()));
  await failing(again.showHome?.(account, [{ plain: "x" }]));
  await rig.listener.stop();
  await again.stop();
  await rig.close();
  const texts = shown.map((one) =>
    one instanceof Error ? `${one.stack} ${JSON.stringify(one)}` : JSON.stringify(one),
  );
  assert.ok(texts.length >= 8 && log.length > 0);
  for (const text of [...texts, ...log])
    assert.doesNotMatch(text, /fake-token|ticket=|\/actions\//);
});
