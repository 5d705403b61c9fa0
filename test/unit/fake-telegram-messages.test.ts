// The fake Bot API server judges messages, files, topics and people as the real one does.
import assert from "node:assert/strict";
import { it, type TestContext } from "node:test";
import { Api, GrammyError, InputFile } from "grammy";
import { startTelegramServer, type TelegramServerOptions } from "../fakes/telegram-server.ts";

async function open(t: TestContext, options: TelegramServerOptions = {}) {
  const fake = await startTelegramServer(options);
  t.after(() => fake.close());
  const ana = fake.user({ id: 11, name: "Ana", username: "ana" });
  const chat = fake.privateChat(ana);
  const api = new Api(fake.token, { apiRoot: fake.url });
  /** What the bot heard last. */
  const heard = async (): Promise<Record<string, unknown>> => {
    const update = (await api.getUpdates({ offset: -1 }))[0];
    return (update?.message ?? update ?? {}) as unknown as Record<string, unknown>;
  };
  return { fake, ana, chat, api, heard };
}

async function refusal(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof GrammyError, `refused by the API, not ${String(error)}`);
  return `${error.error_code} ${error.description}`;
}

it("counts a text in UTF-16 units after the entities are parsed", async (t) => {
  const { chat, api } = await open(t);
  const html = { parse_mode: "HTML" } as const;
  await api.sendMessage(chat.id, `<b>${"&lt;".repeat(4_096)}</b>`, html);
  await api.sendMessage(chat.id, "😀".repeat(2_048));
  const long = "400 Bad Request: message is too long";
  assert.equal(await refusal(api.sendMessage(chat.id, `a${"😀".repeat(2_048)}`)), long);
  const empty = "400 Bad Request: message text is empty";
  assert.equal(await refusal(api.sendMessage(chat.id, "<b> </b>\n", html)), empty);
  assert.equal(await refusal(api.sendMessage(chat.id, "")), empty);
  assert.match(await refusal(api.sendMessage(chat.id, "half \ud83d")), /must be encoded in UTF-8/);
  const trimmed = await api.sendMessage(chat.id, "\n a\u202e\tb \n");
  assert.equal(trimmed.text, "a b");
});

it("reads Telegram's HTML and no other", async (t) => {
  const { fake, chat, api } = await open(t);
  const good: [string, string, object[]][] = [
    ["a < b".replace("<", "&lt;"), "a < b", []],
    ["&#128512;&#x41; &nbsp; &amp;lt;", "😀A &nbsp; &lt;", []],
    ["é<I>x</i>", "éx", [{ type: "italic", offset: 1, length: 1 }]],
    [
      '<pre><code class="language-ts">a</code></pre>',
      "a",
      [{ type: "pre", offset: 0, length: 1, language: "ts" }],
    ],
    ["<pre><b>x</b>y</pre>", "xy", [{ type: "pre", offset: 0, length: 2 }]],
    [
      '<a href="https://e.test/?a=1&amp;b=2">x</a>',
      "x",
      [{ type: "text_link", offset: 0, length: 1, url: "https://e.test/?a=1&b=2" }],
    ],
    ['<a href="javascript:x">y</a>', "y", []],
    [
      "<blockquote expandable>q</blockquote>",
      "q",
      [{ type: "expandable_blockquote", offset: 0, length: 1 }],
    ],
    [
      "<s><u>x</u></s><tg-spoiler>y</tg-spoiler>",
      "xy",
      [
        { type: "underline", offset: 0, length: 1 },
        { type: "strikethrough", offset: 0, length: 1 },
        { type: "spoiler", offset: 1, length: 1 },
      ],
    ],
  ];
  for (const [html] of good) await api.sendMessage(chat.id, html, { parse_mode: "HTML" });
  const seen = fake.messages(chat).map(({ text, entities }) => [text, entities]);
  assert.deepEqual(
    seen,
    good.map(([, text, entities]) => [text, entities]),
  );
});

it("names what is wrong in HTML, and the byte where", async (t) => {
  const { chat, api } = await open(t);
  const bad: [string, string][] = [
    ["é <x>y</x>", 'Unsupported start tag "x" at byte offset 3'],
    ["a < b", 'Unsupported start tag "" at byte offset 2'],
    ["<b>é</i>", 'Unmatched end tag at byte offset 5, expected "</b>", found "</i>"'],
    ["<b><i>x", 'Can\'t find end tag corresponding to start tag "i"'],
    ["x</b>", "Unexpected end tag at byte offset 1"],
    ["x <b", "Unclosed start tag at byte offset 2"],
    ["<b>x</b", "Unclosed end tag at byte offset 4"],
    [
      "<a href>x</a>",
      'Expected equal sign in declaration of an attribute of the tag "a" at byte offset 0',
    ],
    ["<a href=x/y>x</a>", "Unexpected end of name token at byte offset 8"],
    ["<span>x</span>", 'Tag "span" must have class "tg-spoiler" at byte offset 0'],
  ];
  for (const [html, problem] of bad)
    assert.equal(
      await refusal(api.sendMessage(chat.id, html, { parse_mode: "HTML" })),
      `400 Bad Request: can't parse entities: ${problem}`,
    );
});

it("takes callback data of 1 to 64 bytes", async (t) => {
  const { chat, api } = await open(t);
  const send = (callback_data: string) =>
    api.sendMessage(chat.id, "?", {
      reply_markup: { inline_keyboard: [[{ text: "go", callback_data }]] },
    });
  await send("é".repeat(32));
  assert.equal(await refusal(send("é".repeat(33))), "400 Bad Request: BUTTON_DATA_INVALID");
  assert.equal(await refusal(send("")), "400 Bad Request: BUTTON_DATA_INVALID");
});

it("edits what is there and differs, and removes the buttons that an edit leaves out", async (t) => {
  const { fake, ana, chat, api } = await open(t);
  const keyboard = { inline_keyboard: [[{ text: "go", callback_data: "go" }]] };
  const { message_id } = await api.sendMessage(chat.id, "a", { reply_markup: keyboard });
  const same = api.editMessageText(chat.id, message_id, "a", { reply_markup: keyboard });
  assert.match(await refusal(same), /^400 Bad Request: message is not modified: /);
  await api.editMessageText(chat.id, message_id, "a");
  assert.deepEqual(fake.messages(chat)[0]?.buttons, []);
  const long = api.editMessageText(chat.id, message_id, "x".repeat(4_097));
  assert.equal(await refusal(long), "400 Bad Request: MESSAGE_TOO_LONG");
  const { messageId } = ana.sends(chat, "hers");
  const hers = api.editMessageText(chat.id, messageId, "mine");
  assert.equal(await refusal(hers), "400 Bad Request: message can't be edited");
  await api.deleteMessage(chat.id, message_id);
  const gone = api.editMessageReplyMarkup(chat.id, message_id);
  assert.equal(await refusal(gone), "400 Bad Request: message to edit not found");
  const twice = api.deleteMessage(chat.id, message_id);
  assert.equal(await refusal(twice), "400 Bad Request: message to delete not found");
  assert.equal(fake.transcript(chat), "2 Ana: hers");
});

it("refuses chats that are unknown, unopened, blocked, left or moved", async (t) => {
  const { fake, ana, chat, api, heard } = await open(t);
  const say = (id: number) => refusal(api.sendMessage(id, "hello"));
  const bob = fake.user({ name: "Bob" });
  assert.equal(await say(999), "400 Bad Request: chat not found");
  assert.match(await say(bob.user.id), /^403 Forbidden: bot can't initiate conversation/);
  fake.membership(chat, "kicked", ana);
  assert.equal(await say(chat.id), "403 Forbidden: bot was blocked by the user");
  assert.equal(
    ((await heard()).my_chat_member as { new_chat_member: { status: string } }).new_chat_member
      .status,
    "kicked",
  );
  fake.membership(chat, "member", ana);
  await api.sendMessage(chat.id, "back");
  const group = fake.group({ title: "Team", basic: true });
  const moved = fake.migrate(group, ana);
  assert.equal((await heard()).migrate_from_chat_id, group.id);
  const error = await api.sendMessage(group.id, "old").catch((reason: unknown) => reason);
  assert.ok(error instanceof GrammyError);
  assert.equal(error.error_code, 400);
  assert.equal(error.parameters.migrate_to_chat_id, moved.id);
  await api.sendMessage(moved.id, "new");
  const other = fake.group({ joined: false });
  assert.match(await say(other.id), /^403 Forbidden: bot is not a member of the supergroup chat/);
  fake.membership(other, "member", ana);
  assert.ok((await heard()).new_chat_members);
  await api.sendMessage(other.id, "thanks");
  fake.membership(moved, "kicked", ana);
  assert.equal(await say(moved.id), "403 Forbidden: bot was kicked from the supergroup chat");
});

it("knows the topics of a forum, and none for General", async (t) => {
  const { fake, ana, api, heard } = await open(t);
  const forum = fake.group({ title: "Team", forum: true });
  const deploys = fake.topic(forum, "Deploys", ana);
  const asked = ana.sends(forum, "@sallyport_bot go", { message_thread_id: deploys });
  const { message_thread_id, is_topic_message, reply_to_message } = await heard();
  assert.deepEqual([message_thread_id, is_topic_message], [deploys, true]);
  assert.ok((reply_to_message as Record<string, unknown>).forum_topic_created);
  await api.sendMessage(forum.id, "going", {
    message_thread_id: deploys,
    reply_parameters: { message_id: asked.messageId },
  });
  const general = ana.sends(forum, "hi");
  ana.sends(forum, "answering", { reply_to: general.messageId });
  const reply = await heard();
  assert.equal(reply.is_topic_message, undefined);
  const missing = "400 Bad Request: message thread not found";
  for (const id of [reply.message_thread_id as number, 1]) {
    const send = api.sendMessage(forum.id, "x", { message_thread_id: id });
    assert.equal(await refusal(send), missing);
    const typing = api.sendChatAction(forum.id, "typing", { message_thread_id: id });
    assert.equal(await refusal(typing), missing);
  }
  assert.equal(
    fake.transcript(forum),
    [
      "2 {Deploys} Ana: <forum topic created>",
      "3 {Deploys} Ana: @sallyport_bot go",
      "4 {Deploys} sallyport_bot → 3: going",
      "5 Ana: hi",
      "6 Ana → 5: answering",
    ].join("\n"),
  );
  fake.deleteTopic(forum, deploys);
  const gone = api.sendMessage(forum.id, "x", { message_thread_id: deploys });
  assert.equal(await refusal(gone), missing);
});

it("lets a press be answered for a while only", async (t) => {
  let now = 5_000_000;
  const { ana, chat, api, heard } = await open(t, { pressLifetimeMs: 1_000, now: () => now });
  const reply_markup = { inline_keyboard: [[{ text: "go", callback_data: "data-go" }]] };
  const { message_id } = await api.sendMessage(chat.id, "?", { reply_markup });
  const { queryId } = ana.presses(chat, message_id, "data-go");
  now += 1_001;
  assert.match(
    await refusal(api.answerCallbackQuery(queryId)),
    /^400 Bad Request: query is too old/,
  );
  await api.deleteMessage(chat.id, message_id);
  ana.presses(chat, message_id, "data-go", { inaccessible: true });
  const { callback_query } = (await heard()) as { callback_query: Record<string, unknown> };
  assert.deepEqual(callback_query.message, { chat, message_id, date: 0 });
  assert.equal(callback_query.data, "data-go");
  assert.throws(() => ana.presses(chat, message_id, "go"));
});

it("moves files both ways, within the platform's limits", async (t) => {
  const { fake, ana, chat, api, heard } = await open(t);
  ana.sends(chat, "see /this", { document: { name: "a.txt", content: "hello" } });
  const message = (await heard()) as { document: { file_id: string }; caption_entities: object };
  assert.deepEqual(message.caption_entities, [{ type: "bot_command", offset: 4, length: 5 }]);
  const { file_path } = await api.getFile(message.document.file_id);
  const download = await fetch(`${fake.url}/file/bot${fake.token}/${file_path}`);
  assert.equal(await download.text(), "hello");
  ana.sends(chat, "", { document: { name: "big.bin", size: 25_000_000 } });
  const big = (await heard()) as { document: { file_id: string } };
  assert.equal(
    await refusal(api.getFile(big.document.file_id)),
    "400 Bad Request: file is too big",
  );

  const file = () => new InputFile(Buffer.from("report"), "réport.md");
  await api.sendDocument(chat.id, file(), { caption: "<i>done</i>", parse_mode: "HTML" });
  const seen = fake.messages(chat).at(-1);
  assert.deepEqual([seen?.file?.name, seen?.file?.size, seen?.text], ["réport.md", 6, "done"]);
  const caption = "x".repeat(1_025);
  const long = "400 Bad Request: message caption is too long";
  assert.equal(await refusal(api.sendDocument(chat.id, file(), { caption })), long);
  const broken = "400 Bad Request: IMAGE_PROCESS_FAILED";
  assert.equal(await refusal(api.sendPhoto(chat.id, file())), broken);
  await api.sendPhoto(chat.id, new InputFile(Buffer.from("\x89PNG\r\n", "latin1"), "a.png"));
  const empty = new InputFile(Buffer.from(""), "empty");
  assert.match(await refusal(api.sendDocument(chat.id, empty)), /file must be non-empty/);
  assert.match(fake.transcript(chat), /big\.bin, 25\.0 MB[\s\S]*<réport\.md, 6 B>\n {3}done/);
});

it("finds entities as UTF-16 offsets, and passes on what else a person sends", async (t) => {
  const { fake, ana, chat, heard } = await open(t);
  ana.sends(chat, "😀 @sallyport_bot do /x@ana_bot https://e.test/a.");
  assert.deepEqual((await heard()).entities, [
    { type: "mention", offset: 3, length: 14 },
    { type: "bot_command", offset: 21, length: 10 },
    { type: "url", offset: 32, length: 16 },
  ]);
  ana.sends(chat, "", { location: { latitude: 1, longitude: 2 } });
  assert.deepEqual((await heard()).location, { latitude: 1, longitude: 2 });
  const photo = ana.sends(chat, "look", { photo: { size: 10 }, media_group_id: "g" });
  const album = await heard();
  assert.deepEqual([album.caption, album.media_group_id], ["look", "g"]);
  ana.edits(chat, photo.messageId, "look again");
  const { edited_message } = (await heard()) as { edited_message: Record<string, unknown> };
  assert.deepEqual([edited_message.caption, edited_message.text], ["look again", undefined]);
  const group = fake.group({ title: "Team" });
  ana.sends(group, "as nobody", { sender_chat: group });
  assert.equal(((await heard()).from as { id: number }).id, 1087968824);
});

it("keeps from the bot what a group's privacy keeps from it", async (t) => {
  const { fake, ana, api } = await open(t, { privacy: true });
  const group = fake.group();
  const { message_id } = await api.sendMessage(group.id, "hello");
  assert.equal(ana.sends(group, "among us").updateId, undefined);
  assert.ok(ana.sends(group, "@Sallyport_bot you").updateId);
  assert.ok(ana.sends(group, "/help").updateId);
  assert.ok(ana.sends(group, "you", { reply_to: message_id }).updateId);
});

it("checks and keeps the command menu", async (t) => {
  const { api } = await open(t);
  const commands = [{ command: "help", description: "what I can do" }];
  await api.setMyCommands(commands);
  assert.deepEqual(await api.getMyCommands(), commands);
  const bad = api.setMyCommands([{ command: "Help!", description: "x" }]);
  assert.equal(await refusal(bad), "400 Bad Request: BOT_COMMAND_INVALID");
});
