// The Web API of the fake Slack, through Slack's own client: what it takes, what it refuses, and what people see.
import assert from "node:assert/strict";
import { it } from "node:test";
import { stageSlack } from "../fakes/slack-app.ts";

const saying = (text: string) => ({ type: "mrkdwn" as const, text });
const section = (text: string) => ({ type: "section" as const, text: saying(text) });
const button = (fields: { value?: string; action_id?: string; label?: string }) => ({
  type: "button" as const,
  text: { type: "plain_text" as const, text: fields.label ?? "Go" },
  action_id: fields.action_id ?? "go",
  value: fields.value ?? "v",
});
const actions = (...elements: ReturnType<typeof button>[]) => ({
  type: "actions" as const,
  elements,
});

it("refuses what Slack refuses to post, and says why", async (t) => {
  const { fake, web } = await stageSlack(t);
  const ana = fake.user({ name: "Ana" });
  const dm = fake.dm(ana);
  const open = fake.channel({ name: "open", members: [ana], joined: false });
  const closed = fake.channel({ name: "closed", members: [ana], kind: "group", joined: false });
  const old = fake.channel({ name: "old", members: [ana] });
  fake.archive(old);
  const post = web.chat.postMessage.bind(web.chat);
  const long = "x".repeat(40_001);
  const many = Array.from({ length: 51 }, () => section("x"));
  const refused: [Parameters<typeof post>[0], string][] = [
    [{ channel: "C404", text: "x" }, "channel_not_found"],
    [{ channel: open, text: "x" }, "not_in_channel"],
    [{ channel: closed, text: "x" }, "channel_not_found"],
    [{ channel: old, text: "x" }, "is_archived"],
    [{ channel: dm, text: "" }, "no_text"],
    [{ channel: dm, text: long }, "msg_too_long"],
    [{ channel: dm, text: "x", thread_ts: "1.000001" }, "thread_not_found"],
    [{ channel: dm, text: "x", blocks: many }, "invalid_blocks"],
    [{ channel: dm, text: "x", blocks: [section("x".repeat(3_001))] }, "invalid_blocks"],
    [{ channel: dm, text: "x", blocks: [section("")] }, "invalid_blocks"],
    [
      { channel: dm, text: "x", blocks: [actions(button({ value: "v".repeat(2_001) }))] },
      "invalid_blocks",
    ],
    [
      { channel: dm, text: "x", blocks: [actions(button({ action_id: "a".repeat(256) }))] },
      "invalid_blocks",
    ],
    [
      { channel: dm, text: "x", blocks: [actions(button({ label: "l".repeat(76) }))] },
      "invalid_blocks",
    ],
    [{ channel: dm, text: "x", blocks: [actions(button({}), button({}))] }, "invalid_blocks"],
    [
      {
        channel: dm,
        text: "x",
        blocks: [actions(...Array.from({ length: 26 }, (_, n) => button({ action_id: `${n}` })))],
      },
      "invalid_blocks",
    ],
  ];
  for (const [message, error] of refused)
    await assert.rejects(post(message), new RegExp(error), JSON.stringify(message).slice(0, 80));
  assert.deepEqual(fake.messages(dm), []);
  assert.equal(fake.calls.at(-1)?.error, "invalid_blocks");
});

it("threads replies below a message, and never below a reply", async (t) => {
  const { fake, web } = await stageSlack(t);
  const ana = fake.user({ name: "Ana" });
  const channel = fake.channel({ name: "team", members: [ana] });
  const root = ana.sends(channel, "topic");
  const { ts = "" } = await web.chat.postMessage({ channel, text: "one", thread_ts: root });
  const below = web.chat.postMessage({ channel, text: "two", thread_ts: ts });
  await assert.rejects(below, /cannot_reply_to_message/);
  const { messages } = await web.conversations.replies({ channel, ts: root });
  assert.deepEqual(
    messages?.map(({ text }) => text),
    ["topic", "one"],
  );
  const top = await web.conversations.history({ channel });
  assert.deepEqual(
    top.messages?.map(({ text }) => text),
    ["topic"],
  );
});

it("changes and deletes the app's own messages alone", async (t) => {
  const { fake, web } = await stageSlack(t);
  const ana = fake.user({ name: "Ana" });
  const channel = fake.dm(ana);
  const theirs = ana.sends(channel, "mine");
  await assert.rejects(web.chat.update({ channel, ts: theirs, text: "x" }), /cant_update_message/);
  await assert.rejects(web.chat.delete({ channel, ts: theirs }), /cant_delete_message/);
  await assert.rejects(web.chat.update({ channel, ts: "1.1", text: "x" }), /message_not_found/);
  const { ts = "" } = await web.chat.postMessage({ channel, text: "own" });
  const long = web.chat.update({ channel, ts, text: "x".repeat(4_001) });
  await assert.rejects(long, /msg_too_long/);
  await web.chat.delete({ channel, ts });
  await assert.rejects(web.chat.delete({ channel, ts }), /message_not_found/);
  assert.deepEqual(
    fake.messages(channel).map(({ text }) => text),
    ["mine"],
  );
});

it("shows an ephemeral to one person alone, and none in a thread that has no replies", async (t) => {
  const { fake, web, listen } = await stageSlack(t);
  const [ana, ben] = [fake.user({ name: "Ana" }), fake.user({ name: "Ben" })];
  const channel = fake.channel({ name: "team", members: [ana] });
  const { last } = await listen();
  const root = ana.sends(channel, "topic");
  const whisper = web.chat.postEphemeral.bind(web.chat);
  await assert.rejects(whisper({ channel, user: ben.id, text: "x" }), /user_not_in_channel/);
  const card = { text: "psst", blocks: [section("psst"), actions(button({}))] };
  const { message_ts = "" } = await whisper({ channel, user: ana.id, ...card });
  await whisper({ channel, user: ana.id, text: "lost", thread_ts: root });
  assert.deepEqual(
    fake.ephemerals(ana).map(({ text }) => text),
    ["psst"],
  );
  assert.equal(fake.counters.unseen, 1);
  assert.throws(() => ben.presses(message_ts, "Go"), /does not see/);
  ana.presses(message_ts, "Go");
  const press = await fake.waitFor(() => last("interactive"));
  assert.deepEqual(
    [(press.container as { is_ephemeral: boolean }).is_ephemeral, press.message],
    [true, undefined],
  );
  await assert.rejects(
    web.chat.update({ channel, ts: message_ts, text: "x" }),
    /message_not_found/,
  );
  const respond = (body: object) =>
    fetch(String(press.response_url), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  assert.equal(await (await respond({ replace_original: true, text: "done" })).text(), "ok");
  assert.deepEqual(
    fake.ephemerals(ana).map(({ text }) => text),
    ["done"],
  );
  await respond({ delete_original: true });
  assert.deepEqual(fake.ephemerals(ana), []);
});

it("takes five answers at a response address, for half an hour", async (t) => {
  let now = Date.now();
  const { fake, listen } = await stageSlack(t, { now: () => now });
  const ana = fake.user({ name: "Ana" });
  const away = fake.channel({ name: "away", members: [ana], joined: false });
  await listen(({ type, ack }) => (type === "slash_commands" ? ack({ text: "at once" }) : ack()));
  const { responseUrl = "" } = ana.slash(away, "/sallyport", "help");
  const respond = async (text: string) => {
    const headers = { "content-type": "application/json" };
    const response = await fetch(responseUrl, {
      method: "POST",
      headers,
      body: JSON.stringify({ text }),
    });
    return `${response.status} ${await response.text()}`;
  };
  await fake.waitFor(() => fake.unconfirmed === 0);
  for (let use = 1; use <= 5; use += 1) assert.equal(await respond(`use ${use}`), "200 ok");
  assert.match(await respond("use 6"), /404 .*used_url/);
  const seen = fake.ephemerals(ana).map(({ text }) => text);
  assert.deepEqual(seen, ["at once", "use 1", "use 2", "use 3", "use 4", "use 5"]);
  const { responseUrl: later = "" } = ana.slash(away, "/sallyport");
  now += 31 * 60_000;
  assert.equal(
    (
      await fetch(later, {
        method: "POST",
        body: "{}",
        headers: { "content-type": "application/json" },
      })
    ).status,
    404,
  );
});

it("shows mrkdwn as people see it, says whom it calls, and whether a page would be fetched", async (t) => {
  const { fake, web } = await stageSlack(t);
  const channel = fake.dm(fake.user({ name: "Ana" }));
  const say = (text: string, more = {}) => web.chat.postMessage({ channel, text, ...more });
  await say(
    "*bold* _it_ ~no~ `a*b*` snake_case 2*3*4 &lt;b&gt; &amp;amp;\n```\nx *y* &lt;z&gt;\n```",
  );
  await say("<!channel> <https://example.org|here> `<!here>`");
  await say("<https://example.org>", { unfurl_links: false, unfurl_media: false });
  const [first, second, third] = fake.messages(channel);
  assert.equal(first?.text, "bold it no a*b* snake_case 2*3*4 <b> &amp;\n\nx *y* <z>\n");
  assert.deepEqual(
    [second?.text, second?.calls, second?.preview],
    ["@channel here @here", ["!channel"], true],
  );
  assert.deepEqual([third?.preview, third?.calls], [false, []]);
});

it("carries files both ways, in three steps and with the token", async (t) => {
  const { fake, web, listen } = await stageSlack(t);
  const ana = fake.user({ name: "Ana" });
  const dm = fake.dm(ana);
  const { events } = await listen();
  await web.filesUploadV2({
    channel_id: dm,
    filename: "out.txt",
    file: Buffer.from("out"),
    initial_comment: "here",
  });
  const sent = fake.messages(dm).at(-1);
  assert.deepEqual(
    [sent?.text, sent?.file, sent?.byBot],
    ["here", { name: "out.txt", size: 3 }, true],
  );
  const { upload_url, file_id = "" } = await web.files.getUploadURLExternal({
    filename: "raw.bin",
    length: 2,
  });
  await fetch(upload_url ?? "", { method: "POST", body: new Uint8Array([1, 2]) });
  await web.files.completeUploadExternal({ files: [{ id: file_id }], channel_id: dm });
  const { file } = await web.files.info({ file: file_id });
  assert.equal(file?.shares?.private?.[dm]?.[0]?.ts, fake.messages(dm).at(-1)?.ts);

  ana.sends(dm, "", { files: [{ name: "in.txt", content: "from Ana", mime: "text/plain" }] });
  await fake.waitFor(() => events().length === 3);
  const [told] = (events().at(-1)?.files ?? []) as { url_private: string }[];
  const get = (token: string) =>
    fetch(told?.url_private ?? "", { headers: { authorization: `Bearer ${token}` } });
  assert.equal(await (await get(fake.token)).text(), "from Ana");
  const stranger = await get("xoxb-other");
  assert.deepEqual(
    [stranger.status, stranger.headers.get("content-type")],
    [200, "text/html; charset=utf-8"],
  );
  fake.scopes.delete("files:read");
  assert.match(await (await get(fake.token)).text(), /<!DOCTYPE html>/);
  ana.sends(dm, "", { files: [{ name: "far.txt", content: "x", unknown: true }] });
  await fake.waitFor(() => events().length === 4);
  const [far] = (events().at(-1)?.files ?? []) as Record<string, unknown>[];
  assert.deepEqual([far?.file_access, far?.url_private], ["check_file_info", undefined]);
  await assert.rejects(web.files.info({ file: file_id }), /missing_scope/);
});

it("shows each person an App Home of their own, with buttons", async (t) => {
  const { fake, web, listen } = await stageSlack(t);
  const [ana, ben] = [fake.user({ name: "Ana" }), fake.user({ name: "Ben" })];
  const { last } = await listen();
  const view = { type: "home" as const, blocks: [section("*Hi* Ana"), actions(button({}))] };
  await web.views.publish({ user_id: ana.id, view });
  assert.deepEqual([fake.home(ana)?.text, fake.home(ben)], ["Hi Ana", undefined]);
  ana.pressesHome("Go");
  const press = await fake.waitFor(() => last("interactive"));
  assert.equal((press.container as { type: string }).type, "view");
});
