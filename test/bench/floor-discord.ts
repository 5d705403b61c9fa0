// The floor on Discord: the thinnest program that does the same job. discord.js alone, one ACP agent, nothing kept.
import { Client, Events, GatewayIntentBits, Partials } from "discord.js";
import { inTurn, startAgent } from "./floor-agent.ts";

const [apiRoot = "", token = "", ...agent] = process.argv.slice(2);
const prompt = startAgent(agent);
const enter = inTurn();
const bot = new Client({
  intents: [GatewayIntentBits.DirectMessages, GatewayIntentBits.MessageContent],
  // A direct chat is unknown until its first message.
  partials: [Partials.Channel],
  // The fake has no limit, and the gateway keeps to none beside it.
  rest: { api: `${apiRoot}/api`, globalRequestsPerSecond: Number.POSITIVE_INFINITY },
});
bot.on(Events.MessageCreate, ({ author, channelId, channel, content }) => {
  if (author.bot || !channel.isSendable()) return;
  enter(channelId, async () => channel.send(await prompt(channelId, content)));
});
await bot.login(token);
