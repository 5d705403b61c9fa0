// The fake Discord behaves as the real discord.js expects of Discord.
import assert from "node:assert/strict";
import { once } from "node:events";
import { it, type TestContext } from "node:test";
import {
  ActionRowBuilder,
  ButtonBuilder,
  ButtonStyle,
  Client,
  DiscordAPIError,
  Events,
  GatewayIntentBits,
  type Interaction,
  type Message,
  MessageFlags,
  Partials,
} from "discord.js";
import { type DiscordServerOptions, startDiscordServer } from "../fakes/discord-server.ts";

const { Guilds, GuildMessages, DirectMessages, MessageContent } = GatewayIntentBits;
const allIntents = [Guilds, GuildMessages, DirectMessages, MessageContent];

async function open(t: TestContext, options: DiscordServerOptions = {}, intents = allIntents) {
  const fake = await startDiscordServer(options);
  const client = new Client({
    intents,
    partials: [Partials.Channel, Partials.Message],
    rest: { api: `${fake.url}/api`, timeout: 2_000, retries: 0 },
  });
  t.after(async () => {
    await client.destroy();
    await fake.close();
  });
  const [ana, ben] = [fake.user({ name: "Ana" }), fake.user({ name: "Ben" })];
  const guild = fake.guild({ title: "Work", members: [ana, ben] });
  const channel = fake.textChannel(guild, "general");
  const heard: Message[] = [];
  client.on(Events.MessageCreate, (message) => void heard.push(message));
  const login = async () => {
    const ready = once(client, Events.ClientReady);
    await client.login(fake.token);
    await ready;
  };
  return { fake, client, ana, ben, guild, channel, dm: fake.dm(ana), heard, login };
}

type Stage = Awaited<ReturnType<typeof open>>;

async function heardText({ client, heard }: Stage, text: string): Promise<Message> {
  for (;;) {
    const found = heard.find(({ content }) => content.includes(text));
    if (found) return found;
    await once(client, Events.MessageCreate, { signal: AbortSignal.timeout(5_000) });
  }
}

const allow = new ActionRowBuilder<ButtonBuilder>().addComponents(
  new ButtonBuilder().setCustomId("yes:1").setLabel("Allow").setStyle(ButtonStyle.Success),
  new ButtonBuilder().setCustomId("no:1").setLabel("Deny").setStyle(ButtonStyle.Danger),
);

it("lets a person and a bot talk in a direct chat that the bot has never seen", async (t) => {
  const stage = await open(t);
  const { fake, client, ana, dm, login } = stage;
  await login();
  assert.equal(client.user?.id, fake.me.id);
  ana.sends(dm, "hello");
  const message = await heardText(stage, "hello");
  assert.ok(message.channel.isDMBased());
  await message.reply({ content: "Run it?", components: [allow] });
  const [, answer] = fake.messages(dm);
  assert.equal(answer?.byBot, true);
  assert.deepEqual(
    answer.buttons.flat().map(({ text }) => text),
    ["Allow", "Deny"],
  );
  assert.equal(answer.replyTo, message.id);
});

it("shows an ephemeral answer to a press to the presser alone", async (t) => {
  const stage = await open(t);
  const { fake, client, ana, ben, channel, login } = stage;
  client.on(Events.InteractionCreate, async (interaction: Interaction) => {
    if (!interaction.isButton()) return;
    await interaction.deferUpdate();
    await interaction.followUp({ content: "Not for you.", flags: MessageFlags.Ephemeral });
    await interaction.message.edit({ content: "Done", components: [] });
  });
  await login();
  ana.sends(channel, "ask", { mention: true });
  await (await heardText(stage, "ask")).reply({ content: "Run it?", components: [allow] });
  const card = fake.messages(channel)[1];
  const { interactionId } = ben.presses(card?.id ?? "", "Allow");
  await fake.waitFor(() => fake.messages(channel)[1]?.text === "Done");
  assert.deepEqual(
    fake.ephemerals(ben).map(({ text }) => text),
    ["Not for you."],
  );
  assert.deepEqual(fake.ephemerals(ana), []);
  const { failed, answers, answer } = fake.interaction(interactionId);
  assert.deepEqual([failed, answers.length, answer], [false, 1, 6]);
  assert.throws(() => ana.presses(card?.id ?? "", "Allow"), /has no button "Allow"/);
  assert.match(fake.transcript(channel), /sallyport \(only Ben\): Not for you\./);
});

it("takes a bot's commands, and lets people run them with what they wrote", async (t) => {
  const stage = await open(t);
  const { fake, client, ana, channel, login } = stage;
  client.on(Events.InteractionCreate, async (interaction: Interaction) => {
    if (!interaction.isChatInputCommand()) return;
    await interaction.deferReply({ flags: MessageFlags.Ephemeral });
    if (interaction.options.getString("rest") === "quietly") await interaction.deleteReply();
    else await interaction.editReply(`Stopped ${interaction.options.getString("rest")}`);
  });
  await login();
  const options = [{ name: "rest", description: "What to stop", type: 3 as const }];
  await client.application?.commands.set([{ name: "stop", description: "Stops", options }]);
  const { interactionId } = ana.slash(channel, "stop", { rest: "all" });
  const done = await fake.waitFor(() =>
    fake.interaction(interactionId).answers.find(({ thinking }) => !thinking),
  );
  assert.deepEqual([done.text, done.onlyFor?.id], ["Stopped all", ana.id]);
  const quiet = ana.slash(channel, "stop", { rest: "quietly" });
  await fake.waitFor(() => fake.counters.deleted === 1);
  assert.deepEqual(fake.interaction(quiet.interactionId).answers, []);
  assert.throws(() => ana.slash(channel, "go"), /no command \/go/);
});

it("tells what came meanwhile when a connection died and the session is resumed", async (t) => {
  const stage = await open(t);
  const { fake, ana, channel, login } = stage;
  await login();
  ana.sends(channel, "before");
  await heardText(stage, "before");
  fake.gateway.drop();
  ana.sends(channel, "meanwhile");
  await heardText(stage, "meanwhile");
  assert.deepEqual([fake.counters.identifies, fake.counters.resumed], [1, 1]);
  assert.equal(stage.heard.length, 2);
  fake.gateway.reconnect();
  await fake.waitFor(() => fake.counters.resumed === 2);
});

it("starts anew without what was missed when a session is not resumed", async (t) => {
  const stage = await open(t);
  const { fake, client, ana, channel, login } = stage;
  await login();
  fake.gateway.refuseResume();
  fake.gateway.drop();
  const { messageId } = ana.sends(channel, "missed");
  // discord.js waits a random time of up to five seconds before it identifies again.
  await fake.waitFor(() => fake.counters.identifies === 2, { timeoutMs: 10_000 });
  await fake.waitFor(() => fake.gateway.connected);
  ana.sends(channel, "heard");
  await heardText(stage, "heard");
  assert.equal(stage.heard.length, 1);
  const known = await client.channels.fetch(channel.id);
  assert.ok(known?.isTextBased());
  const after = await known.messages.fetch({ after: String(BigInt(messageId) - 1n) });
  assert.deepEqual(
    after.map(({ content }) => content),
    ["heard", "missed"],
  );
});

it("refuses a wrong token and an intent that is not switched on", async (t) => {
  const stage = await open(t, { messageContentAllowed: false });
  await assert.rejects(stage.client.login(stage.fake.token), /disallowed intents/i);
  const other = await open(t);
  other.fake.revokeToken();
  await assert.rejects(other.client.login(other.fake.token), /token/i);
});

it("hides what people write from a bot that may not read it", async (t) => {
  const intents = [Guilds, GuildMessages, DirectMessages];
  const stage = await open(t, { messageContentAllowed: false }, intents);
  const { fake, ana, channel, dm, heard, login } = stage;
  await login();
  ana.sends(channel, "not for the bot", { files: [{ name: "a.txt", content: "a" }] });
  ana.sends(channel, "for the bot", { mention: true });
  ana.sends(dm, "direct");
  await heardText(stage, "direct");
  assert.deepEqual(
    heard.map(({ content, attachments }) => [content, attachments.size]),
    [
      ["", 0],
      [`<@${fake.me.id}> for the bot`, 0],
      ["direct", 0],
    ],
  );
});

it("tells of threads, forum posts and guilds that come and go", async (t) => {
  const stage = await open(t);
  const { fake, client, ana, guild, channel, login } = stage;
  const seen: string[] = [];
  client.on(Events.ThreadCreate, (thread) => void seen.push(`thread ${thread.name}`));
  client.on(Events.GuildCreate, (joined) => void seen.push(`in ${joined.name}`));
  const left = once(client, Events.GuildDelete);
  await login();
  const thread = fake.thread(channel, "Builds", { by: ana });
  ana.sends(thread, "in the thread");
  const inThread = await heardText(stage, "in the thread");
  assert.ok(inThread.channel.isThread());
  assert.equal(inThread.channel.parentId, channel.id);
  const forum = fake.forum(guild, "ideas");
  const post = fake.post(forum, { title: "Dark mode", text: "please", by: ana });
  const first = await heardText(stage, "please");
  assert.deepEqual([first.id, first.channelId], [post.id, post.id]);
  const other = fake.guild({ title: "Other", members: [ana], joined: false });
  fake.membership(other, true, ana);
  fake.membership(other, false, ana);
  assert.equal((await left)[0].name, "Other");
  assert.deepEqual(seen, ["thread Builds", "thread Dark mode", "in Other"]);
});

it("takes files from a bot and gives it those of people", async (t) => {
  const stage = await open(t);
  const { fake, ana, dm, login } = stage;
  await login();
  ana.sends(dm, "look", {
    files: [{ name: "my notes.txt", content: "secret", mime: "text/plain" }],
  });
  const message = await heardText(stage, "look");
  const file = message.attachments.first();
  assert.deepEqual([file?.name, file?.title, file?.size], ["my_notes.txt", "my notes", 6]);
  assert.equal(await (await fetch(file?.url ?? "")).text(), "secret");
  const unsigned = (file?.url ?? "").replace(/hm=.*/, "hm=0");
  assert.equal((await fetch(unsigned)).status, 404);
  const attachment = Buffer.from("answer");
  await message.reply({ content: "here", files: [{ attachment, name: "out.txt" }] });
  const [, sent] = fake.messages(dm);
  assert.equal(sent?.files[0]?.name, "out.txt");
  assert.equal(Buffer.from(sent.files[0]?.bytes ?? []).toString(), "answer");
});

it("refuses through discord.js with Discord's own numbers", async (t) => {
  const stage = await open(t);
  const { fake, client, ana, ben, channel, login } = stage;
  await login();
  const user = await client.users.fetch(ana.id);
  ana.takesDirect(false);
  await assert.rejects(user.send("hi"), refusedWith(50007));
  const known = await client.channels.fetch(channel.id);
  assert.ok(known?.isSendable());
  await assert.rejects(known.send("a".repeat(2_001)), refusedWith(50035));
  fake.forbid(channel, "SendMessages");
  await assert.rejects(known.send("hi"), refusedWith(50013));
  fake.forbid(channel, "ViewChannel");
  await assert.rejects(known.send("hi"), refusedWith(50001));
  const stranger = fake.user({ name: "Stranger" });
  const far = await client.users.fetch(stranger.id);
  await assert.rejects(far.send("hi"), refusedWith(50278));
  assert.equal((await (await client.users.fetch(ben.id)).send("hi")).content, "hi");
});

function refusedWith(code: number) {
  return (error: unknown) => {
    assert.ok(error instanceof DiscordAPIError, String(error));
    assert.equal(error.code, code);
    return true;
  };
}
