// After a long outage: everything that was missed, once and in order, whatever fails or is said while it is asked for.
import assert from "node:assert/strict";
import { it } from "node:test";
import { inbox } from "./rig.ts";
import { openSlack, type SlackOptions } from "./slack-rig.ts";

type Slack = Awaited<ReturnType<typeof openSlack>>;
type Box = ReturnType<typeof inbox>;
interface Later extends Slack {
  readonly box: Box;
  readonly next: ReturnType<Slack["open"]>;
}

/** `missed` is said while nobody listens, and Slack tells of none of it; then another process starts. */
async function afterOutage(
  missed: (slack: Slack) => void,
  work: (later: Later) => Promise<void>,
  options: SlackOptions = {},
): Promise<void> {
  const slack = await openSlack(options);
  const { fake, ana, dm, work: channel, rig, open } = slack;
  const before = inbox();
  await rig.listener.start(before.accept);
  ana.sends(dm, "before");
  ana.sends(channel, "before");
  await rig.until("both", () => before.events.length === 2);
  await rig.listener.stop();
  missed(slack);
  fake.deliveries.close();
  const next = open();
  const box = inbox();
  try {
    await work({ ...slack, box, next });
  } finally {
    await next.stop();
    await rig.close();
  }
}

const textsIn = (box: Box, id: string) =>
  box.messages().flatMap(({ chat, text }) => (chat.id === id ? [text] : []));

it("reads an hour with 300 messages in each of three conversations, under Slack's limits", async () => {
  const slack = await openSlack();
  const { fake, ana, ben, dm, work, rig, open } = slack;
  const other = fake.channel({ name: "other", members: [ana, ben], kind: "group" });
  const places = [dm, work, other];
  const before = inbox();
  await rig.listener.start(before.accept);
  for (const place of places) ana.sends(place, "before");
  await rig.until("all three", () => before.events.length === 3);
  await rig.listener.stop();
  const wanted = Array.from({ length: 300 }, (_, n) => `missed ${n}`);
  for (const text of wanted) for (const place of places) ana.sends(place, text);
  fake.deliveries.close();
  fake.faults.rateLimit("conversations.history", 1, { times: 2 });
  const box = inbox();
  const next = open();
  await next.start(box.accept);
  await rig.until("all of them", () => box.events.length >= 900);
  for (const place of places) assert.deepEqual(textsIn(box, place), wanted);
  assert.equal(new Set(box.events.map(({ key }) => key)).size, box.events.length);
  await next.stop();
  const again = inbox();
  const third = open();
  await third.start(again.accept);
  ana.sends(dm, "now");
  await rig.until("it", () => again.events.length === 1);
  assert.deepEqual(again.texts(), ["now"]);
  await third.stop();
  await rig.close();
});

it("asks again when what was missed could not be asked for, though newer things are heard meanwhile", () =>
  afterOutage(
    ({ ana, dm, work }) => {
      ana.sends(dm, "missed");
      ana.sends(work, "missed");
    },
    async ({ fake, rig, ana, dm, work, box, next }) => {
      fake.faults.drop("conversations.history", { times: 2 });
      await next.start(box.accept);
      ana.sends(dm, "now");
      await rig.until("all", () => box.events.length === 3);
      assert.deepEqual(textsIn(box, work), ["missed"]);
      assert.deepEqual(textsIn(box, dm).toSorted(), ["missed", "now"]);
    },
  ));

it("still reads a gap after the socket broke while it was asked for", () =>
  afterOutage(
    ({ ana, dm, work }) => {
      ana.sends(dm, "missed");
      ana.sends(work, "missed");
    },
    async ({ fake, rig, ana, dm, work, box, next }) => {
      // Slack wants a pause that outlasts the socket.
      fake.faults.rateLimit("conversations.history", 3600);
      await next.start(box.accept);
      ana.sends(dm, "now");
      ana.sends(work, "now");
      await rig.until("what is told", () => box.events.length === 2);
      fake.sockets.drop();
      await rig.until("what was missed", () => box.events.length === 4);
      for (const place of [dm, work])
        assert.deepEqual(textsIn(box, place).toSorted(), ["missed", "now"]);
    },
  ));

it("still reads a gap in the run after one that could not", () =>
  afterOutage(
    ({ ana, dm }) => void ana.sends(dm, "missed"),
    async ({ fake, rig, ana, dm, box, next, open }) => {
      fake.faults.rateLimit("conversations.history", 3600, { times: 10 });
      await next.start(box.accept);
      ana.sends(dm, "now");
      await rig.until("what is told", () => box.events.length === 1);
      await next.stop();
      fake.faults.clear();
      const third = open();
      const later = inbox();
      await third.start(later.accept);
      await rig.until("the rest", () => later.texts().includes("missed"));
      await third.stop();
    },
  ));

it("reads past a conversation that Slack says something unheard of about", () =>
  afterOutage(
    ({ ana, dm, work }) => {
      ana.sends(dm, "missed");
      ana.sends(work, "missed");
    },
    async ({ fake, rig, box, next }) => {
      fake.faults.error("conversations.history", "something_new");
      await next.start(box.accept);
      await rig.until("the other one", () => box.events.length === 1);
    },
  ));

it("takes each event once, in order, while nothing can be stored for long and Slack sends it again and again", async () => {
  const { fake, ana, dm, rig } = await openSlack({ server: { ackMs: 100, retryMs: [50, 50, 50] } });
  let full = true;
  const box = inbox(async () => {
    if (full) throw new Error("ENOSPC: no space left on device");
  });
  await rig.listener.start(box.accept);
  const wanted = Array.from({ length: 20 }, (_, n) => `m${n}`);
  for (const text of wanted) ana.sends(dm, text);
  await rig.until("Slack gives up", () => fake.unconfirmed === 0);
  assert.match(rig.listener.health().lastError ?? "", /cannot be stored/);
  full = false;
  await rig.until("all of them", () => box.events.length >= wanted.length);
  assert.deepEqual(box.texts(), wanted);
  await rig.listener.stop();
  await rig.close();
});

it("reads on in HTTP mode, too, once Slack can be reached again", async () => {
  const { fake, ana, dm, rig } = await openSlack({ mode: "http" });
  const box = inbox();
  await rig.listener.start(box.accept);
  ana.sends(dm, "before");
  await rig.until("it", () => box.events.length === 1);
  fake.faults.dropBefore("auth.test", { times: 2 });
  await rig.until("trouble", () => rig.listener.health().state === "reconnecting");
  // Slack reaches nobody and gives up.
  fake.faults.hang("envelope", { times: 1 });
  ana.sends(dm, "missed");
  fake.deliveries.close();
  await rig.until("what was missed", () => box.texts().includes("missed"));
  assert.equal(rig.listener.health().state, "connected");
  await rig.listener.stop();
  await rig.close();
});
