// The channel contract on the real Discord listener, against the fake Discord; and what only Discord has on its way in.
import assert from "node:assert/strict";
import { it } from "node:test";
import { channelContract } from "./channel-contract.ts";
import { openDiscord, withDiscord } from "./discord-rig.ts";
import { inbox } from "./rig.ts";

channelContract("discord", async () => (await openDiscord()).rig);

it("hears a mention and a reply to it, and cuts its name out", () =>
  withDiscord(async ({ fake, rig, ana, ben, general }) => {
    const box = inbox();
    await rig.listener.start(box.accept);
    const { id } = await rig.listener.send(
      { ...rig.direct, chat: general.id },
      { plain: "hi" },
      "k",
    );
    ana.sends(general, `<@${fake.me.id}>, ask <@${ben.id}> about <#${general.id}>`);
    ana.sends(general, "yes", { replyTo: id });
    ben.sends(general, "no", { replyTo: id, quietReply: true });
    ana.sends(general, `look, <@${fake.me.id}> is here`);
    ana.sends(general, `\`<@${fake.me.id}>\` is code`);
    await rig.until("all", () => box.events.length === 5);
    assert.deepEqual(
      box.messages().map(({ text, addressed, quote }) => [text, addressed, quote?.ours]),
      [
        ["ask @Ben about #general", true, undefined],
        ["yes", true, true],
        ["no", true, true],
        ["look, @sallyport is here", true, undefined],
        [`\`@sallyport\` is code`, false, undefined],
      ],
    );
  }));

it("hears the first message of a forum post, of a new thread, and of a thread it was never told of", () =>
  withDiscord(async ({ fake, rig, ana, guild, general, thread }) => {
    const forum = fake.forum(guild, "ideas");
    const box = inbox();
    await rig.listener.start(box.accept);
    const post = fake.post(forum, {
      title: "One",
      text: "an idea",
      by: ana,
      extra: { mention: true },
    });
    const fresh = fake.thread(general, "fresh", { by: ana });
    ana.sends(fresh, "in here", { mention: true });
    fake.changeChannel(thread, { archived: true });
    ana.sends(thread, "back again", { mention: true });
    await rig.until("all", () => box.events.length === 3);
    assert.deepEqual(
      box.messages().map(({ chat, text }) => [chat.id, chat.thread, text]),
      [
        [forum.id, post.id, "an idea"],
        [general.id, fresh.id, "in here"],
        [general.id, thread.id, "back again"],
      ],
    );
    const to = { listener: "discord", chat: forum.id, thread: post.id };
    const ref = await rig.listener.send(to, { plain: "good" }, "k");
    assert.deepEqual(ref, { chat: forum.id, id: ref.id, thread: post.id });
    assert.equal(fake.messages(post).at(-1)?.text, "good");
  }));

it("hears attachments, and says what it cannot read, without stumbling", () =>
  withDiscord(async ({ rig, ana, dm, general }) => {
    const box = inbox();
    await rig.listener.start(box.accept);
    const gone = ana.sends(general, "soon gone").messageId;
    ana.deletes(general, gone);
    ana.sends(dm, "", { files: [{ name: "a b.txt", content: "x" }] });
    ana.sends(dm, "", { raw: { sticker_items: [{ id: "1", name: "cat", format_type: 1 }] } });
    ana.sends(dm, "", { raw: { poll: { question: { text: "?" }, answers: [] } } });
    ana.sends(dm, "", { files: [{ name: "voice.ogg", content: "x" }], raw: { flags: 1 << 13 } });
    ana.sends(general, "to what is gone", { replyTo: gone, mention: true });
    await rig.until("all", () => box.events.length === 6);
    const seen = box.messages().slice(1);
    assert.deepEqual(
      seen.map(({ unreadable, files, quote }) => [unreadable, files.length, quote]),
      [
        [undefined, 1, undefined],
        ["a sticker", 0, undefined],
        ["a poll", 0, undefined],
        ["a voice message", 0, undefined],
        [undefined, 0, undefined],
      ],
    );
    assert.equal(seen[0]?.files[0]?.name, "a b.txt");
  }));

it("tells an edit as an edit, and neither a preview nor a deletion as anything", () =>
  withDiscord(async ({ fake, rig, ana, dm }) => {
    const box = inbox();
    await rig.listener.start(box.accept);
    const { messageId } = ana.sends(dm, "do it");
    await rig.until("the message", () => box.events.length === 1);
    const preview = {
      id: messageId,
      channel_id: dm.id,
      author: ana.user,
      content: "do it",
      type: 0,
    };
    fake.gateway.dispatch({
      type: "MESSAGE_UPDATE",
      data: () => ({ ...preview, edited_timestamp: null }),
    });
    ana.edits(dm, messageId, "do it now");
    await rig.until("the edit", () => box.events.length === 2);
    const [first, edit] = box.messages();
    assert.deepEqual(edit?.edited, { key: first?.key });
    assert.notEqual(edit?.key, first?.key);
    assert.equal(edit?.text, "do it now");
    ana.deletes(dm, messageId);
    ana.sends(dm, "next");
    await rig.until("the next", () => box.events.length === 3);
    assert.deepEqual(box.texts(), ["do it", "do it now", "next"]);
  }));

it("hears the first direct message after a restart, though no channel was told of", () =>
  withDiscord(async ({ fake, rig }) => {
    await rig.listener.start(inbox().accept);
    await rig.listener.stop();
    const next = rig.again?.();
    assert.ok(next);
    const box = inbox();
    await next.start(box.accept);
    const cleo = fake.user({ name: "Cleo" });
    cleo.sends(fake.dm(cleo), "hello, it is me");
    await rig.until("the message", () => box.events.length === 1);
    await next.stop();
    assert.equal(box.messages()[0]?.chat.kind, "direct");
    assert.deepEqual(box.texts(), ["hello, it is me"]);
  }));

it("skips an event that cannot be read, and hears the next one", () =>
  withDiscord(async ({ fake, rig, ana, dm, log }) => {
    const box = inbox();
    await rig.listener.start(box.accept);
    const broken = [
      { type: "MESSAGE_CREATE", data: { id: "x", channel_id: dm.id, author: null } },
      { type: "MESSAGE_CREATE", data: null },
      { type: "MESSAGE_UPDATE", data: {} },
      { type: "GUILD_CREATE", data: null },
      { type: "INTERACTION_CREATE", data: {} },
      { type: "NEVER_HEARD_OF", data: 5 },
    ];
    for (const { type, data } of broken) fake.gateway.dispatch({ type, data: () => data as never });
    ana.sends(dm, "after it");
    await rig.until("the message", () => box.events.length === 1);
    assert.deepEqual(box.texts(), ["after it"]);
    assert.ok(log.some((line) => line.includes("is skipped")));
  }));

it("ignores bots, and with allowBots hears them until five exchanges went by without a person", () =>
  withDiscord(
    async ({ fake, rig, ana, general, guild, log }) => {
      const robot = fake.user({ name: "Robot", bot: true });
      fake.join(guild, robot);
      const box = inbox();
      await rig.listener.start(box.accept);
      const talk = (count: number) => {
        for (let n = 0; n < count; n += 1) robot.sends(general, `again ${n}`, { mention: true });
      };
      talk(9);
      ana.sends(general, "stop that");
      talk(2);
      await rig.until("all", () => box.events.length >= 8);
      assert.deepEqual(box.texts(), [
        ...["again 0", "again 1", "again 2", "again 3", "again 4"],
        ...["stop that", "again 0", "again 1"],
      ]);
      assert.equal(log.filter((line) => line.startsWith("Two bots talk")).length, 1);
    },
    { config: { allowBots: true } },
  ));

it("says once what hides the text of messages, runs no empty prompt, and takes the hint back", () =>
  withDiscord(async ({ fake, rig, ana, general, log }) => {
    const box = inbox();
    await rig.listener.start(box.accept);
    fake.world.messageContentAllowed = false;
    for (const session of fake.sessions)
      Object.assign(session, { intents: session.intents & ~(1 << 15) });
    ana.sends(general, "talking");
    ana.sends(general, "and talking");
    await rig.until("the hint", () =>
      /Message Content/.test(rig.listener.health().lastError ?? ""),
    );
    ana.sends(general, "do it", { mention: true });
    await rig.until("what is addressed", () => box.events.length === 1);
    assert.deepEqual(box.texts(), ["do it"]);
    assert.equal(log.filter((line) => line.includes("without its text")).length, 1);
    assert.equal(rig.listener.health().state, "connected");
    for (const session of fake.sessions)
      Object.assign(session, { intents: session.intents | (1 << 15) });
    ana.sends(general, "readable");
    await rig.until("the hint's end", () => rig.listener.health().lastError === undefined);
  }));

it("tells when it is added, by whom where it may know, and when it or a channel is gone", () =>
  withDiscord(async ({ fake, rig, ana, guild, general }) => {
    const box = inbox();
    await rig.listener.start(box.accept);
    const other = fake.guild({ title: "Other", members: [ana], joined: false });
    fake.permit(other, "ViewAuditLog");
    fake.membership(other, true, ana);
    const secret = fake.guild({ title: "Secret", members: [ana], joined: false });
    fake.membership(secret, true, ana);
    await rig.until("both", () => box.events.length === 2);
    const added = box.events.map(
      (event) => event.kind === "chat" && [event.change, event.title, event.sender.account],
    );
    assert.deepEqual(added, [
      ["added", "Other", ana.id],
      ["added", "Secret", ""],
    ]);
    ana.sends(general, "known");
    await rig.until("the message", () => box.events.length === 3);
    fake.membership(guild, false, ana);
    await rig.until("its end", () => box.events.length === 5);
    const gone = box.events
      .slice(3)
      .map((event) => [event.kind === "chat" && event.change, event.chat.id]);
    assert.deepEqual(gone, [
      ["removed", guild.id],
      ["removed", general.id],
    ]);
  }));
