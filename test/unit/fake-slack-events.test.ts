// What the fake Slack tells an app of what people do, in the shapes that Slack gives it.
import assert from "node:assert/strict";
import { it } from "node:test";
import { stageSlack } from "../fakes/slack-app.ts";

const kinds = (events: readonly Record<string, unknown>[]) =>
  events.map(({ type, subtype }) => [type, subtype].filter(Boolean).join(":"));

it("tells of a mention twice, under two event ids, and of talk where the app is not, never", async (t) => {
  const { fake, listen } = await stageSlack(t);
  const ana = fake.user({ name: "Ana" });
  const { heard, events } = await listen();
  const team = fake.channel({ name: "team", members: [ana] });
  const elsewhere = fake.channel({ name: "elsewhere", members: [ana], joined: false });
  ana.sends(elsewhere, "nobody hears", { mention: true });
  const ts = ana.sends(team, "see https://example.org/?a=1&b=2, @Ana", { mention: true });
  await fake.waitFor(() => heard.length === 2 && fake.unconfirmed === 0);
  assert.deepEqual(kinds(events()), ["message", "app_mention"]);
  const [message, mention] = events();
  const text = `<@${fake.me.id}> see <https://example.org/?a=1&amp;b=2>, <@${ana.id}>`;
  assert.deepEqual([message?.text, mention?.text], [text, text]);
  assert.deepEqual([message?.ts, mention?.ts], [ts, ts]);
  assert.deepEqual([message?.channel_type, mention?.channel_type], ["channel", undefined]);
  const ids = heard.map(({ body }) => body.event_id);
  assert.equal(new Set(ids).size, 2);
  assert.equal(fake.messages(team)[0]?.text, "@Sallyport see https://example.org/?a=1&b=2, @Ana");
});

it("tells of edits, previews, languages and deletions as changes", async (t) => {
  const { fake, listen } = await stageSlack(t);
  const ana = fake.user({ name: "Ana" });
  const dm = fake.dm(ana);
  const { heard, events } = await listen();
  const ts = ana.sends(dm, "https://example.org");
  fake.unfurl(ts);
  fake.detectLanguage(ts);
  ana.edits(ts, "other words");
  ana.deletes(ts);
  await fake.waitFor(() => heard.length === 5);
  assert.deepEqual(kinds(events()), [
    "message",
    "message:message_changed",
    "message:message_changed",
    "message:message_changed",
    "message:message_deleted",
  ]);
  const texts = events().map(({ message }) => (message as { text?: string } | undefined)?.text);
  const link = "<https://example.org>";
  assert.deepEqual(texts, [undefined, link, link, "other words", undefined]);
  assert.equal(events()[4]?.deleted_ts, ts);
  assert.deepEqual(fake.messages(dm), []);
});

it("tells of threads, broadcasts, files, bots and who comes and goes", async (t) => {
  const { fake, listen } = await stageSlack(t);
  const [ana, ben] = [fake.user({ name: "Ana" }), fake.user({ name: "Ben" })];
  const robot = fake.user({ name: "Robot", bot: true });
  const team = fake.channel({ name: "team", members: [ana, robot] });
  const { heard, events } = await listen();
  const root = ana.sends(team, "a topic");
  const reply = ana.sends(team, "a reply", { thread: root });
  ana.sends(team, "for all", { thread: reply, broadcast: true });
  ana.sends(team, "look", { files: [{ name: "a.txt", content: "abc" }] });
  robot.sends(team, "beep");
  robot.sends(team, "old beep", { subtype: "bot_message" });
  ana.invites(team, ben);
  ben.leaves(team);
  await fake.waitFor(() => heard.length === 10);
  assert.deepEqual(kinds(events()), [
    "message",
    "message",
    "message:thread_broadcast",
    "message:file_share",
    "message",
    "message:bot_message",
    "member_joined_channel",
    "message:channel_join",
    "member_left_channel",
    "message:channel_leave",
  ]);
  const [, second, third, file, bot, old, joined] = events();
  assert.deepEqual([second?.thread_ts, third?.thread_ts], [root, root]);
  assert.equal(second?.parent_user_id, ana.id);
  assert.equal((file?.files as { name: string }[] | undefined)?.[0]?.name, "a.txt");
  assert.ok(bot?.bot_id && bot.user === robot.id);
  assert.deepEqual([old?.user, old?.username], [undefined, "Robot"]);
  assert.deepEqual([joined?.user, joined?.inviter], [ben.id, ana.id]);
  assert.equal(fake.messages(team)[1]?.thread, root);
});

it("tells when the app is invited, removed, looked at and uninstalled", async (t) => {
  const { fake, web, listen } = await stageSlack(t);
  const ana = fake.user({ name: "Ana" });
  const team = fake.channel({ name: "team", members: [ana], joined: false });
  const { heard, events } = await listen();
  ana.invites(team, fake.me);
  ana.removes(team, fake.me);
  ana.sends(team, "gone?");
  ana.opensHome();
  await fake.waitFor(() => heard.length === 4);
  assert.deepEqual(kinds(events()), [
    "member_joined_channel",
    "message:channel_join",
    "channel_left",
    "app_home_opened",
  ]);
  assert.deepEqual([events()[0]?.user, events()[0]?.inviter], [fake.me.id, ana.id]);
  fake.uninstall();
  await fake.waitFor(() => heard.length === 6);
  await assert.rejects(web.auth.test(), /account_inactive/);
});

it("says of which workspace and organisation somebody is, and where guests are only guests", async (t) => {
  const { fake, web, listen } = await stageSlack(t, { enterprise: "E000000001" });
  const ana = fake.user({ name: "Ana" });
  const guest = fake.user({ name: "Gil", guest: true });
  const stranger = fake.user({ name: "Sam", team: "T0000000009" });
  const shared = fake.channel({ name: "both", members: [ana, guest, stranger], shared: true });
  const { heard, events } = await listen();
  for (const who of [ana, stranger]) who.sends(shared, "hi");
  stranger.slash(shared, "/sallyport", "a & b");
  await fake.waitFor(() => heard.length === 3);
  const [own, foreign] = events();
  assert.deepEqual([own?.team, own?.user_team], [fake.me.team, undefined]);
  assert.deepEqual([foreign?.user_team, foreign?.source_team], ["T0000000009", "T0000000009"]);
  const body = heard[0]?.body as Record<string, unknown>;
  assert.deepEqual([body.enterprise_id, body.is_ext_shared_channel], ["E000000001", true]);
  const command = heard.at(-1)?.body as Record<string, unknown>;
  assert.deepEqual([command.text, command.team_id], ["a &amp; b", fake.me.team]);
  const infos = [ana, guest, stranger].map(
    async ({ id }) => (await web.users.info({ user: id })).user,
  );
  const [anaInfo, guestInfo, strangerInfo] = await Promise.all(infos);
  assert.deepEqual([anaInfo?.is_restricted, guestInfo?.is_restricted], [false, true]);
  assert.deepEqual([strangerInfo?.team_id, strangerInfo?.is_stranger], ["T0000000009", true]);
  assert.equal(anaInfo?.enterprise_user?.enterprise_id, "E000000001");
});
