// When the fake Slack refuses, slows down or breaks: tokens, rates and faults.
import assert from "node:assert/strict";
import { it } from "node:test";
import { stageSlack } from "../fakes/slack-app.ts";

it("knows both tokens, and none after they are revoked", async (t) => {
  const { fake, web } = await stageSlack(t);
  const call = async (method: string, token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${fake.url}/api/${method}`, { method: "POST", headers });
    return (await response.json()).error;
  };
  assert.equal(await call("auth.test", "xoxb-other"), "invalid_auth");
  assert.equal(await call("apps.connections.open", fake.token), "not_allowed_token_type");
  assert.equal(await call("auth.test", ""), "not_authed");
  const { user_id, bot_id, team_id } = await web.auth.test();
  assert.deepEqual([user_id, bot_id, team_id], [fake.me.id, fake.me.botId, fake.me.team]);
  fake.revokeToken("invalid_auth", "app");
  assert.equal(await call("apps.connections.open", fake.appToken), "invalid_auth");
  assert.equal(await call("auth.test", fake.token), undefined);
  fake.revokeToken();
  await assert.rejects(web.auth.test(), /token_revoked/);
});

it("keeps to the published rates when asked to", async (t) => {
  let now = Date.now();
  const { fake, web } = await stageSlack(t, { limits: true, now: () => now });
  const [one, two] = ["Ana", "Ben"].map((name) => fake.dm(fake.user({ name })));
  const say = (channel = "") => web.chat.postMessage({ channel, text: "x" });
  for (let count = 0; count < 3; count += 1) await say(one);
  await assert.rejects(say(one), /rate/i);
  await say(two);
  await assert.rejects(say(one), /rate/i);
  assert.deepEqual([fake.counters.tooMany, fake.counters.violations], [2, 1]);
  assert.equal(fake.calls.at(-1)?.status, 429);
  now += 1_000;
  await say(one);
});

it("drops, hangs and refuses as told, before or after the message is there", async (t) => {
  const { fake, web } = await stageSlack(t);
  const channel = fake.dm(fake.user({ name: "Ana" }));
  const say = () => web.chat.postMessage({ channel, text: "x" });
  fake.faults.dropBefore("chat.postMessage");
  await assert.rejects(say());
  assert.equal(fake.messages(channel).length, 0);
  fake.faults.drop("chat.postMessage");
  await assert.rejects(say());
  assert.equal(fake.messages(channel).length, 1);
  fake.faults.error("chat.postMessage", "fatal_error");
  await assert.rejects(say(), /fatal_error/);
  fake.faults.fail("chat.postMessage");
  await assert.rejects(say(), /502/);
  fake.faults.rateLimit("chat.postMessage", 7);
  await assert.rejects(say(), /7/);
  const held = fake.faults.stallAt("chat.postMessage", { when: "stored" });
  const saying = say();
  await held.arrived;
  assert.equal(fake.messages(channel).length, 2);
  held.release();
  await saying;
});
