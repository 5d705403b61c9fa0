// The channel contract on the real Slack listener, over sockets and over HTTP, against the fake Slack; and what only
// Slack has on its way in.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { it } from "node:test";
import type { InboundMessage } from "../../src/core/events.ts";
import { channelContract } from "./channel-contract.ts";
import { inbox } from "./rig.ts";
import { openSlack, type SlackOptions } from "./slack-rig.ts";

channelContract("slack", async () => (await openSlack()).rig);
channelContract("slack over http", async () => (await openSlack({ mode: "http" })).rig);

type Slack = Awaited<ReturnType<typeof openSlack>>;

async function hearing(
  work: (slack: Slack & { box: ReturnType<typeof inbox> }) => Promise<void>,
  options: SlackOptions = {},
): Promise<void> {
  const slack = await openSlack(options);
  const box = inbox();
  try {
    await slack.rig.listener.start(box.accept);
    await work({ ...slack, box });
  } finally {
    await slack.rig.listener.stop();
    await slack.rig.close();
  }
}

/** Whatever came before it has been heard, or never will be. */
async function heardBefore({ ana, dm, rig, box }: Slack & { box: ReturnType<typeof inbox> }) {
  const mark = `the end ${randomUUID()}`;
  ana.sends(dm, mark);
  await rig.until("the end", () => box.texts().includes(mark));
  return box.events.filter(
    (event) => event.kind !== "message" || !event.text.startsWith("the end "),
  );
}

it("takes a post that mentions the app once, though Slack tells of it twice", () =>
  hearing(async (slack) => {
    const ts = slack.ana.sends(slack.work, "do it", { mention: true });
    const events = await heardBefore(slack);
    assert.equal(slack.fake.deliveries.all.filter(({ kind }) => kind === "events_api").length, 4);
    assert.deepEqual(
      events.map(({ key }) => key),
      [`${slack.fake.me.team}:${slack.work}:${ts}`],
    );
  }));

it("takes an event once that Slack sends again because storing it took long", async () => {
  const slack = await openSlack({ server: { ackMs: 100, retryMs: [50, 50, 50, 50, 50, 50] } });
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const box = inbox(() => held);
  try {
    await slack.rig.listener.start(box.accept);
    slack.ana.sends(slack.dm, "once");
    const sent = () => slack.fake.deliveries.all.at(-1)?.envelopes.length ?? 0;
    await slack.rig.until("a second attempt", () => sent() >= 2);
    release();
    await slack.rig.until("the acknowledgement", () => slack.fake.unconfirmed === 0);
    assert.deepEqual(box.texts(), ["once"]);
  } finally {
    await slack.rig.listener.stop();
    await slack.rig.close();
  }
});

it("takes what comes for the first time as a retry, and what comes again after five minutes not twice", () =>
  hearing(async (slack) => {
    const { fake, ana, dm, box, rig } = slack;
    fake.faults.hang("envelope");
    ana.sends(dm, "only as a retry");
    fake.deliveries.again();
    await rig.until("the message", () => box.events.length === 1);
    const [first] = fake.deliveries.all.slice(-1);
    assert.equal(first?.attempt, 1);
    fake.send("events_api", { ...first?.payload, event_id: "Ev0000000002" });
    fake.send("events_api", { ...first?.payload, event_id: "Ev0000000003" });
    assert.equal((await heardBefore(slack)).length, 1);
  }));

it("hears nothing in previews, languages, deletions and comings, and a reply to the channel once", () =>
  hearing(async (slack) => {
    const { fake, ana, ben, dm, work, topic } = slack;
    const ts = ana.sends(dm, "look at https://example.org");
    fake.unfurl(ts);
    fake.detectLanguage(ts);
    const gone = ana.sends(dm, "oops");
    ana.deletes(gone);
    const carl = fake.user({ name: "Carl" });
    carl.joins(work);
    ben.leaves(work);
    ana.sends(work, "also here", { thread: topic, broadcast: true });
    const said = (await heardBefore(slack)).filter(({ kind }) => kind === "message");
    const texts = said.map((event) => (event as InboundMessage).text);
    assert.deepEqual(texts, ["look at https://example.org", "oops", "also here"]);
    assert.equal(said.at(-1)?.chat.thread, topic);
  }));

it("tells of a message that a person changed, under the key of the first", () =>
  hearing(async (slack) => {
    const { ana, dm } = slack;
    const ts = ana.sends(dm, "delete a.txt");
    ana.edits(ts, "delete b.txt");
    const [first, changed] = (await heardBefore(slack)) as InboundMessage[];
    assert.deepEqual(changed?.edited, { key: first?.key });
    assert.equal(changed?.text, "delete b.txt");
    assert.notEqual(changed?.key, first?.key);
  }));

it("answers a mention in its thread, and hears a reply below its own message without one", () =>
  hearing(
    async (slack) => {
      const { ana, ben, work, topic, rig, fake } = slack;
      const top = ana.sends(work, "start", { mention: true });
      ana.sends(work, "inside", { mention: true, thread: topic });
      const [start, inside] = (await heardBefore(slack)) as InboundMessage[];
      assert.deepEqual([start?.chat.thread, inside?.chat.thread], [top, topic]);
      const to = { listener: "slack", chat: work, thread: top };
      await rig.listener.send(to, { plain: "here" }, "a1");
      assert.equal(fake.messages(work).at(-1)?.thread, top);
      const own = await rig.listener.send(
        { listener: "slack", chat: work },
        { plain: "mine" },
        "a2",
      );
      ben.sends(work, "and you?", { thread: own.id });
      ben.sends(work, "among us", { thread: topic });
      const [reply, talk] = ((await heardBefore(slack)) as InboundMessage[]).slice(2);
      assert.deepEqual([reply?.addressed, talk?.addressed], [true, false]);
    },
    { config: { replies: "thread" } },
  ));

it("tells people of two workspaces apart, and guests by their own id", () =>
  hearing(async (slack) => {
    const { fake, ana } = slack;
    const guest = fake.user({ name: "Gus", guest: true });
    const stranger = fake.user({ name: "Sam", team: "T0000000099" });
    const shared = fake.channel({ name: "shared", members: [ana, guest, stranger], shared: true });
    for (const person of [ana, guest, stranger]) person.sends(shared, "hello", { mention: true });
    const accounts = (await heardBefore(slack)).map(({ sender }) => sender.account);
    const home = fake.me.team;
    assert.deepEqual(accounts, [
      `${home}:${ana.id}`,
      `${home}:${guest.id}`,
      `T0000000099:${stranger.id}`,
    ]);
  }));

it("shows the names that people see, also of those who are named", () =>
  hearing(async (slack) => {
    const { ana, ben, dm } = slack;
    ana.sends(dm, `ask <@${ben.id}> &amp; me`, { raw: true });
    const [said] = (await heardBefore(slack)) as InboundMessage[];
    assert.deepEqual([said?.sender.name, said?.text], ["Ana", "ask @Ben & me"]);
  }));

it("says who brought it into a channel, and that it was taken out", () =>
  hearing(async (slack) => {
    const { fake, ana } = slack;
    const room = fake.channel({ name: "ops", members: [ana], joined: false });
    ana.invites(room, fake.me);
    ana.removes(room, fake.me);
    const events = await heardBefore(slack);
    const changes = events.flatMap((event) => (event.kind === "chat" ? [event] : []));
    const [added, removed] = changes;
    assert.deepEqual([added?.change, added?.title, removed?.change], ["added", "ops", "removed"]);
    assert.equal(added?.sender.account, `${fake.me.team}:${ana.id}`);
  }));

it("takes a slash command as a command of its own, and answers it in private, wherever it was written", () =>
  hearing(async (slack) => {
    const { fake, ana, ben, dm, box, rig } = slack;
    const foreign = fake.channel({ name: "foreign", members: [ana, ben], joined: false });
    ana.slash(foreign, "/sallyport", "tasks");
    ana.slash(dm, "/sallyport", "join K7Q2-9XF4");
    ana.slash(dm, "/sallyport");
    await rig.until("the commands", () => box.events.length === 3);
    const [tasks, join, help] = box.messages();
    assert.deepEqual([tasks?.text, join?.text, help?.text], ["/tasks", "/join K7Q2-9XF4", "/help"]);
    assert.deepEqual([tasks?.chat.kind, join?.chat], ["group", { id: dm, kind: "direct" }]);
    assert.deepEqual([tasks?.addressed, tasks?.message.id], [true, ""]);
    const account = tasks?.sender.account ?? "";
    const to = { listener: "slack", chat: foreign };
    assert.ok(tasks?.press);
    await rig.listener.whisper?.(to, { account, press: tasks.press }, { plain: "None yet." });
    assert.deepEqual(
      fake.ephemerals(ana).map(({ text }) => text),
      ["None yet."],
    );
    await assert.rejects(
      async () => rig.listener.whisper?.(to, { account }, { plain: "and more" }),
      { kind: "gone" },
    );
  }));

it("goes on in its own conversation with a person who sends a command in one with somebody else", () =>
  hearing(async (slack) => {
    const { fake, ana, ben, dm, box, rig } = slack;
    const theirs = fake.world.addRoom({ name: "", kind: "im", members: [ana.id, ben.id] });
    ana.slash(theirs.id, "/sallyport", "status");
    await rig.until("the command", () => box.events.length === 1);
    assert.deepEqual(box.messages()[0]?.chat, { id: dm, kind: "direct" });
  }));

it("hears a press on a message of before a restart, by whoever it was", () =>
  hearing(async (slack) => {
    const { fake, ben, work, rig, open } = slack;
    const buttons = [{ label: "Allow", data: "opaque" }];
    const to = { listener: "slack", chat: work };
    const ref = await rig.listener.send(to, { plain: "May I?", buttons }, "c1");
    await rig.listener.stop();
    const next = open();
    const later = inbox();
    await next.start(later.accept);
    ben.presses(ref.id, "Allow");
    await rig.until("the press", () => later.events.some(({ kind }) => kind === "press"));
    const press = later.events.find(({ kind }) => kind === "press");
    assert.ok(press?.kind === "press");
    assert.deepEqual([press.data, press.message], ["opaque", ref]);
    assert.equal(press.sender.account, `${fake.me.team}:${ben.id}`);
    await next.answerPress?.(press.press, "Only the person who asked can answer this.");
    await next.edit?.(ref, { plain: "Expired." });
    assert.deepEqual(fake.ephemerals(ben).map(({ text }) => text).length, 1);
    assert.deepEqual(fake.messages(work).find(({ ts }) => ts === ref.id)?.buttons, []);
    await next.stop();
  }));
