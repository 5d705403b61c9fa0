// The Discord listener and what was said while it could not hear or keep: all of it, in order, once.
import assert from "node:assert/strict";
import { it } from "node:test";
import { type Discord, withDiscord } from "./discord-rig.ts";
import { inbox } from "./rig.ts";

const fast = { config: { pace: "off" } };

it("reads after an hour away what five channels, three direct chats, a thread and a new post hold", () =>
  withDiscord(async (discord) => {
    const { fake, rig, ana, general, thread, log } = discord;
    const { channels, directs, forum } = manyRooms(discord);
    const first = inbox();
    await rig.listener.start(first.accept);
    for (const channel of channels) ana.sends(channel, "before", { mention: true });
    for (const { person, room } of directs) person.sends(room, "before");
    await rig.until("the first", () => first.events.length === 8);
    await rig.listener.stop();
    for (let n = 0; n < 300; n += 1)
      ana.sends(channels[n % 5] ?? general, `${n}`, { mention: true });
    for (const { person, room } of directs) person.sends(room, `d${room.id}`);
    ana.sends(thread, "t", { mention: true });
    fake.post(forum, { title: "New", text: "p", by: ana, extra: { mention: true } });
    fake.forbid(channels[4] ?? general, "ViewChannel");
    fake.faults.limit("getMessages", { retryAfter: 0.3, times: 2 });
    fake.faults.fail("getMessages", { times: 2 });
    log.length = 0;
    const box = inbox();
    const next = rig.again?.();
    await next?.start(box.accept);
    await rig.until("all", () => box.messages().length >= 240 + 3 + 2);
    ana.sends(general, "live", { mention: true });
    await rig.until("the last", () => box.texts().includes("live"));
    await next?.stop();
    for (const [index, { id }] of channels.slice(0, 4).entries()) {
      const its = box.messages().filter(({ chat }) => chat.id === id && !chat.thread);
      const wanted = Array.from({ length: 60 }, (_, n) => `${n * 5 + index}`);
      const live = index === 0 ? ["live"] : [];
      assert.deepEqual(
        its.map(({ text }) => text),
        [...wanted, ...live],
      );
    }
    const others = box.texts().filter((text) => /^[dtp]/.test(text));
    const wanted = [...directs.map(({ room }) => `d${room.id}`), "p", "t"];
    assert.deepEqual(others.sort(), wanted.sort());
    assert.equal(new Set(box.messages().map(({ key }) => key)).size, box.messages().length);
    assert.deepEqual(
      log.filter((line) => line.includes("could not be read")),
      [],
    );
  }, fast));

function manyRooms({ fake, ana, ben, guild, general, dm }: Discord) {
  const eve = fake.user({ name: "Eve" });
  fake.join(guild, eve);
  const more = ["a", "b", "c", "lost"].map((name) => fake.textChannel(guild, name));
  const directs = [
    { person: ana, room: dm },
    { person: ben, room: fake.dm(ben) },
    { person: eve, room: fake.dm(eve) },
  ];
  return { channels: [general, ...more], directs, forum: fake.forum(guild, "ideas") };
}

it("hears with the notes of another bot, and forgets rooms that are not its own", () =>
  withDiscord(async ({ fake, rig, ana, dm, general, kept }) => {
    const later = String(BigInt(Date.now() - 1_420_070_400_000) << 22n);
    for (const name of ["direct:1234567", `group:${general.id}`, "seen"]) kept.set(name, later);
    const box = inbox();
    await rig.listener.start(box.accept);
    ana.sends(dm, "one");
    ana.sends(general, "two", { mention: true });
    await rig.until("both", () => box.events.length === 2);
    await rig.listener.stop();
    assert.equal(kept.get("direct:1234567"), undefined);
    assert.equal(fake.calls.filter(({ status }) => status === 404 || status === 403).length, 1);
  }, fast));

it("loses nothing when it ends in the middle of reading what it missed", () =>
  withDiscord(async ({ fake, rig, ana, guild, general }) => {
    const quiet = fake.textChannel(guild, "quiet");
    const first = inbox();
    await rig.listener.start(first.accept);
    ana.sends(general, "before", { mention: true });
    await rig.until("the first", () => first.events.length === 1);
    await rig.listener.stop();
    ana.sends(quiet, "in the quiet one", { mention: true });
    ana.sends(general, "in the loud one", { mention: true });
    const held = fake.faults.stallAt("getMessages", {
      match: ({ channel }) => channel === quiet.id,
    });
    const box = inbox();
    const middle = rig.again?.();
    await middle?.start(box.accept);
    await held.arrived;
    await middle?.stop();
    held.release();
    assert.deepEqual(box.texts(), ["in the loud one"]);
    const last = rig.again?.();
    await last?.start(box.accept);
    await rig.until("the rest", () => box.texts().includes("in the quiet one"));
    await last?.stop();
  }, fast));

for (const [what, value] of [
  ["no number", "x"],
  ["empty", ""],
  ["far in the future", "99999999999999999999"],
  ["of tomorrow", String(BigInt(Date.now() + 30 * 3_600_000 - 1_420_070_400_000) << 22n)],
  ["long ago", "1"],
] as const)
  it(`hears on with notes that are ${what}`, () =>
    withDiscord(async (discord) => {
      const { rig, ana, dm, general, kept } = discord;
      const first = inbox();
      await rig.listener.start(first.accept);
      ana.sends(dm, "one");
      ana.sends(general, "two", { mention: true });
      await rig.until("the first", () => first.events.length === 2);
      await rig.listener.stop();
      for (const name of kept.keys()) kept.set(name, value);
      kept.set("direct:../x", "5");
      const box = inbox();
      const next = rig.again?.();
      await next?.start(box.accept);
      ana.sends(dm, "three");
      ana.sends(general, "four", { mention: true });
      await rig.until(
        "the next",
        () => box.texts().includes("three") && box.texts().includes("four"),
      );
      await next?.stop();
      ana.sends(dm, "five");
      ana.sends(general, "six", { mention: true });
      const later = inbox();
      const last = rig.again?.();
      await last?.start(later.accept);
      await rig.until("what came meanwhile", () => later.messages().length >= 2);
      await last?.stop();
      assert.ok(later.texts().includes("five") && later.texts().includes("six"));
    }, fast));

it("keeps the order, and direct chats it had not seen, when more came than it could hold", () =>
  withDiscord(
    async ({ fake, rig, ana, ben, general, log, dm }) => {
      let release = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      const box = inbox(() => held);
      await rig.listener.start(box.accept);
      ana.sends(dm, "first");
      for (let n = 0; n < 5200; n += 1) ana.sends(general, `${n}`, { mention: true });
      await rig.until("the flood", () => log.some((line) => line.startsWith("More comes in")));
      ben.sends(fake.dm(ben), "a first word");
      release();
      let more = 0;
      const keys = () => new Map(box.messages().map(({ key, text }) => [key, text]));
      while (!box.texts().includes("5199")) {
        ana.sends(general, `more ${more++}`, { mention: true });
        await rig.until("some", () => keys().size > 100);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      ana.sends(general, "the end", { mention: true });
      await rig.until("ben", () => box.texts().includes("a first word"));
      await rig.until("the end", () => box.texts().includes("the end"));
      const said = fake
        .messages(general)
        .map(({ text }) => text.replace(/^@\S+ /, "").replace(/^<@\d+> /, ""));
      const heard = [...keys().values()].filter(
        (text) => text !== "first" && text !== "a first word",
      );
      assert.deepEqual(
        heard,
        said.filter((text) => heard.includes(text)),
      );
      assert.equal(heard.length, 5201 + more);
    },
    { ...fast, heartbeatMs: 41_250 },
  ));

it("is not kept from hearing by direct chats that cannot be read", () =>
  withDiscord(
    async (discord: Discord) => {
      const { fake, rig, ana, dm, kept } = discord;
      for (let n = 0; n < 40; n += 1)
        kept.set(
          `direct:${n + 1000}`,
          String(BigInt(Date.now() - 60_000 - 1_420_070_400_000) << 22n),
        );
      kept.set(`direct:${dm.id}`, "1");
      ana.sends(dm, "missed");
      fake.faults.fail("getMessages", { times: Number.POSITIVE_INFINITY });
      const box = inbox();
      await rig.listener.start(box.accept);
      const started = performance.now();
      ana.sends(dm, "live");
      await rig.until("the message", () => box.texts().includes("live"));
      assert.ok(performance.now() - started < 15_000);
      ana.sends(dm, "meanwhile");
      fake.faults.clear();
      await rig.until("the rest", () => box.texts().includes("missed"));
    },
    { ...fast },
  ));
