// The Discord listener under a gateway that misbehaves without end: it never hammers, never grows, and says how it is.
import assert from "node:assert/strict";
import { it } from "node:test";
import { type Discord, withDiscord } from "./discord-rig.ts";
import { inbox } from "./rig.ts";

const fast = { config: { pace: "off" } };

/** What every connection meets as soon as its session began or went on. */
function afterStart({ fake }: Discord, meet: () => void): () => void {
  let seen = 0;
  return fake.watch(() => {
    const { identifies, resumed } = fake.counters;
    if (identifies + resumed === seen || !fake.gateway.connected) return;
    seen = identifies + resumed;
    setImmediate(meet);
  });
}

for (const [what, meet] of [
  ["asked to connect anew", ({ fake }: Discord) => fake.gateway.reconnect()],
  ["told that its session timed out", ({ fake }: Discord) => fake.gateway.close(4009)],
] as const)
  it(`connects ever more rarely when every session is ${what} at once, and hears at last`, () =>
    withDiscord(async (discord) => {
      const { fake, rig, ana, general } = discord;
      const stop = afterStart(discord, () => meet(discord));
      const box = inbox();
      await rig.listener.start(box.accept);
      const until = performance.now() + 6000;
      await rig.until("some time", () => performance.now() > until);
      const { connections, identifies } = fake.counters;
      assert.ok(connections <= 8, `${connections} connections`);
      assert.ok(identifies <= 8, `${identifies} sessions`);
      stop();
      ana.sends(general, "at last", { mention: true });
      await rig.until("the message", () => box.texts().includes("at last"));
    }, fast));

it("waits as long as Discord says when no session may be started any more, and says so", () =>
  withDiscord(
    async (discord) => {
      const { fake, rig } = discord;
      await rig.listener.start(inbox().accept);
      assert.match(rig.listener.health().lastError ?? "", /started too often today/);
      assert.match(rig.listener.health().lastError ?? "", /24 hours/);
      const until = performance.now() + 3000;
      await rig.until("some time", () => performance.now() > until);
      const asked = fake.calls.filter(({ route }) => route === "getGatewayBot").length;
      assert.deepEqual([asked, fake.counters.connections], [1, 0]);
    },
    { ...fast, sessionStarts: 0 },
  ));

it("waits as long as Discord says when it may not even ask where to connect", () =>
  withDiscord(async ({ fake, rig }) => {
    fake.faults.limit("getGatewayBot", { retryAfter: 2, scope: "global", times: 3 });
    const started = performance.now();
    await rig.listener.start(inbox().accept);
    await rig.until("it", () => fake.calls.length >= 4);
    assert.ok(performance.now() - started > 1900);
  }, fast));

it("keeps one connection and no more memory after twenty of them", () =>
  withDiscord(
    async ({ fake, rig, ana, dm }) => {
      const box = inbox();
      await rig.listener.start(box.accept);
      const timers = () =>
        process.getActiveResourcesInfo().filter((one) => one === "Timeout").length;
      const sockets = () =>
        process.getActiveResourcesInfo().filter((one) => /TCPSocket/.test(one)).length;
      let before = { timers: 0, sockets: 0 };
      for (let n = 1; n <= 20; n += 1) {
        if (n % 2) fake.gateway.reconnect();
        else fake.gateway.drop();
        await fake.waitFor(
          () => fake.counters.resumed + fake.counters.identifies > n && fake.gateway.connected,
        );
        if (n % 10 === 0) {
          ana.sends(dm, `${n}`);
          await rig.until(`${n}`, () => box.texts().includes(`${n}`));
        }
        if (n === 10) before = { timers: timers(), sockets: sockets() };
      }
      assert.ok(timers() <= before.timers + 5, `${before.timers} timers, then ${timers()}`);
      assert.ok(sockets() <= before.sockets + 4, `${before.sockets} sockets, then ${sockets()}`);
      assert.deepEqual(box.texts(), ["10", "20"]);
    },
    { config: { pace: "off", deafSeconds: 0.1 }, heartbeatMs: 30 },
  ));

it("takes frames that come twice, backwards, early, compressed, binary or huge as they are", () =>
  withDiscord(async (discord) => {
    const { fake, rig, ana, dm } = discord;
    const box = inbox();
    await rig.listener.start(box.accept);
    const send = (frame: unknown) => {
      for (const { socket } of fake.sessions) socket?.send(frame as string);
    };
    ana.sends(dm, "one");
    await rig.until("the first", () => box.texts().includes("one"));
    send(JSON.stringify({ op: 0, t: "TYPING_START", s: 1, d: {} }));
    send(JSON.stringify({ op: 0, t: "TYPING_START", s: -5, d: {} }));
    send(Buffer.from(JSON.stringify({ op: 0, t: "NOTHING", s: 3, d: {} })));
    const big = "x".repeat(10 * 1024 * 1024);
    send(JSON.stringify({ op: 0, t: "PRESENCE_UPDATE", s: 4, d: { big } }));
    ana.sends(dm, "two");
    await rig.until("the second", () => box.texts().includes("two"));
    send(Buffer.from([0x78, 0x9c, 0, 0, 0, 0xff, 0xff]));
    ana.sends(dm, "three");
    await rig.until("the third", () => box.texts().includes("three"));
    assert.deepEqual([...new Set(box.texts())], ["one", "two", "three"]);
    assert.ok(fake.counters.identifies <= 2);
  }, fast));

it("takes a thousand servers in its stride, and reads nothing there that it has not missed", () =>
  withDiscord(async ({ fake, rig, ana, dm }) => {
    for (let n = 0; n < 1000; n += 1) fake.guild({ title: `${n}`, members: [ana] });
    const box = inbox();
    const started = performance.now();
    await rig.listener.start(box.accept);
    ana.sends(dm, "hi");
    await rig.until("the message", () => box.texts().includes("hi"));
    assert.ok(performance.now() - started < 5000);
    assert.ok(fake.calls.length < 10, `${fake.calls.length} calls`);
    assert.deepEqual(box.texts(), ["hi"]);
    assert.equal(box.events.length, 1);
  }, fast));
