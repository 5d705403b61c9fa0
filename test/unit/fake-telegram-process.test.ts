// The fake Bot API server works in a process of its own, and for a person at a keyboard or a script.
import assert from "node:assert/strict";
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { it } from "node:test";
import { Bot } from "grammy";
import { startTelegramProcess } from "../fakes/telegram-remote.ts";

function echoBot(url: string, token: string): Bot {
  const bot = new Bot(token, { client: { apiRoot: url } });
  bot.command("ask", (context) =>
    context.reply("Allow?", {
      reply_markup: { inline_keyboard: [[{ text: "Yes", callback_data: "yes" }]] },
    }),
  );
  bot.on("message:text", (context) => context.reply(`echo ${context.message.text}`));
  bot.on("callback_query", async (context) => {
    await context.answerCallbackQuery("Noted");
    await context.editMessageText("Allowed");
  });
  return bot;
}

it("takes orders in a process of its own, and ends with its parent's channel", async (t) => {
  const remote = await startTelegramProcess({ record: false });
  t.after(() => remote.close());
  const bot = echoBot(remote.url, remote.token);
  void bot.start();
  await remote.order("polled", { timeoutMs: 5_000 });
  const chats = await remote.order("people", { count: 3 });
  const [first = 0] = chats;
  assert.ok((await remote.order("roundTrip", { chat: first, text: "hi" })) > 0);
  await remote.order("sayMany", { chats, text: "number {n}", count: 9 });
  assert.equal(await remote.order("sent", { count: 10, timeoutMs: 5_000 }), 10);
  const texts = await remote.order("texts", { chat: first });
  assert.ok(texts.some(({ byBot, text }) => byBot && text === "echo number 6"));
  await remote.order("fault", { method: "getMe", fault: { kind: "drop" } });
  await assert.rejects(bot.api.getMe());
  await assert.rejects(remote.order("say", { chat: 1, text: "x" }), /no person has chat 1/);
  await bot.stop();
  await remote.close();
  await assert.rejects(remote.order("counters", null));
});

it("is played by a script: lines in, the chat out", async (t) => {
  const play = spawn(process.execPath, ["test/fakes/telegram-play.ts", "--port", "0"], {
    cwd: `${import.meta.dirname}/../..`,
  });
  t.after(() => play.kill());
  const output = collect(play);
  await output.shows(/:quit\n/);
  const url = /at (http:\S+)/.exec(output.text())?.[1] ?? "";
  const token = /Token: (\S+)/.exec(output.text())?.[1] ?? "";
  assert.ok(output.text().includes(`channel add telegram --api-root ${url}`));
  const bot = echoBot(url, token);
  void bot.start();
  play.stdin.write("hello\n:wait echo hello\n/ask\n:wait Yes\n:press 1\n:wait Allowed\n");
  await output.shows(/\(edited\): Allowed\n/);
  await bot.stop();
  play.stdin.end(":quit\n");
  const [code] = await once(play, "exit");
  assert.equal(code, 0, output.text());
  assert.match(
    output.text(),
    /1 ana: hello\n2 sallyport_bot: echo hello\n3 ana: \/ask\n4 sallyport_bot: Allow\?\n {3}\[1 Yes\]\n/,
  );
  assert.match(output.text(), /\(to Ana: Noted\)/);
});

function collect(child: ChildProcessWithoutNullStreams) {
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  return {
    text: () => text,
    async shows(pattern: RegExp): Promise<void> {
      while (!pattern.test(text)) await once(child.stdout, "data");
    },
  };
}
