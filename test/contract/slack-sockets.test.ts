// Socket Mode in bad weather: sockets that end, hang, are too many or deaf, and what was said meanwhile.
import assert from "node:assert/strict";
import { it } from "node:test";
import { inbox } from "./rig.ts";
import { openSlack, type SlackOptions } from "./slack-rig.ts";

type Slack = Awaited<ReturnType<typeof openSlack>>;
type Box = ReturnType<typeof inbox>;

interface Options extends SlackOptions {
  /** Sockets that the fake itself cannot see the end of. */
  readonly left?: number;
}

async function listening(
  work: (slack: Slack & { box: Box }) => Promise<void>,
  { left = 0, ...options }: Options = {},
): Promise<void> {
  const rejected: unknown[] = [];
  const note = (error: unknown) => rejected.push(error);
  process.on("unhandledRejection", note);
  const slack = await openSlack(options);
  const box = inbox();
  try {
    await slack.rig.listener.start(box.accept);
    await work({ ...slack, box });
    await slack.rig.listener.stop();
    await slack.rig.until("the end of all sockets", () => slack.fake.sockets.open === left);
  } finally {
    await slack.rig.listener.stop();
    await slack.rig.close();
    process.off("unhandledRejection", note);
  }
  assert.deepEqual(rejected, []);
}

async function hearsNext({ ana, dm, rig, box }: Slack & { box: Box }, text: string) {
  ana.sends(dm, text);
  await rig.until(text, () => box.texts().includes(text));
}

const reasons = ["warning", "refresh_requested"] as const;
for (const reason of reasons)
  it(`opens another socket after ${reason}, loses nothing and takes nothing twice`, () =>
    listening(async (slack) => {
      const { fake, ana, dm, rig, box } = slack;
      const wanted: string[] = [];
      for (let round = 0; round < 3; round += 1) {
        const before = fake.sockets.opened;
        ana.sends(dm, `before ${round}`);
        fake.sockets.disconnect(reason);
        ana.sends(dm, `after ${round}`);
        wanted.push(`before ${round}`, `after ${round}`);
        await rig.until("another socket", () => fake.sockets.opened > before);
        await rig.until("both", () => box.events.length === wanted.length);
      }
      assert.deepEqual(box.texts().toSorted(), wanted.toSorted());
      assert.ok(fake.sockets.most <= 2, `${fake.sockets.most} sockets at once`);
    }));

it("comes back after a connection that broke, soon, and without a socket left over", () =>
  listening(async (slack) => {
    const { fake } = slack;
    for (const text of ["one", "two", "three"]) {
      fake.sockets.drop();
      await hearsNext(slack, text);
    }
    assert.equal(fake.sockets.open, 1);
    assert.ok(fake.sockets.most <= 2);
    assert.deepEqual(slack.box.texts(), ["one", "two", "three"]);
  }));

it("notices a socket that nothing comes through any more", () =>
  listening(
    async (slack) => {
      await hearsNext(slack, "before");
      slack.fake.sockets.halfOpen();
      await hearsNext(slack, "after");
      assert.equal(slack.rig.listener.health().state, "connected");
    },
    { left: 1 },
  ));

it("is deaf when Slack tells it of nothing, not even of its own messages, and says so until it hears", () =>
  listening(
    async (slack) => {
      const { fake, rig, ana, dm, box } = slack;
      await hearsNext(slack, "before");
      fake.sockets.deafen();
      await rig.listener.send(rig.direct, { plain: "hello?" }, "d1");
      await rig.until("deafness", () => rig.listener.health().state === "deaf");
      assert.match(rig.listener.health().lastError ?? "", /event subscriptions/);
      ana.sends(dm, "do you hear me?");
      fake.sockets.hear();
      await rig.until("the message", () => box.texts().includes("do you hear me?"));
      assert.equal(rig.listener.health().state, "connected");
    },
    { config: { deafSeconds: 0.5 } },
  ));

it("waits longer each time while too many sockets are open, and says why", () =>
  listening(async (slack) => {
    const { fake, rig } = slack;
    const asked = () =>
      fake.calls.filter(({ method }) => method === "apps.connections.open").length;
    await hearsNext(slack, "before");
    const before = asked();
    fake.sockets.disconnect("too_many_websockets");
    await rig.until("the state", () =>
      /Too many sockets/.test(rig.listener.health().lastError ?? ""),
    );
    assert.equal(rig.listener.health().state, "reconnecting");
    await hearsNext(slack, "still there");
    assert.equal(asked(), before + 1);
  }));

it("says what to do when Socket Mode was switched off", () =>
  listening(async ({ fake, rig }) => {
    fake.sockets.disconnect("link_disabled");
    await rig.until("the state", () => rig.listener.health().state === "unauthorised");
    assert.match(rig.listener.health().lastError ?? "", /Switch it on/);
  }));

it("says that the app was taken out of the workspace", () =>
  listening(async ({ fake, rig }) => {
    fake.uninstall();
    await rig.until("the state", () => rig.listener.health().state === "unauthorised");
    assert.match(rig.listener.health().lastError ?? "", /account_inactive/);
  }));

it("goes on after addresses that Slack does not give, and after what has no event in it", () =>
  listening(async (slack) => {
    const { fake, rig } = slack;
    fake.faults.fail("apps.connections.open");
    fake.faults.dropBefore("apps.connections.open");
    fake.faults.rateLimit("apps.connections.open", 1);
    fake.sockets.drop();
    await rig.until("trouble", () => rig.listener.health().state === "reconnecting");
    await hearsNext(slack, "hello");
    fake.send("events_api", { type: "app_rate_limited", team_id: fake.me.team });
    fake.send("events_api", { type: "event_callback", event: { type: "message", ts: 7 } });
    fake.send("interactive", { type: "view_submission" });
    await hearsNext(slack, "and on");
  }));

it("asks for what was said while it was away, in conversations and threads, and in order", async () => {
  const slack = await openSlack({ config: { replies: "thread" } });
  const { fake, ana, dm, work, rig, open } = slack;
  const box = inbox();
  await rig.listener.start(box.accept);
  ana.sends(dm, "first");
  const top = ana.sends(work, "begin", { mention: true });
  await rig.until("both", () => box.events.length === 2);
  await rig.listener.stop();
  ana.sends(dm, "missed one");
  ana.sends(dm, "missed two");
  ana.sends(work, "missed at the top");
  ana.sends(work, "missed below", { mention: true, thread: top });
  // Slack no longer tells of any of these.
  fake.deliveries.close();
  const next = open();
  const later = inbox();
  await next.start(later.accept);
  await rig.until("all of it", () => later.events.length === 4);
  await next.stop();
  const direct = later.messages().filter(({ chat }) => chat.id === dm);
  assert.deepEqual(
    direct.map(({ text }) => text),
    ["missed one", "missed two"],
  );
  const below = later.messages().find(({ text }) => text === "missed below");
  assert.deepEqual([below?.chat.thread, below?.addressed], [top, true]);
  await rig.close();
});

it("does without the past where it may not read it", async () => {
  const slack = await openSlack();
  const { fake, ana, dm, rig, open } = slack;
  const box = inbox();
  await rig.listener.start(box.accept);
  ana.sends(dm, "first");
  await rig.until("it", () => box.events.length === 1);
  await rig.listener.stop();
  fake.scopes.delete("im:history");
  const next = open();
  const later = inbox();
  await next.start(later.accept);
  ana.sends(dm, "now");
  await rig.until("it", () => later.texts().includes("now"));
  await next.stop();
  await rig.close();
});
