// Slack at its worst: signed requests that nobody should send, and sends that break at every point.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { fetchFile } from "../../channels/slack/files.ts";
import type { OutFile } from "../../src/core/channel.ts";
import { signed } from "../fakes/slack-push.ts";
import { inbox } from "./rig.ts";
import { openSlack, type SlackOptions } from "./slack-rig.ts";

type Slack = Awaited<ReturnType<typeof openSlack>>;
interface Running extends Slack {
  readonly box: ReturnType<typeof inbox>;
}

async function running(work: (slack: Running) => Promise<void>, options: SlackOptions = {}) {
  const rejected: unknown[] = [];
  const note = (error: unknown) => rejected.push(error);
  process.on("unhandledRejection", note);
  const slack = await openSlack(options);
  const box = inbox();
  try {
    await slack.rig.listener.start(box.accept);
    await work({ ...slack, box });
  } finally {
    await slack.rig.listener.stop();
    await slack.rig.close();
    process.off("unhandledRejection", note);
  }
  assert.deepEqual(rejected, []);
}

const http = { mode: "http" } as const;
const form = "application/x-www-form-urlencoded";

function posterOf({ fake, door }: Slack) {
  return async (body: string, type?: string): Promise<number> => {
    const it = signed(body, {
      secret: fake.signingSecret,
      at: Date.now(),
      ...(type ? { type } : {}),
    });
    const answer = await fetch(door?.url ?? "", { method: "POST", ...it });
    await answer.arrayBuffer();
    return answer.status;
  };
}

it("takes whatever is signed without harm, and hears the next message", () =>
  running(async (slack) => {
    const { fake, ana, dm, box, rig, log } = slack;
    const post = posterOf(slack);
    const event = { type: "message", channel: dm, user: ana.id, ts: "1700000000.000100" };
    const whole = { type: "event_callback", team_id: fake.me.team, event };
    const nested = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
    const ignored = [
      ["[]", 400],
      ["null", 400],
      ['"x"', 400],
      ["{}", 200],
      ['{"type":7}', 200],
      ['{"type":"event_callback"}', 200],
      ['{"type":"event_callback","event":null}', 200],
      ['{"type":"event_callback","event":{"type":{}}}', 200],
      ['{"type":"block_actions","actions":[null]}', 200],
      ['{"type":"constructor","__proto__":{"command":"/x"}}', 200],
      [JSON.stringify({ ...whole, event: { ...event, ts: "soon", text: "x" } }), 200],
      [`{"type":"event_callback","event":{"type":"message","blocks":${nested}}}`, 200],
      [JSON.stringify({ ...whole, event: { type: "message", text: "x".repeat(1_000_000) } }), 200],
    ] as const;
    for (const [body, status] of ignored) assert.equal(await post(body), status, body.slice(0, 80));
    assert.equal(await post("payload=%7B&payload=%5B%5D", form), 400);
    assert.equal(await post('{"type":"event_callback"}', form), 200);
    assert.equal(await post("__proto__=x&constructor=y", form), 200);
    assert.deepEqual(box.events, []);
    ana.sends(dm, "still there");
    await rig.until("it", () => box.texts().includes("still there"));
    assert.doesNotMatch(log.join("\n"), /xxxx/);
  }, http));

it("takes a request that is sent again, by whomever, once", () =>
  running(async ({ fake, ana, dm, door, box, rig }) => {
    const event = { type: "message", channel: dm, channel_type: "im", user: ana.id, text: "once" };
    const body = JSON.stringify({
      type: "event_callback",
      team_id: fake.me.team,
      event: { ...event, ts: "1700000000.000100" },
    });
    const request = signed(body, { secret: fake.signingSecret, at: Date.now() });
    for (let time = 0; time < 5; time += 1)
      await fetch(door?.url ?? "", { method: "POST", ...request });
    ana.sends(dm, "last");
    await rig.until("the last", () => box.texts().includes("last"));
    assert.deepEqual(box.texts(), ["once", "last"]);
  }, http));

it("answers nothing to a signature that is almost right, also to Slack's question for the address", () =>
  running(async ({ fake, door, box }) => {
    const at = String(Math.floor(Date.now() / 1000));
    const body = JSON.stringify({ type: "url_verification", challenge: "secret-challenge" });
    const hmac = (over: string) =>
      createHmac("sha256", fake.signingSecret).update(over).digest("hex");
    const good = hmac(`v0:${at}:${body}`);
    const wrong = [
      `v0=${good.toUpperCase()}`,
      `V0=${good}`,
      `v1=${hmac(`v1:${at}:${body}`)}`,
      good,
      `v0=${good}, v0=${good}`,
      `v0=${good}0`,
      `v0=${good.slice(0, 63)}é`,
      `v0=${hmac(`v0:${at}:`)}`,
      `v0=${hmac(body)}`,
    ];
    for (const signature of wrong) {
      const answer = await fetch(door?.url ?? "", {
        method: "POST",
        body,
        headers: { "x-slack-request-timestamp": at, "x-slack-signature": signature },
      });
      assert.equal(answer.status, 401, signature);
      assert.doesNotMatch(await answer.text(), /challenge/);
    }
    assert.deepEqual(box.events, []);
  }, http));

async function withFile(work: (file: OutFile) => Promise<void>, name = "report.txt") {
  const folder = await mkdtemp(join(tmpdir(), "slack-"));
  const path = join(folder, "content");
  await writeFile(path, "content");
  await work({ path, name, mime: "text/plain", size: 7 }).finally(() =>
    rm(folder, { recursive: true }),
  );
}

it("lets Slack fetch no page for the text that goes with a file", () =>
  running(({ fake, rig, work }) =>
    withFile(async (file) => {
      const to = { listener: "slack", chat: work };
      const texts = [
        "[see](https://evil.test/?q=secret)",
        "https://evil.test/x",
        "secret.evil.com",
      ];
      for (const [index, text] of texts.entries()) {
        const [part] = await rig.channel.render(text);
        assert.ok(part);
        await rig.listener.send(to, { ...part, file }, `f${index}`);
      }
      await rig.listener.send(to, { plain: "Here is report.txt.", file }, "f9");
      const seen = fake.messages(work).filter(({ byBot }) => byBot);
      assert.deepEqual(
        seen.map((one) => [one.preview, one.file?.name, one.text]),
        [
          ...["see", "https://evil.test/x", "secret.evil.com"].flatMap((text) => [
            [false, "report.txt", ""],
            [false, undefined, text],
          ]),
          [false, "report.txt", "Here is report.txt."],
        ],
      );
    }),
  ));

it("shows a file once, wherever sending it broke before it was shown", () =>
  running(({ fake, rig, dm }) =>
    withFile(async (file) => {
      const part = { plain: "look", file };
      const steps = [
        () => fake.faults.dropBefore("files.getUploadURLExternal"),
        () => fake.faults.drop("files.getUploadURLExternal"),
        () => fake.faults.fail("files.getUploadURLExternal"),
        () => fake.faults.drop("upload"),
        () => fake.faults.dropBefore("upload"),
        () => fake.faults.error("files.completeUploadExternal", "request_timeout"),
        () => fake.faults.rateLimit("files.completeUploadExternal", 1),
      ];
      for (const [index, breaks] of steps.entries()) {
        breaks();
        await assert.rejects(rig.listener.send(rig.direct, part, `k${index}`), (error) => {
          assert.match((error as { kind: string }).kind, /^(not-sent|rate-limited)$/);
          return true;
        });
      }
      await rig.listener.send(rig.direct, part, "k");
      fake.faults.fail("files.info", { times: 3 });
      const ref = await rig.listener.send(rig.direct, part, "l");
      assert.equal(ref.id, "");
      await assert.rejects(async () => rig.listener.edit?.(ref, part), { kind: "gone" });
      assert.equal(fake.messages(dm).length, 2);
    }),
  ));

it("says that a message is gone when it was deleted, and takes a second deletion for done", () =>
  running(async ({ rig }) => {
    const ref = await rig.listener.send(rig.direct, { plain: "x" }, "1");
    await rig.listener.remove?.(ref);
    await rig.listener.remove?.(ref);
    await assert.rejects(async () => rig.listener.edit?.(ref, { plain: "y" }), { kind: "gone" });
  }));

it("goes on to answer in private when an address for answers is used up", () =>
  running(async ({ fake, rig, ana, work, box }) => {
    ana.slash(work, "/sallyport", "tasks");
    await rig.until("the command", () => box.messages().length === 1);
    const [command] = box.messages();
    const only = { account: command?.sender.account ?? "", press: command?.press ?? { id: "" } };
    for (let n = 0; n < 8; n += 1)
      await rig.listener.whisper?.({ listener: "slack", chat: work }, only, { plain: `n${n}` });
    const wanted = Array.from({ length: 8 }, (_, n) => `n${n}`);
    assert.deepEqual(
      fake.ephemerals(ana).map(({ text }) => text),
      wanted,
    );
  }));

it("takes Slack's login page for no file even if its length is not told", async () => {
  const config = { token: "xoxb-1", apiRoot: "https://slack.com/api" } as never;
  const file = { id: "F1", name: "a.html", mimetype: "text/html", size: 12 };
  const info = { ...file, url_private: "https://files.slack.com/files-pri/T1-F1/a.html" };
  const fetched = async (text: string, size = 12) => {
    const client = { files: { info: async () => ({ file: { ...info, size } }) } } as never;
    const body = new Blob([text]).stream();
    const fetch = async () => new Response(body, { headers: { "content-type": "text/html" } });
    const got: Uint8Array[] = [];
    const write = (chunk: Uint8Array) => void got.push(chunk);
    await fetchFile(
      { client, config, fetch },
      { ...file, mime: "" },
      new WritableStream({ write }),
    );
    return Buffer.concat(got).toString();
  };
  assert.equal(await fetched("<p>hello</p>"), "<p>hello</p>");
  await assert.rejects(fetched("<html>Sign in | Slack</html>"), /files:read/);
});

it("keeps the signing secret, the token and addresses for answers to itself in HTTP mode", () =>
  running(async (slack) => {
    const { fake, ana, dm, box, rig, log } = slack;
    const post = posterOf(slack);
    ana.slash(dm, "/sallyport", "tasks");
    await rig.until("the command", () => box.events.length === 1);
    const [command] = box.messages();
    const only = { account: command?.sender.account ?? "", press: command?.press ?? { id: "" } };
    fake.faults.drop("respond");
    fake.faults.error("chat.postEphemeral", "something_new");
    const shown: unknown[] = [];
    const failing = async (work: Promise<unknown> | undefined) =>
      shown.push(
        await work?.then(String, (error: Error) => `${error.stack} ${String(error.cause)}`),
      );
    await failing(rig.listener.whisper?.(rig.direct, only, { plain: "x" }));
    const url = "https://hooks.slack.com/actions/T1/secret";
    await post(JSON.stringify({ type: "event_callback", response_url: url, event: { ts: 7 } }));
    await post(`{"type":"event_callback","token":"xoxb-fake-token","event":`);
    fake.faults.fail("auth.test");
    await rig.until("trouble", () => rig.listener.health().state === "reconnecting");
    fake.revokeToken();
    await failing(rig.listener.send(rig.direct, { plain: "x" }, "1"));
    await rig.until("its end", () => rig.listener.health().state === "unauthorised");
    shown.push(JSON.stringify(rig.listener.health()), ...log);
    assert.ok(shown.length > 4);
    for (const text of shown)
      for (const secret of [fake.signingSecret, "fake-token", "/actions/", "hooks.slack"])
        assert.ok(!String(text).includes(secret), String(text));
  }, http));
