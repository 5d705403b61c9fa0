// The fake Slack in HTTP mode: signed requests, its question to the address, and retries that say so.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { it, type TestContext } from "node:test";
import { startSlackServer } from "../fakes/slack-server.ts";

interface Got {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

type Answer = (got: Got, count: number) => { status?: number; body?: string } | undefined;

/** Answers as told; without an answer the request hangs. */
async function stage(t: TestContext, answer: Answer) {
  const got: Got[] = [];
  const app = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const one = { headers: request.headers, body: Buffer.concat(chunks).toString() };
    got.push(one);
    const told = answer(one, got.length);
    fake.noteChange();
    if (told) response.writeHead(told.status ?? 200).end(told.body);
  });
  await new Promise<void>((resolve) => app.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(app.address() as AddressInfo).port}/in/slack`;
  const fake = await startSlackServer({ http: { url }, ackMs: 200, retryMs: [0, 20, 40] });
  t.after(async () => {
    await fake.close();
    app.closeAllConnections();
    await new Promise((resolve) => app.close(resolve));
  });
  const ana = fake.user({ name: "Ana" });
  return { fake, got, url, ana, dm: fake.dm(ana) };
}

it("signs the raw body and the time of every request", async (t) => {
  const { fake, got, ana, dm } = await stage(t, () => ({}));
  ana.sends(dm, "hällo & co");
  await fake.waitFor(() => got.length > 0 && fake.unconfirmed === 0);
  const { headers, body } = got[0] ?? { headers: {}, body: "" };
  const timestamp = String(headers["x-slack-request-timestamp"]);
  const hash = createHmac("sha256", fake.signingSecret).update(`v0:${timestamp}:${body}`);
  assert.equal(headers["x-slack-signature"], `v0=${hash.digest("hex")}`);
  assert.ok(Math.abs(Date.now() / 1_000 - Number(timestamp)) < 5);
  assert.equal(headers["x-slack-retry-num"], undefined);
  assert.equal(JSON.parse(body).event.text, "hällo &amp; co");
});

it("asks the address for its challenge before it uses it", async (t) => {
  const { fake, url } = await stage(t, ({ body }) => ({ body: JSON.parse(body).challenge }));
  assert.equal(await fake.verify(url), true);
  const other = await stage(t, () => ({ body: "hello" }));
  assert.equal(await other.fake.verify(other.url), false);
});

it("tries again what is refused, too late or not reached, and says so", async (t) => {
  const answers: Answer = (_, count) =>
    count === 2 ? undefined : { status: count === 1 ? 500 : 200 };
  const { fake, got, ana, dm } = await stage(t, answers);
  ana.sends(dm, "again");
  await fake.waitFor(() => got.length === 3 && fake.unconfirmed === 0);
  const retries = got.map(({ headers }) => [
    headers["x-slack-retry-num"],
    headers["x-slack-retry-reason"],
  ]);
  assert.deepEqual(retries, [
    [undefined, undefined],
    ["1", "http_error"],
    ["2", "http_timeout"],
  ]);
  const ids = got.map(({ body }) => JSON.parse(body).event_id);
  assert.equal(new Set(ids).size, 1);
});

it("sends presses and commands as forms, once, and shows what a command is answered", async (t) => {
  const body = JSON.stringify({ response_type: "ephemeral", text: "You are Ana." });
  const { fake, got, ana, dm } = await stage(t, ({ body: asked }) =>
    asked.startsWith("payload=")
      ? { status: 500 }
      : { body: asked.includes("command=") ? body : "" },
  );
  ana.slash(dm, "/sallyport", "whoami");
  await fake.waitFor(() => fake.ephemerals(ana)[0]?.text === "You are Ana.");
  const command = new URLSearchParams(got[0]?.body);
  assert.deepEqual([command.get("command"), command.get("text")], ["/sallyport", "whoami"]);
  const text = { type: "plain_text", text: "Go" };
  const elements = [{ type: "button", action_id: "go", value: "g", text }];
  const headers = { authorization: `Bearer ${fake.token}`, "content-type": "application/json" };
  const message = { channel: dm, text: "Go?", blocks: [{ type: "actions", elements }] };
  const posted = await fetch(`${fake.url}/api/chat.postMessage`, {
    method: "POST",
    headers,
    body: JSON.stringify(message),
  });
  ana.presses((await posted.json()).ts, "Go");
  await fake.waitFor(() => ana.errors.length === 1);
  const press = got.find((one) => one.body.startsWith("payload="));
  const payload = JSON.parse(new URLSearchParams(press?.body).get("payload") ?? "");
  assert.equal(payload.actions[0].value, "g");
});
