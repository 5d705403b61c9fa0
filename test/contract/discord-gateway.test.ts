// The Discord listener and whatever a gateway can do to it: nothing is lost, nothing loops, and health says how it is.
import assert from "node:assert/strict";
import { it } from "node:test";
import { type Discord, withDiscord } from "./discord-rig.ts";
import { inbox } from "./rig.ts";

/** Waits for nothing that only paces. */
const fast = { config: { pace: "off" } };

async function hears({ rig, ana, dm }: Discord, box: ReturnType<typeof inbox>, text: string) {
  ana.sends(dm, text);
  await rig.until(text, () => box.texts().includes(text));
}

async function state({ rig }: Discord, wanted: string) {
  await rig.until(wanted, () => rig.listener.health().state === wanted);
}

it("resumes after a broken connection and hears what was said in between, once", () =>
  withDiscord(async (discord) => {
    const { fake, rig, ana, dm } = discord;
    const box = inbox();
    await rig.listener.start(box.accept);
    await hears(discord, box, "before");
    fake.gateway.drop();
    ana.sends(dm, "in the gap");
    await state(discord, "reconnecting");
    await rig.until("the gap", () => box.texts().includes("in the gap"));
    await hears(discord, box, "after");
    assert.deepEqual(box.texts(), ["before", "in the gap", "after"]);
    assert.equal(fake.counters.resumed, 1);
    assert.equal(fake.counters.identifies, 1);
    assert.equal(rig.listener.health().state, "connected");
    assert.equal(rig.listener.health().lastError, undefined);
  }, fast));

it("resumes when Discord asks it to connect anew", () =>
  withDiscord(async (discord) => {
    const { fake, rig } = discord;
    const box = inbox();
    await rig.listener.start(box.accept);
    fake.gateway.reconnect();
    await fake.waitFor(() => fake.counters.resumed === 1);
    await hears(discord, box, "after");
    assert.equal(fake.counters.identifies, 1);
  }, fast));

it("gives a connection up whose heartbeats are not answered, and resumes: no event is lost", () =>
  withDiscord(async (discord) => {
    const { fake, rig, ana, dm } = discord;
    const box = inbox();
    await rig.listener.start(box.accept);
    fake.gateway.deafen();
    fake.gateway.noHeartbeatAck();
    ana.sends(dm, "to the zombie");
    await fake.waitFor(() => fake.counters.connections >= 2);
    fake.gateway.calm();
    await rig.until("the message", () => box.texts().includes("to the zombie"));
    assert.ok(fake.counters.resumed >= 1);
    assert.deepEqual(box.texts(), ["to the zombie"]);
  }, fast));

for (const where of ["a direct chat", "a channel", "a thread"])
  it(`reads over REST what was said in ${where} when the session cannot be resumed`, () =>
    withDiscord(async (discord) => {
      const { fake, rig, ana, dm, general, thread } = discord;
      const place = { "a direct chat": dm, "a channel": general, "a thread": thread }[where] ?? dm;
      const extra = { mention: place !== dm };
      const box = inbox();
      await rig.listener.start(box.accept);
      ana.sends(place, "before", extra);
      await rig.until("the first", () => box.texts().includes("before"));
      fake.gateway.refuseResume();
      fake.gateway.drop();
      for (let n = 0; n < 120; n += 1) ana.sends(place, `gap ${n}`, extra);
      ana.sends(general, "where nothing was heard before", { mention: true });
      await rig.until("the gap", () => box.texts().includes("gap 119"));
      await rig.until("the other", () => box.texts().some((text) => text.startsWith("where")));
      ana.sends(place, "after", extra);
      await rig.until("the last", () => box.texts().includes("after"));
      const mine = box.texts().filter((text) => !text.startsWith("where"));
      const gap = Array.from({ length: 120 }, (_, n) => `gap ${n}`);
      assert.deepEqual(mine, ["before", ...gap, "after"]);
      assert.equal(fake.counters.identifies, 2);
    }, fast));

it("reads after a restart what was said in channels meanwhile, and nothing from before it was there", () =>
  withDiscord(async ({ fake, rig, ana, guild, general, thread }) => {
    ana.sends(general, "long ago", { mention: true });
    const box = inbox();
    await rig.listener.start(box.accept);
    ana.sends(general, "one", { mention: true });
    await rig.until("the first", () => box.texts().includes("one"));
    await rig.listener.stop();
    ana.sends(general, "two", { mention: true });
    ana.sends(thread, "three", { mention: true });
    const fresh = fake.thread(general, "fresh", { by: ana });
    ana.sends(fresh, "four", { mention: true });
    const other = fake.guild({ title: "New", members: [ana], joined: false });
    fake.membership(other, true, ana);
    assert.ok(guild);
    const next = rig.again?.();
    const later = inbox();
    await next?.start(later.accept);
    await rig.until("all", () => later.messages().length >= 3);
    await next?.stop();
    assert.deepEqual(box.texts(), ["one"]);
    assert.deepEqual(later.texts().sort(), ["four", "three", "two"]);
  }, fast));

for (const [name, resumable] of [
  ["anew", false],
  ["by resuming", true],
] as const)
  it(`begins ${name} after an invalid session (${resumable})`, () =>
    withDiscord(async (discord) => {
      const { fake, rig } = discord;
      const box = inbox();
      await rig.listener.start(box.accept);
      await hears(discord, box, "before");
      fake.gateway.invalidate({ resumable });
      await fake.waitFor(() =>
        resumable ? fake.counters.resumed === 1 : fake.counters.identifies === 2,
      );
      await hears(discord, box, "after");
      assert.deepEqual(box.texts(), ["before", "after"]);
    }, fast));

it("stops knocking when the intent is refused, says which, and comes back once it is switched on", () =>
  withDiscord(
    async (discord) => {
      const { fake, rig } = discord;
      const box = inbox();
      await rig.listener.start(box.accept);
      await state(discord, "unauthorised");
      assert.match(rig.listener.health().lastError ?? "", /Message Content.*Developer Portal/);
      const asked = () => fake.calls.filter(({ route }) => route === "getApplication").length;
      const before = asked();
      await rig.until("some looking", () => asked() >= before + 3);
      assert.equal(fake.counters.identifies, 1);
      fake.world.messageContentAllowed = true;
      await state(discord, "connected");
      await hears(discord, box, "hello");
      assert.equal(rig.listener.health().lastError, undefined);
    },
    { ...fast, messageContentAllowed: false },
  ));

it("says what to do about a token that is refused, at the start and later, and knocks rarely", () =>
  withDiscord(async (discord) => {
    const { fake, rig } = discord;
    await rig.listener.start(inbox().accept);
    fake.revokeToken();
    await state(discord, "unauthorised");
    assert.match(rig.listener.health().lastError ?? "", /Reset it.*set the new one/);
    const { identifies } = fake.counters;
    await rig.listener.stop();
    const next = rig.again?.();
    await next?.start(inbox().accept);
    assert.equal(next?.health().state, "unauthorised");
    await next?.stop();
    assert.equal(fake.counters.identifies, identifies);
    assert.ok(fake.calls.length < 40, `${fake.calls.length} calls`);
  }, fast));

it("goes on after refused connections, silence instead of a hello, and a start that is not answered", () =>
  withDiscord(
    async (discord) => {
      const { fake, rig } = discord;
      fake.gateway.refuseConnections(2);
      fake.gateway.noHello(1);
      fake.gateway.noReady(1);
      const box = inbox();
      await rig.listener.start(box.accept);
      await state(discord, "connected");
      await hears(discord, box, "at last");
      assert.equal(rig.listener.health().lastError, undefined);
    },
    { config: { pace: "off", deafSeconds: 0.5 } },
  ));

it("gives up resuming what is never answered, and begins anew", () =>
  withDiscord(
    async (discord) => {
      const { fake, rig, ana, dm } = discord;
      const box = inbox();
      await rig.listener.start(box.accept);
      await hears(discord, box, "before");
      fake.gateway.noReady(1);
      fake.gateway.drop();
      ana.sends(dm, "in the gap");
      await rig.until("the gap", () => box.texts().includes("in the gap"));
      assert.equal(fake.counters.identifies, 2);
      assert.deepEqual(box.texts(), ["before", "in the gap"]);
    },
    { config: { pace: "off", deafSeconds: 0.5 } },
  ));

it("notices that it is connected and deaf by the echo of its own message, and hears again by itself", () =>
  withDiscord(async (discord) => {
    const { fake, rig, ana, dm } = discord;
    const box = inbox();
    await rig.listener.start(box.accept);
    await hears(discord, box, "before");
    fake.gateway.deafen();
    ana.sends(dm, "not heard");
    await rig.listener.send(rig.direct, { plain: "anybody?" }, "k");
    assert.equal(rig.listener.health().state, "connected");
    await fake.waitFor(() => fake.counters.connections >= 2);
    fake.gateway.calm();
    await rig.until("what was said", () => box.texts().includes("not heard"));
    await state(discord, "connected");
  }, fast));

for (const code of [1000, 1001, 1006, 4000, 4001, 4002, 4003, 4005, 4007, 4008, 4009, 4999])
  it(`hears again after the gateway closed with ${code}`, () =>
    withDiscord(async (discord) => {
      const { fake, rig } = discord;
      const box = inbox();
      await rig.listener.start(box.accept);
      await hears(discord, box, "before");
      if (code === 1006) fake.gateway.drop();
      else fake.gateway.close(code);
      await hears(discord, box, "after");
      assert.deepEqual(box.texts(), ["before", "after"]);
    }, fast));

it("survives frames that are no frames", () =>
  withDiscord(
    async (discord) => {
      const { fake, rig } = discord;
      const box = inbox();
      await rig.listener.start(box.accept);
      const frames = [
        "",
        "null",
        "5",
        "{",
        '{"op":9}',
        '{"op":10}',
        '{"op":0}',
        '{"op":0,"t":"READY"}',
        '{"op":99}',
      ];
      for (const [index, frame] of frames.entries()) {
        for (const { socket } of fake.sessions) socket?.send(frame);
        await hears(discord, box, `after ${index}`);
      }
      for (const { socket } of fake.sessions) socket?.send(Buffer.from([1, 2, 3]));
      await hears(discord, box, "at the end");
    },
    { config: { pace: "off", deafSeconds: 1 } },
  ));

it("hears everything after a flood that it could not hold, once it can keep again", () =>
  withDiscord(
    async ({ rig, ana, dm, general, log }) => {
      let release = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      const box = inbox(() => held);
      await rig.listener.start(box.accept);
      ana.sends(dm, "first");
      for (let n = 0; n < 5300; n += 1) ana.sends(general, `${n}`, { mention: true });
      await rig.until("the flood", () => log.some((line) => line.startsWith("More comes in")));
      release();
      ana.sends(dm, "last");
      const keys = () => new Set(box.messages().map(({ key }) => key));
      await rig.until("all", () => keys().size === 5302);
    },
    { ...fast, heartbeatMs: 41_250 },
  ));

it("stops at any moment of connecting, and leaves nothing running", async () => {
  for (const trouble of ["noHello", "noReady", "refuseConnections", "none"] as const)
    await withDiscord(async ({ fake, rig }) => {
      if (trouble !== "none") fake.gateway[trouble](Number.POSITIVE_INFINITY);
      const started = rig.listener.start(inbox().accept);
      await fake.waitFor(() => fake.calls.some(({ route }) => route === "getGatewayBot"));
      await rig.listener.stop();
      await started;
      assert.equal(rig.listener.health().state, "stopped");
      await fake.waitFor(() => !fake.gateway.connected);
    }, fast);
});
