// HTTP mode: nothing is read before the signature holds, and nothing is acknowledged before it is stored.
import assert from "node:assert/strict";
import { it } from "node:test";
import { signed } from "../fakes/slack-push.ts";
import { inbox } from "./rig.ts";
import { openSlack } from "./slack-rig.ts";

type Slack = Awaited<ReturnType<typeof openSlack>>;
interface Asking extends Slack {
  readonly box: ReturnType<typeof inbox>;
  post(request: { body: string; headers: Record<string, string> }): Promise<Response>;
}

async function asked(work: (slack: Asking) => Promise<void>): Promise<void> {
  const slack = await openSlack({ mode: "http" });
  const box = inbox();
  const url = slack.door?.url ?? "";
  try {
    await slack.rig.listener.start(box.accept);
    await work({ ...slack, box, post: (it) => fetch(url, { method: "POST", ...it }) });
  } finally {
    await slack.rig.listener.stop();
    await slack.rig.close();
  }
}

function eventOf({ fake, ana, dm }: Slack, text = "hello"): string {
  const event = { type: "message", channel: dm, channel_type: "im", user: ana.id, text };
  const ts = "1700000000.000100";
  return JSON.stringify({ type: "event_callback", team_id: fake.me.team, event: { ...event, ts } });
}

it("takes what Slack signed, once it is stored", () =>
  asked(async (slack) => {
    const { fake, box, post } = slack;
    const secret = fake.signingSecret;
    const answer = await post(signed(eventOf(slack), { secret, at: Date.now() }));
    assert.equal(answer.status, 200);
    assert.deepEqual(box.texts(), ["hello"]);
  }));

it("refuses a wrong signature, none, another version, and a body that was written anew", () =>
  asked(async (slack) => {
    const { fake, box, post } = slack;
    const body = eventOf(slack);
    const good = signed(body, { secret: fake.signingSecret, at: Date.now() });
    const wrong = signed(body, { secret: "another-secret-of-somebody", at: Date.now() });
    const { "x-slack-signature": signature = "", ...unsigned } = good.headers;
    const with_ = (value: string) => ({ ...good.headers, "x-slack-signature": value });
    const requests = [
      wrong,
      { body, headers: unsigned },
      { body, headers: with_(signature.replace("v0=", "v1=")) },
      { body, headers: with_(signature.slice(0, -1)) },
      { body, headers: with_("") },
      { body: JSON.stringify(JSON.parse(body), null, 1), headers: good.headers },
      { body: `${body} `, headers: good.headers },
    ];
    for (const request of requests) assert.equal((await post(request)).status, 401);
    assert.deepEqual(box.events, []);
    assert.match(slack.rig.listener.health().lastError ?? "", /signing secret here is wrong/);
    assert.equal((await post({ body, headers: good.headers })).status, 200);
    assert.equal(slack.rig.listener.health().lastError, undefined);
  }));

it("refuses a signature older than five minutes, or of a time to come, and a time that is none", () =>
  asked(async (slack) => {
    const { fake, box, post } = slack;
    const secret = fake.signingSecret;
    const body = eventOf(slack);
    for (const at of [Date.now() - 10 * 60_000, Date.now() + 10 * 60_000, 0]) {
      const answer = await post(signed(body, { secret, at }));
      assert.equal(answer.status, 401);
    }
    const { headers } = signed(body, { secret, at: Date.now() });
    for (const time of ["", "soon", "NaN", "-1"]) {
      const answer = await post({
        body,
        headers: { ...headers, "x-slack-request-timestamp": time },
      });
      assert.equal(answer.status, 401);
    }
    assert.deepEqual(box.events, []);
  }));

it("reads nothing of a request that is not signed, however it is broken", () =>
  asked(async ({ fake, post, log }) => {
    const headers = { "content-type": "application/json" };
    assert.equal((await post({ body: "{", headers })).status, 401);
    const secret = fake.signingSecret;
    const broken = await post(signed("{", { secret, at: Date.now() }));
    assert.equal(broken.status, 400);
    assert.equal(log.filter((line) => line.includes("could not be read")).length, 0);
  }));

it("answers Slack's question for its address, and its look at the certificate", () =>
  asked(async ({ fake, post }) => {
    const secret = fake.signingSecret;
    const question = JSON.stringify({ type: "url_verification", challenge: "3eZbrw1aB" });
    const answer = await post(signed(question, { secret, at: Date.now() }));
    assert.deepEqual([answer.status, await answer.text()], [200, "3eZbrw1aB"]);
    const unsigned = { "content-type": "application/json" };
    assert.equal((await post({ body: question, headers: unsigned })).status, 401);
    const type = "application/x-www-form-urlencoded";
    const look = await post(signed("ssl_check=1&token=x", { secret, at: Date.now(), type }));
    assert.equal(look.status, 200);
  }));

it("takes presses and commands at the same address", () =>
  asked(async ({ ana, dm, rig, box, fake }) => {
    const buttons = [{ label: "Go", data: "opaque" }];
    const ref = await rig.listener.send(rig.direct, { plain: "?", buttons }, "b1");
    ana.presses(ref.id, "Go");
    ana.slash(dm, "/sallyport", "tasks");
    await rig.until("both", () => box.events.length === 2);
    assert.deepEqual(
      box.events.map((event) => (event.kind === "message" ? event.text : event.kind)).toSorted(),
      ["/tasks", "press"],
    );
    await rig.until("the acknowledgements", () => fake.unconfirmed === 0);
    assert.deepEqual(ana.errors, []);
  }));

it("asks Slack to come again before it has started and after it has stopped", () =>
  asked(async (slack) => {
    const { fake, rig, box, post, open } = slack;
    const at = Date.now();
    const request = signed(eventOf(slack), { secret: fake.signingSecret, at });
    await rig.listener.stop();
    assert.equal((await post(request)).status, 503);
    const next = open();
    assert.equal((await post(request)).status, 503);
    await next.start(box.accept);
    assert.equal((await post(request)).status, 200);
    await next.stop();
    assert.deepEqual(box.texts(), ["hello"]);
  }));
