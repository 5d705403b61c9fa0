// The floor on Telegram: the thinnest program that does the same job. grammY with its runner, one ACP agent, nothing kept.
import { run, sequentialize } from "@grammyjs/runner";
import { Bot } from "grammy";
import { startAgent } from "./floor-agent.ts";

const [apiRoot = "", token = "", ...agent] = process.argv.slice(2);
const prompt = startAgent(agent);
const bot = new Bot(token, { client: { apiRoot } });
bot.use(sequentialize((context) => String(context.chat?.id)));
bot.on("message:text", async (context) => {
  await context.reply(await prompt(String(context.chat.id), context.message.text));
});
run(bot);
