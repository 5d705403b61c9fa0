// What only Slack has on its way out: private messages, App Home, files in three steps, and no word too many.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import type { OutFile } from "../../src/core/channel.ts";
import { inbox } from "./rig.ts";
import { openSlack } from "./slack-rig.ts";

type Slack = Awaited<ReturnType<typeof openSlack>>;

async function withSlack(work: (slack: Slack) => Promise<void>): Promise<void> {
  const slack = await openSlack();
  try {
    await work(slack);
  } finally {
    await slack.rig.listener.stop();
    await slack.rig.close();
  }
}

it("calls nobody and fetches no page, whatever a text holds", () =>
  withSlack(async ({ fake, rig, ana, work, dm }) => {
    const nasty = [
      `<!channel> <!here> @here @channel <@${ana.id}> @Ana <!subteam^S1|@ops>`,
      "`<!channel>` and\n```\n<!everyone>\n```\nhttps://example.org/page **b**",
      "[<!channel>](https://example.org) [x](https://example.org/<!here>)",
      "_a_ <!channel> `` ` `` <@U0000000BOT>",
    ];
    for (const [index, text] of nasty.entries())
      for (const part of await rig.channel.render(text)) {
        const to = { listener: "slack", chat: work };
        const ref = await rig.listener.send(to, part, `n${index}`);
        await rig.listener.edit?.(ref, part);
        const { body: _, ...plain } = part;
        const buttons = [{ label: "<!channel>", data: "x" }];
        await rig.listener.send({ ...to, chat: dm }, { ...plain, buttons }, `m${index}`);
      }
    const seen = [...fake.messages(work), ...fake.messages(dm)].filter(({ byBot }) => byBot);
    assert.ok(seen.length >= 8);
    for (const { calls, preview, text } of seen)
      assert.deepEqual([calls, preview], [[], false], text);
  }));

it("shows signs as they are, escaped once, in text, in blocks and after an edit", () =>
  withSlack(async ({ fake, rig, dm }) => {
    const text = "a < b && b > c &amp; &lt;";
    const buttons = [{ label: "OK", data: "x" }];
    const ref = await rig.listener.send(rig.direct, { plain: text }, "s1");
    await rig.listener.send(rig.direct, { plain: text, buttons }, "s2");
    await rig.listener.edit?.(ref, { plain: text });
    assert.deepEqual(
      fake.messages(dm).map((one) => one.text),
      [text, text],
    );
  }));

it("shows a long card to its end, with all its buttons, within what a section takes", () =>
  withSlack(async ({ fake, rig, dm }) => {
    const command = `rm ${"a b & <c> ".repeat(290)}END`;
    const parts = await rig.channel.render(command);
    const buttons = Array.from({ length: 25 }, (_, n) => ({ label: `Option ${n}`, data: `d${n}` }));
    for (const [index, part] of parts.entries()) {
      assert.ok((part.body ?? part.plain).length <= 3000);
      await rig.listener.send(rig.direct, index < 1 ? part : { ...part, buttons }, `l${index}`);
    }
    const seen = fake.messages(dm);
    assert.match(seen.map(({ text }) => text).join(" "), /END$/);
    assert.equal(seen.at(-1)?.buttons.length, 25);
    for (const { value } of seen.at(-1)?.buttons ?? []) assert.ok((value ?? "").length <= 64);
  }));

it("brings 45,000 characters as messages that Slack takes", () =>
  withSlack(async ({ fake, rig, dm }) => {
    const text = Array.from(
      { length: 900 },
      (_, n) => `Line ${n} of **it**, with & signs. ${"x".repeat(15)}`,
    );
    const parts = await rig.channel.render(text.join("\n\n"));
    for (const [index, part] of parts.entries())
      await rig.listener.send(rig.direct, part, `p${index}`);
    const shown = fake.messages(dm);
    assert.equal(shown.length, parts.length);
    for (const n of [0, 450, 899])
      assert.ok(shown.some((one) => one.text.includes(`Line ${n} of`)));
  }));

it("whispers in a thread where people see it, and beside it where nobody would", () =>
  withSlack(async ({ fake, rig, ana, ben, work, topic }) => {
    const box = inbox();
    await rig.listener.start(box.accept);
    const account = `${fake.me.team}:${ana.id}`;
    const to = { listener: "slack", chat: work, thread: topic };
    await rig.listener.whisper?.(to, { account }, { plain: "not for you" });
    ana.sends(work, "a reply", { thread: topic });
    await rig.until("the reply", () => box.events.length === 1);
    await rig.listener.whisper?.(to, { account }, { plain: "still not" });
    const seen = fake.ephemerals(ana).map(({ text, thread }) => [text, thread]);
    assert.deepEqual(seen, [
      ["not for you", undefined],
      ["still not", topic],
    ]);
    assert.deepEqual(fake.ephemerals(ben), []);
    assert.equal(fake.counters.unseen, 0);
  }));

it("says that a whisper reaches nobody, so that a direct chat is tried", () =>
  withSlack(async ({ fake, rig, work }) => {
    const away = fake.user({ name: "Away" });
    const to = { listener: "slack", chat: work };
    const only = { account: `${fake.me.team}:${away.id}` };
    await assert.rejects(async () => rig.listener.whisper?.(to, only, { plain: "psst" }), {
      kind: "gone",
    });
    const direct = await rig.listener.openDirect?.(only.account);
    assert.deepEqual(direct, { listener: "slack", chat: fake.dm(away) });
    const stranger = rig.listener.openDirect?.(`T0000000099:${away.id}`);
    await assert.rejects(async () => stranger, { kind: "gone" });
  }));

it("fills a person's App Home when they open it, however much there is", () =>
  withSlack(async ({ fake, rig, ana }) => {
    const box = inbox();
    await rig.listener.start(box.accept);
    ana.opensHome("messages");
    ana.opensHome();
    await rig.until("the look", () => box.events.length > 0);
    const [event] = box.events;
    assert.equal(event?.kind, "home");
    const account = event?.sender.account ?? "";
    await rig.listener.showHome?.(
      account,
      await rig.channel.render("You are **Ana**.\n\n- a task"),
    );
    assert.equal(fake.home(ana)?.text, "You are Ana.\n\n• a task");
    const many = Array.from({ length: 160 }, (_, n) => ({ plain: `${n} ${"_x_ ".repeat(700)}` }));
    await rig.listener.showHome?.(account, many);
    assert.match(fake.home(ana)?.text ?? "", /^0 .*…$/s);
    assert.equal(box.events.length, 1);
  }));

async function withFile(content: string, work: (file: OutFile) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "slack-"));
  const path = join(folder, "report.txt");
  await writeFile(path, content);
  await work({ path, name: "report.txt", mime: "text/plain", size: content.length }).finally(() =>
    rm(folder, { recursive: true }),
  );
}

it("sends a file into the thread with its text, and can change the message afterwards", () =>
  withSlack(async ({ fake, rig, work, topic }) =>
    withFile("content", async (file) => {
      const to = { listener: "slack", chat: work, thread: topic };
      const ref = await rig.listener.send(to, { plain: "a & b", file }, "f1");
      const [seen] = fake.messages(work).slice(-1);
      assert.deepEqual(
        [seen?.text, seen?.thread, seen?.file?.name],
        ["a & b", topic, "report.txt"],
      );
      assert.deepEqual(ref, { chat: work, thread: topic, id: seen?.ts });
    }),
  ));

it("sends a file once, even if the text that goes with it has to be sent again", () =>
  withSlack(async ({ fake, rig, dm }) =>
    withFile("content", async (file) => {
      const part = { plain: "look", file, buttons: [{ label: "OK", data: "x" }] };
      fake.faults.rateLimit("chat.postMessage", 3);
      await assert.rejects(rig.listener.send(rig.direct, part, "k"), { kind: "rate-limited" });
      await rig.listener.send(rig.direct, part, "k");
      const seen = fake.messages(dm).map((one) => one.file?.name ?? one.text);
      assert.deepEqual(seen, ["report.txt", "look"]);
    }),
  ));

it("has sent no file while it is not shown, and does not know when the last step breaks", () =>
  withSlack(async ({ fake, rig }) =>
    withFile("content", async (file) => {
      const part = { plain: "", file };
      fake.faults.drop("files.getUploadURLExternal");
      await assert.rejects(rig.listener.send(rig.direct, part, "1"), { kind: "not-sent" });
      fake.faults.fail("upload");
      await assert.rejects(rig.listener.send(rig.direct, part, "2"), { kind: "not-sent" });
      fake.faults.drop("files.completeUploadExternal");
      await assert.rejects(rig.listener.send(rig.direct, part, "3"), { kind: "unknown" });
      fake.scopes.delete("files:write");
      await assert.rejects(rig.listener.send(rig.direct, part, "4"), /files:write/);
    }),
  ));
