// The fake Bot API server keeps the real one's rules, seen through grammY and through plain fetch.
import assert from "node:assert/strict";
import { it, type TestContext } from "node:test";
import { Bot, GrammyError, HttpError, InlineKeyboard } from "grammy";
import {
  type FakeTelegram,
  startTelegramServer,
  type TelegramServerOptions,
} from "../fakes/telegram-server.ts";

interface Answer {
  ok: boolean;
  result?: unknown;
  error_code?: number;
  description?: string;
  parameters?: { retry_after?: number; migrate_to_chat_id?: number };
}

async function open(t: TestContext, options: TelegramServerOptions = {}) {
  const fake = await startTelegramServer(options);
  const bot = new Bot(fake.token, { client: { apiRoot: fake.url } });
  t.after(async () => {
    await bot.stop();
    await fake.close();
  });
  const ana = fake.user({ id: 11, name: "Ana", username: "ana" });
  const chat = fake.privateChat(ana);
  return { fake, ana, chat, bot, api: bot.api };
}

async function post(fake: FakeTelegram, method: string, params: object = {}): Promise<Answer> {
  const response = await fetch(`${fake.url}/bot${fake.token}/${method}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(params),
  });
  return (await response.json()) as Answer;
}

async function ids(fake: FakeTelegram, params: object = {}): Promise<number[]> {
  const { result } = await post(fake, "getUpdates", params);
  return (result as { update_id: number }[]).map((update) => update.update_id);
}

async function refusal(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof GrammyError, `refused by the API, not ${String(error)}`);
  return `${error.error_code} ${error.description}`;
}

it("lets a grammY bot talk with a person, who presses a button", async (t) => {
  const { fake, ana, chat, bot } = await open(t);
  bot.command("start", (context) =>
    context.reply("<b>Run</b> it?", {
      parse_mode: "HTML",
      reply_markup: new InlineKeyboard().text("Allow", "yes:1").text("Deny", "no:1"),
    }),
  );
  bot.on("callback_query:data", async (context) => {
    await context.answerCallbackQuery("Noted");
    await context.editMessageText(`You chose ${context.callbackQuery.data}`);
  });
  void bot.start({ allowed_updates: ["message", "callback_query"] });

  ana.sends(chat, "/start");
  const card = await fake.waitFor(() => fake.messages(chat).find((one) => one.byBot));
  assert.equal(fake.transcript(chat), "1 Ana: /start\n2 sallyport_bot: Run it?\n   [Allow] [Deny]");
  assert.deepEqual(card.entities, [{ type: "bold", offset: 0, length: 3 }]);
  const { queryId } = ana.presses(chat, card.id, "Deny");
  await fake.waitFor(() => fake.counters.edited === 1);
  assert.equal(
    fake.transcript(chat),
    "1 Ana: /start\n2 sallyport_bot (edited): You chose no:1\n   (notice to Ana: Noted)",
  );
  assert.deepEqual(fake.press(queryId)?.answers, [{ text: "Noted", alert: false }]);
  assert.doesNotMatch(JSON.stringify(fake.calls), /fake-token/);
});

it("delivers updates again until an offset confirms them", async (t) => {
  const { fake, ana, chat } = await open(t, { firstUpdateId: 50 });
  for (const text of ["a", "b", "c"]) ana.sends(chat, text);
  assert.deepEqual(await ids(fake), [50, 51, 52]);
  assert.deepEqual(await ids(fake, { limit: 2 }), [50, 51]);
  assert.deepEqual(await ids(fake, { offset: 51 }), [51, 52]);
  assert.deepEqual(await ids(fake), [51, 52]);
  assert.deepEqual(await ids(fake, { offset: -1 }), [52]);
  assert.deepEqual(await ids(fake, { offset: 53 }), []);
  assert.equal(fake.queue.unconfirmed, 0);
});

it("delivers again what a broken connection swallowed", async (t) => {
  const { fake, ana, chat } = await open(t);
  const { updateId } = ana.sends(chat, "hello");
  fake.faults.drop("getUpdates");
  await assert.rejects(ids(fake));
  assert.deepEqual(await ids(fake), [updateId]);
});

it("holds a long poll until something comes, and hands over a burst together", async (t) => {
  const { fake, ana, chat } = await open(t);
  const poll = ids(fake, { timeout: 30 });
  await fake.waitFor(() => fake.queue.polling);
  const pushed = [ana.sends(chat, "a"), ana.sends(chat, "b")].map((sent) => sent.updateId);
  assert.deepEqual(await poll, pushed);
});

it("gives never more than a hundred updates at once", async (t) => {
  const { fake, ana, chat } = await open(t);
  for (let count = 0; count < 120; count += 1) ana.sends(chat, String(count));
  assert.equal((await ids(fake, { limit: 500 })).length, 100);
});

it("ignores an offset of an older numbering", async (t) => {
  const { fake, ana, chat } = await open(t, { firstUpdateId: 9_000 });
  ana.sends(chat, "before the quiet week");
  assert.throws(() => fake.renumberUpdates(300));
  await ids(fake, { offset: 9_001 });
  fake.renumberUpdates(300);
  ana.sends(chat, "after it");
  assert.deepEqual(await ids(fake, { offset: 9_001 }), [300]);
  assert.deepEqual(await ids(fake, { offset: 301 }), []);
});

it("never creates updates of a kind the bot did not ask for", async (t) => {
  const { fake, ana, chat } = await open(t);
  await ids(fake, { allowed_updates: ["callback_query"] });
  assert.equal(ana.sends(chat, "unheard").updateId, undefined);
  await ids(fake, { allowed_updates: [] });
  assert.ok(ana.sends(chat, "heard").updateId);
  assert.equal(fake.push({ message_reaction: {} }), undefined);
});

it("ends the older of two polls with a conflict", async (t) => {
  const { fake, ana, chat } = await open(t);
  const older = post(fake, "getUpdates", { timeout: 30 });
  await fake.waitFor(() => fake.queue.polling);
  const newer = ids(fake, { timeout: 30 });
  assert.deepEqual(await older, {
    ok: false,
    error_code: 409,
    description:
      "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
  });
  const { updateId } = ana.sends(chat, "for the newer one");
  assert.deepEqual(await newer, [updateId]);
  assert.equal(fake.counters.conflicts, 1);
});

it("forgets a poll whose caller is gone, and loses nothing by it", async (t) => {
  const { fake, ana, chat } = await open(t);
  const caller = new AbortController();
  const poll = fetch(`${fake.url}/bot${fake.token}/getUpdates?timeout=30`, {
    signal: caller.signal,
  });
  await fake.waitFor(() => fake.queue.polling);
  caller.abort();
  await assert.rejects(poll);
  const { updateId } = ana.sends(chat, "hello");
  assert.deepEqual(await ids(fake), [updateId]);
});

it("knows only its own token, and that one until it is revoked", async (t) => {
  const { fake, api } = await open(t);
  assert.equal((await api.getMe()).username, "sallyport_bot");
  const stranger = await fetch(`${fake.url}/bot1:x/getMe`);
  assert.equal(stranger.status, 401);
  assert.equal((await post(fake, "getNothing")).description, "Not Found: method not found");
  fake.revokeToken();
  assert.equal(await refusal(api.getMe()), "401 Unauthorized");
});

it("counts a chat's limits, its group's, its own, and who breaks them", async (t) => {
  let now = 1_000_000;
  const { fake, chat, api } = await open(t, { limits: true, now: () => now });
  const first = await api.sendMessage(chat.id, "1");
  await api.sendMessage(chat.id, "2");
  await api.editMessageText(chat.id, first.message_id, "edits count");
  await api.sendChatAction(chat.id, "typing");
  assert.deepEqual(await post(fake, "sendMessage", { chat_id: chat.id, text: "4" }), {
    ok: false,
    error_code: 429,
    description: "Too Many Requests: retry after 1",
    parameters: { retry_after: 1 },
  });
  now += 500;
  assert.match(await refusal(api.sendMessage(chat.id, "too early")), /^429 /);
  assert.equal(fake.counters.violations, 1);
  now += 500;
  await api.sendMessage(chat.id, "4");

  const group = fake.group();
  for (let count = 0; count < 20; count += 1) {
    await api.sendMessage(group.id, String(count));
    now += 1_000;
  }
  assert.match(await refusal(api.sendMessage(group.id, "over")), /^429 .* retry after 40$/);
  fake.useLimits(false);
  await api.sendMessage(group.id, "free");
  assert.equal(fake.counters.violations, 1);
});

it("drops, refuses, delays and withholds answers as often as it is told", async (t) => {
  const { fake, chat, api } = await open(t);
  fake.faults.drop("sendMessage");
  await assert.rejects(api.sendMessage(chat.id, "stored"), HttpError);
  fake.faults.fail("sendMessage", { times: 2 });
  assert.equal(await refusal(api.sendMessage(chat.id, "lost")), "502 Bad Gateway");
  assert.equal(await refusal(api.sendMessage(chat.id, "lost")), "502 Bad Gateway");
  fake.faults.status("sendMessage", {
    code: 429,
    description: "Too Many Requests: retry after 7",
    parameters: { retry_after: 7 },
    match: ({ text }) => text === "b",
  });
  await api.sendMessage(chat.id, "a");
  assert.match(await refusal(api.sendMessage(chat.id, "b")), /^429 /);
  fake.faults.hang("sendMessage");
  const patience = AbortSignal.timeout(50);
  await assert.rejects(api.sendMessage(chat.id, "unheard", {}, patience as never));
  fake.faults.slow("sendMessage", { ms: 40 });
  const before = performance.now();
  await api.sendMessage(chat.id, "late");
  assert.ok(performance.now() - before >= 35);
  assert.deepEqual(
    fake.messages(chat).map((message) => message.text),
    ["stored", "a", "late"],
  );
});

it("holds a call before it acts, or after it did, until the test lets go", async (t) => {
  const { fake, chat, api } = await open(t);
  const before = fake.faults.stallAt("sendMessage");
  const first = api.sendMessage(chat.id, "one");
  assert.equal((await before.arrived).params.text, "one");
  assert.equal(fake.messages(chat).length, 0);
  before.release();
  await first;

  const stored = fake.faults.stallAt("sendMessage", { when: "stored" });
  const second = api.sendMessage(chat.id, "two");
  await stored.arrived;
  assert.equal(fake.messages(chat).length, 2);
  stored.release();
  await second;
});

it("tells what the user sees when an awaited state does not come", async (t) => {
  const { fake, ana, chat } = await open(t);
  ana.sends(chat, "is anybody there");
  await assert.rejects(
    fake.waitFor(() => fake.messages(chat).find((one) => one.byBot), { timeoutMs: 20 }),
    /did not come within 20 ms[\s\S]*1 Ana: is anybody there/,
  );
});

it("keeps counters and only the newest messages when it does not record", async (t) => {
  const { fake, ana, chat, api } = await open(t, { record: false });
  for (let count = 0; count < 300; count += 1) ana.sends(chat, String(count));
  await api.sendMessage(chat.id, "last");
  assert.equal(fake.messages(chat).length, 200);
  assert.equal(fake.calls.length, 0);
  assert.deepEqual(fake.counters.calls, { sendMessage: 1 });
});
