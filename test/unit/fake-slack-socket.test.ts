// The fake Slack speaks Socket Mode with Slack's own clients: events, acknowledgements, retries, and how sockets end.
import assert from "node:assert/strict";
import { it } from "node:test";
import { stageSlack } from "../fakes/slack-app.ts";

it("tells of a message, and of the press of a button under the answer", async (t) => {
  const { fake, web, listen } = await stageSlack(t);
  const ana = fake.user({ name: "Ana" });
  const dm = fake.dm(ana);
  const { heard, events, last } = await listen();
  ana.sends(dm, "is a < b & c?");
  await fake.waitFor(() => events().length === 1 && fake.unconfirmed === 0);
  assert.equal(events()[0]?.text, "is a &lt; b &amp; c?");
  const label = { type: "plain_text", text: "Yes" } as const;
  const yes = { type: "button", action_id: "yes", value: "v1", text: label } as const;
  const text = { type: "mrkdwn", text: "*Sure* that `a &lt; b`?" } as const;
  const blocks = [
    { type: "section" as const, text },
    { type: "actions" as const, elements: [yes] },
  ];
  const { ts = "" } = await web.chat.postMessage({ channel: dm, text: "Sure?", blocks });
  assert.equal(fake.messages(dm).at(-1)?.text, "Sure that a < b?");
  const { responseUrl } = ana.presses(ts, "Yes");
  const pressed = await fake.waitFor(() => fake.unconfirmed === 0 && last("interactive"));
  const [action] = pressed.actions as { value: string }[];
  assert.deepEqual([action?.value, pressed.response_url], ["v1", responseUrl]);
  await web.chat.update({ channel: dm, ts, text: "Yes." });
  const card = fake.messages(dm).at(-1);
  assert.throws(() => ana.presses(ts, "Yes"), /no button/);
  ana.presses(ts, "Yes", { was: { text: "Yes", actionId: "yes", value: "v1" } });
  await fake.waitFor(() => heard.filter(({ type }) => type === "interactive").length === 2);
  assert.deepEqual([card?.text, card?.buttons, card?.edits], ["Yes.", [], 1]);
});

it("tells again what is not acknowledged, and gives up in the end", async (t) => {
  const { fake, listen } = await stageSlack(t, { ackMs: 60, retryMs: [0, 30, 50] });
  const ana = fake.user({ name: "Ana" });
  const { heard, events } = await listen(() => {});
  ana.sends(fake.dm(ana), "hello?");
  assert.equal(fake.unconfirmed, 1);
  const delivery = fake.deliveries.all[0];
  await fake.waitFor(() => delivery?.state === "lost");
  assert.deepEqual(
    heard.map(({ retry }) => retry),
    [0, 1, 2, 3],
  );
  assert.equal(new Set(heard.map(({ body }) => body.event_id)).size, 1);
  assert.equal(events().length, 4);
  assert.equal(fake.unconfirmed, 0);
});

it("takes a late acknowledgement of an earlier attempt", async (t) => {
  const { fake, listen } = await stageSlack(t, { ackMs: 40, retryMs: [0, 60_000] });
  const ana = fake.user({ name: "Ana" });
  const { heard } = await listen(() => {});
  ana.sends(fake.dm(ana), "slow");
  await fake.waitFor(() => heard.length === 2);
  await heard[0]?.ack();
  await fake.waitFor(() => fake.unconfirmed === 0);
  assert.equal(fake.deliveries.all[0]?.state, "acknowledged");
});

it("keeps events while nobody listens, and tells a person that a press was not answered", async (t) => {
  const { fake, web, listen } = await stageSlack(t);
  const ana = fake.user({ name: "Ana" });
  const dm = fake.dm(ana);
  ana.sends(dm, "first");
  ana.sends(dm, "second");
  const { ts = "" } = await web.chat.postMessage(card(dm));
  ana.presses(ts, "Go");
  ana.slash(dm, "/sallyport", "status");
  assert.equal(ana.errors.length, 2);
  const { events } = await listen();
  await fake.waitFor(() => fake.unconfirmed === 0);
  assert.deepEqual(
    events().map(({ text }) => text),
    ["first", "second", "Go?"],
  );
});

function card(channel: string) {
  const text = { type: "plain_text", text: "Go" } as const;
  const elements = [{ type: "button", action_id: "go", value: "g", text }] as const;
  return { channel, text: "Go?", blocks: [{ type: "actions" as const, elements: [...elements] }] };
}

it("gives each event to one socket, and to another when that one dies before it acknowledged", async (t) => {
  const { fake, listen } = await stageSlack(t);
  const ana = fake.user({ name: "Ana" });
  const dm = fake.dm(ana);
  const apps = [await listen(() => {}), await listen(() => {})];
  assert.equal(fake.sockets.open, 2);
  const got = () => apps.map(({ heard }) => heard.length);
  ana.sends(dm, "one");
  ana.sends(dm, "two");
  await fake.waitFor(() => got().join() === "1,1");
  await apps[0]?.client.disconnect();
  await fake.waitFor(() => got()[1] === 2);
  assert.equal(apps[1]?.heard[1]?.retry, 1);
});

it("lets an app in again after a refresh, a warning and a drop, and loses nothing", async (t) => {
  const { fake, listen } = await stageSlack(t);
  const ana = fake.user({ name: "Ana" });
  const dm = fake.dm(ana);
  const { events } = await listen();
  const ends = [
    () => fake.sockets.disconnect("refresh_requested"),
    () => fake.sockets.disconnect("warning"),
    () => fake.sockets.drop(),
  ];
  for (const [index, end] of ends.entries()) {
    end();
    ana.sends(dm, `after ${index}`);
    const back = () => fake.sockets.opened === index + 2 && fake.unconfirmed === 0;
    await fake.waitFor(back, { what: `socket ${index + 2}` });
  }
  assert.deepEqual(
    [...new Set(events().map(({ text }) => text))],
    ["after 0", "after 1", "after 2"],
  );
  assert.ok(fake.sockets.open <= 1);
});

it("has room for ten sockets of an app, and sends an eleventh away", async (t) => {
  const { fake, listen } = await stageSlack(t);
  for (let count = 0; count < 10; count += 1) await listen();
  const ticket = fake.sockets.ticket(fake.url);
  const socket = new WebSocket(ticket);
  const told = new Promise((resolve) => {
    socket.addEventListener("message", ({ data }) => resolve(JSON.parse(String(data)).reason));
  });
  assert.equal(await told, "too_many_websockets");
  assert.equal(fake.sockets.open, 10);
  const again = new WebSocket(ticket);
  await new Promise((resolve) => again.addEventListener("error", resolve));
});

it("can be deaf, half-open, and cut at the envelope or at its acknowledgement", async (t) => {
  const { fake, listen } = await stageSlack(t, {
    ackMs: 100,
    retryMs: [0, 60_000, 60_000, 60_000],
  });
  const ana = fake.user({ name: "Ana" });
  const dm = fake.dm(ana);
  const { heard } = await listen();
  fake.sockets.deafen();
  ana.sends(dm, "unheard");
  await fake.waitFor(() => fake.deliveries.all[0]?.attempt === 2);
  assert.deepEqual([heard.length, fake.sockets.open], [0, 1]);
  fake.sockets.hear();
  await fake.waitFor(() => fake.unconfirmed === 0);

  fake.sockets.halfOpen();
  ana.sends(dm, "into the void");
  await fake.waitFor(() => fake.deliveries.all[1]?.attempt === 1);
  assert.deepEqual([heard.length, fake.sockets.open, fake.unconfirmed], [1, 1, 1]);
  fake.sockets.drop();
  await fake.waitFor(() => fake.unconfirmed === 0, { what: "a new socket" });

  fake.faults.dropBefore("ack");
  ana.sends(dm, "twice");
  await fake.waitFor(() => heard.length === 4 && fake.unconfirmed === 0);
  fake.faults.drop("ack");
  ana.sends(dm, "once");
  await fake.waitFor(() => fake.unconfirmed === 0);
  fake.faults.dropBefore("envelope");
  ana.sends(dm, "after all");
  await fake.waitFor(() => fake.unconfirmed === 0 && heard.length === 6);
});

it("holds an envelope or an acknowledgement until it is let go", async (t) => {
  const { fake, listen } = await stageSlack(t);
  const ana = fake.user({ name: "Ana" });
  const { heard } = await listen();
  const envelope = fake.faults.stallAt("envelope");
  const ack = fake.faults.stallAt("ack");
  ana.sends(fake.dm(ana), "hi");
  await envelope.arrived;
  assert.equal(heard.length, 0);
  envelope.release();
  await ack.arrived;
  assert.deepEqual([heard.length, fake.unconfirmed], [1, 1]);
  ack.release();
  await fake.waitFor(() => fake.unconfirmed === 0);
});
