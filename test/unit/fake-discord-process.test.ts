// The fake Discord works in a process of its own, and for a person at a keyboard or a script.
import assert from "node:assert/strict";
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { it } from "node:test";
import { Client, Events, GatewayIntentBits, MessageFlags, Partials } from "discord.js";
import { startDiscordProcess } from "../fakes/discord-remote.ts";

const { Guilds, GuildMessages, DirectMessages, MessageContent } = GatewayIntentBits;

async function echoBot(url: string, token: string): Promise<Client> {
  const client = new Client({
    intents: [Guilds, GuildMessages, DirectMessages, MessageContent],
    partials: [Partials.Channel],
    rest: { api: `${url}/api` },
  });
  const yes = { type: 2 as const, style: 1 as const, label: "Yes", custom_id: "yes" };
  client.on(Events.MessageCreate, async (message) => {
    if (message.author.bot || message.system) return;
    if (message.content === "ask")
      await message.reply({ content: "Allow?", components: [{ type: 1, components: [yes] }] });
    else await message.reply(`echo ${message.content}`);
  });
  client.on(Events.InteractionCreate, async (interaction) => {
    if (interaction.isButton()) {
      await interaction.update({ content: "Allowed", components: [] });
      await interaction.followUp({ content: "Noted", flags: MessageFlags.Ephemeral });
    } else if (interaction.isChatInputCommand()) await interaction.reply("stopped");
  });
  const ready = once(client, Events.ClientReady);
  await client.login(token);
  await ready;
  await client.application?.commands.set([{ name: "stop", description: "Stops" }]);
  return client;
}

it("takes orders in a process of its own, and ends with its parent's channel", async (t) => {
  const remote = await startDiscordProcess({ record: false });
  t.after(() => remote.close());
  const bot = await echoBot(remote.url, remote.token);
  await remote.order("connected", { timeoutMs: 5_000 });
  const chats = await remote.order("people", { count: 3 });
  const [first = ""] = chats;
  assert.ok((await remote.order("roundTrip", { chat: first, text: "hi" })) > 0);
  await remote.order("sayMany", { chats, text: "number {n}", count: 9 });
  assert.equal(await remote.order("sent", { count: 10, timeoutMs: 5_000 }), 10);
  const texts = await remote.order("texts", { chat: first });
  assert.ok(texts.some(({ byBot, text }) => byBot && text === "echo number 6"));
  const lost = { chat: "1", text: "x" };
  await assert.rejects(remote.order("say", lost), /no person has chat 1/);
  await bot.destroy();
  await remote.close();
  await assert.rejects(remote.order("counters", null));
});

it("is played by a script: lines in, the channel out", async (t) => {
  const play = spawn(process.execPath, ["test/fakes/discord-play.ts", "--port", "0"], {
    cwd: `${import.meta.dirname}/../..`,
  });
  t.after(() => play.kill());
  const output = collect(play);
  await output.shows(/:quit\n/);
  const url = /at (http:\S+)/.exec(output.text())?.[1] ?? "";
  const token = /Token: (\S+)/.exec(output.text())?.[1] ?? "";
  assert.ok(output.text().includes(`channel add discord --api-root ${url}`));
  const bot = await echoBot(url, token);
  play.stdin.write("hello\n:wait echo hello\nask\n:wait Yes\n:press 1\n:wait Allowed\n");
  await output.shows(/\(only to Ana\): Noted\n/);
  play.stdin.write(":as bob\n:chat team\n@sallyport hi\n:wait hi\n/stop\n:wait stopped\n");
  play.stdin.write(":thread builds\nhere\n:wait echo here\n");
  await output.shows(/echo here\n/);
  // Before its platform is gone: discord.js would go on looking for it.
  await bot.destroy();
  play.stdin.end(":quit\n");
  const [code] = await once(play, "exit");
  assert.equal(code, 0, output.text());
  assert.match(output.text(), /1 ana: hello\n2 sallyport: echo hello\n3 ana: ask\n/);
  assert.match(
    output.text(),
    /4 sallyport: Allow\?\n {3}\[1 Yes\]\n4 sallyport \(edited\): Allowed\n/,
  );
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
