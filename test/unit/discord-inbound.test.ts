// Discord's messages and interactions as it documents them, and the events they become.
import assert from "node:assert/strict";
import { it } from "node:test";
import { createLoopGuard } from "../../channels/discord/bots.ts";
import { addedTo, channelGone } from "../../channels/discord/chat-change.ts";
import { configSchema } from "../../channels/discord/config.ts";
import { editEvent, isHidden, type Message, messageEvent } from "../../channels/discord/inbound.ts";
import { type Interaction, interactionEvent } from "../../channels/discord/interaction-events.ts";
import { createRooms, roomOf } from "../../channels/discord/rooms.ts";
import { idAt, timeOf } from "../../channels/discord/snowflake.ts";

const bot = { id: "100", name: "Sallyport", allowBots: false };
const ana = { id: "501", username: "ana", global_name: "Ana" };
const at = 1_760_000_000_000;
const id = idAt(at);

const rooms = createRooms();
rooms.noteGuild(
  {
    ...{ id: "900", name: "Work" },
    roles: [
      { id: "70", name: "Bots", tags: { bot_id: "100" } },
      { id: "71", name: "Builders" },
    ],
    channels: [{ id: "20", type: 0, name: "general" }],
    threads: [{ id: "21", type: 11, name: "builds", parent_id: "20" }],
  },
  bot.id,
);
const place = (channel: string) => {
  const room = rooms.find(channel) ?? roomOf({ id: channel, type: 1 });
  assert.ok(room);
  return { room, names: rooms.names(room.guild) };
};
const general = place("20");
const direct = place("30");

const messageOf = (fields: Record<string, unknown>) =>
  ({
    ...{ id, channel_id: "20", type: 0, content: "hi", author: ana, mentions: [], embeds: [] },
    ...{ mention_roles: [], attachments: [], components: [], edited_timestamp: null, flags: 0 },
    ...fields,
  }) as unknown as Message;

it("translates a message of a thread, with the nickname that the server gave", () => {
  const message = messageOf({ channel_id: "21", member: { nick: "Annie" } });
  assert.deepEqual(messageEvent(message, place("21"), bot), {
    ...{ kind: "message", key: `100:21:${id}`, at, text: "hi", addressed: false, files: [] },
    chat: { id: "20", kind: "group", thread: "21" },
    sender: { account: "501", name: "Annie" },
    message: { chat: "20", id, thread: "21" },
  });
});

const texts: [string, Record<string, unknown>, string, boolean][] = [
  ["a mention", { content: "<@100> do it", mentions: [bot] }, "do it", true],
  ["the old form of a mention", { content: "<@!100>, do it", mentions: [bot] }, "do it", true],
  ["its role", { content: "do it <@&70>", mention_roles: ["70"] }, "do it", true],
  ["another role", { content: "<@&71> do it", mention_roles: ["71"] }, "@Builders do it", false],
  ["nothing but a mention", { content: "<@100>", mentions: [bot] }, "", true],
  ["a mention in code", { content: "`<@100>`" }, "`@Sallyport`", false],
  ["a person", { content: "ask <@501>", mentions: [ana] }, "ask @Ana", false],
  ["a stranger", { content: "ask <@9>" }, "ask <@9>", false],
  ["everyone", { content: "@everyone come", mention_everyone: true }, "@everyone come", false],
  ["channels and emoji", { content: "<#20> <:a_b:1> <a:c:2>" }, "#general :a_b: :c:", false],
  ["a time", { content: "<t:1760000000:R>" }, "2025-10-09T08:53:20.000Z", false],
  ["an impossible time", { content: "<t:999999999999:R>" }, "<t:999999999999:R>", false],
  ["a command", { content: "</stop:12>" }, "/stop", false],
];
for (const [what, fields, text, addressed] of texts)
  it(`reads ${what}`, () => {
    const event = messageEvent(messageOf(fields), general, bot);
    assert.deepEqual([event?.text, event?.addressed], [text, addressed]);
  });

const unheard: [string, Record<string, unknown>][] = [
  ["itself", { author: { ...ana, id: "100" } }],
  ["itself answering a command", { author: { ...ana, id: "100" }, webhook_id: "100" }],
  ["a bot", { author: { ...ana, bot: true } }],
  ["a webhook", { webhook_id: "77" }],
  ["Discord itself", { author: { ...ana, system: true } }],
  ...[1, 4, 6, 7, 8, 12, 18, 20, 21, 23, 24, 46].map((type): [string, Record<string, unknown>] => [
    `a message of type ${type}`,
    { type },
  ]),
  ["what says nothing", { content: "" }],
];
for (const [what, fields] of unheard)
  it(`hears nothing of ${what}`, () =>
    assert.equal(messageEvent(messageOf(fields), general, bot), null));

it("hears bots and webhooks where that is allowed, and never itself", () => {
  const open = { ...bot, allowBots: true };
  assert.ok(messageEvent(messageOf({ author: { ...ana, bot: true } }), general, open));
  assert.ok(messageEvent(messageOf({ webhook_id: "77" }), general, open));
  const own = { author: { ...ana, id: "100", bot: true } };
  assert.equal(messageEvent(messageOf(own), general, open), null);
});

it("quotes what is answered, readable, and says whose it was", () => {
  const replied = messageOf({
    id: "7",
    content: "<@501> look",
    mentions: [ana],
    author: { ...ana, id: "100", username: "sallyport", global_name: null },
  });
  const reply = messageOf({ type: 19, referenced_message: replied });
  const quoted = messageEvent(reply, general, bot);
  assert.deepEqual(quoted?.quote, {
    ...{ text: "@Ana look", author: "sallyport", ours: true },
    message: { chat: "20", id: "7" },
  });
  assert.equal(quoted?.addressed, true);
  const gone = messageEvent(messageOf({ type: 19, referenced_message: null }), general, bot);
  assert.deepEqual([gone?.quote, gone?.text], [undefined, "hi"]);
  const file = { ...replied, content: "", attachments: [{ id: "1", filename: "a.txt", size: 1 }] };
  const about = messageEvent(messageOf({ referenced_message: file }), direct, bot);
  assert.equal(about?.quote?.text, "(the file a.txt)");
});

it("names what it cannot read, and files by where they hang", () => {
  const cases: [Record<string, unknown>, string][] = [
    [{ sticker_items: [{ id: "1", name: "s" }] }, "a sticker"],
    [{ poll: {} }, "a poll"],
    [{ flags: 1 << 13, attachments: [{ id: "1", filename: "v.ogg" }] }, "a voice message"],
    [{ message_reference: { type: 1 }, message_snapshots: [{}] }, "a forwarded message"],
  ];
  for (const [fields, words] of cases) {
    const event = messageEvent(messageOf({ content: "", ...fields }), direct, bot);
    assert.deepEqual([event?.unreadable, event?.files], [words, []]);
  }
  const attachments = [
    {
      id: "5",
      filename: "a_b.txt",
      title: "a b",
      size: 3,
      content_type: "text/plain; charset=utf-8",
    },
    { id: "6", filename: "x" },
  ];
  const event = messageEvent(messageOf({ content: "", attachments }), direct, bot);
  assert.deepEqual(event?.files, [
    { id: `20/${id}/5`, name: "a b.txt", mime: "text/plain", size: 3 },
    { id: `20/${id}/6`, name: "x", mime: "application/octet-stream" },
  ]);
});

it("makes an edit of what a person changed, and nothing of a preview", () => {
  const edited = messageOf({ edited_timestamp: "2025-10-09T09:00:00.000000+00:00" });
  const event = editEvent(edited, general, bot);
  const time = Date.parse("2025-10-09T09:00:00Z");
  assert.deepEqual(
    [event?.key, event?.edited?.key, event?.at],
    [`100:20:${id}:edit:${time}`, `100:20:${id}`, time],
  );
  assert.equal(editEvent(messageOf({}), general, bot), null);
});

it("knows when text is hidden: in a server, from a person, with nothing else to see", () => {
  assert.equal(isHidden(messageOf({ content: "" }), general, bot), true);
  assert.equal(isHidden(messageOf({ content: "" }), direct, bot), false);
  assert.equal(isHidden(messageOf({ content: "", type: 7 }), general, bot), false);
  assert.equal(isHidden(messageOf({ content: "", webhook_id: "1" }), general, bot), false);
  assert.equal(isHidden(messageOf({ content: "", embeds: [{}] }), general, bot), false);
});

it("throws for what is no message, so that it can be skipped", () => {
  for (const fields of [{ id: "x" }, { author: {} }, { author: null }, { channel_id: "1/2" }])
    assert.throws(() => messageEvent(messageOf(fields), general, bot));
});

const pressOf = (fields: Record<string, unknown>) =>
  ({
    ...{ id, token: "t", type: 3, guild_id: "900", member: { user: ana, nick: null } },
    channel: { id: "21", type: 11, parent_id: "20" },
    message: { id: "8", flags: 0 },
    data: { component_type: 2, custom_id: "abc" },
    ...fields,
  }) as unknown as Interaction;

it("translates a press, without the message where only the presser sees it", () => {
  const event = interactionEvent(pressOf({}), bot.id);
  assert.deepEqual(event, {
    ...{ kind: "press", key: `100:i:${id}`, at, data: "abc", press: { id } },
    chat: { id: "20", kind: "group", thread: "21" },
    sender: { account: "501", name: "Ana" },
    message: { chat: "20", id: "8", thread: "21" },
  });
  const hidden = interactionEvent(pressOf({ message: { id: "8", flags: 64 } }), bot.id);
  assert.ok(hidden?.kind === "press" && hidden.message === undefined);
});

it("hears no menu, no form, and nothing from where it is not", () => {
  assert.equal(
    interactionEvent(pressOf({ data: { component_type: 3, custom_id: "a" } }), bot.id),
    null,
  );
  assert.equal(interactionEvent(pressOf({ type: 5 }), bot.id), null);
  assert.equal(interactionEvent(pressOf({ channel: { id: "1", type: 3 } }), bot.id), null);
});

it("tells one joining once, and a channel's end but no thread's", () => {
  const guild = {
    id: "900",
    name: "Work",
    joined_at: "2025-10-09T08:53:20Z",
    system_channel_id: "20",
  };
  assert.deepEqual(addedTo(guild, bot.id), {
    ...{ kind: "chat", key: `100:guild:900:added:${at}`, at, change: "added", title: "Work" },
    ...{ chat: { id: "20", kind: "group" }, sender: { account: "", name: "" } },
  });
  assert.equal(channelGone({ id: "20", type: 0, guild_id: "900" }, bot.id, at)?.change, "removed");
  assert.equal(channelGone({ id: "21", type: 11, parent_id: "20" }, bot.id, at), null);
});

it("cuts a loop of bots after five exchanges, and a person opens it again", () => {
  const guard = createLoopGuard({ debug() {}, info() {}, warn() {}, error() {} });
  const event = messageEvent(messageOf({ content: "<@100> x", mentions: [bot] }), general, bot);
  assert.ok(event);
  const heard = Array.from({ length: 7 }, () => guard(event, true));
  assert.deepEqual(heard, [true, true, true, true, true, false, false]);
  assert.equal(guard(event, false), true);
  assert.equal(guard(event, true), true);
});

it("keeps the time in an id", () => {
  assert.equal(timeOf("175928847299117063"), 1_462_015_105_796);
  assert.equal(timeOf(idAt(at)), at);
});

it("takes a token and an address, and says what is wrong with others", () => {
  const token = "MTAw.GFake0.for-tests-00";
  assert.equal(configSchema.parse({ token }).apiRoot, "https://discord.com");
  assert.equal(
    configSchema.parse({ token, apiRoot: "http://127.0.0.1:1/api/" }).apiRoot,
    "http://127.0.0.1:1",
  );
  assert.throws(() => configSchema.parse({ token, apiRoot: "http://example.org" }), /https/);
  assert.throws(() => configSchema.parse({ token: "nope" }), /three parts/);
});
