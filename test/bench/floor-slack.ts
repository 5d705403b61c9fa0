// The floor on Slack: the thinnest program that does the same job. Bolt alone in Socket Mode, one ACP agent, nothing kept.
import { App, LogLevel } from "@slack/bolt";
import { inTurn, startAgent } from "./floor-agent.ts";

const [apiRoot = "", token = "", appToken = "", ...agent] = process.argv.slice(2);
const prompt = startAgent(agent);
const enter = inTurn();
const app = new App({
  token,
  appToken,
  socketMode: true,
  logLevel: LogLevel.ERROR,
  clientOptions: { slackApiUrl: `${apiRoot}/` },
});
app.message(async ({ message, say }) => {
  if (message.subtype !== undefined) return;
  const { channel, text = "" } = message;
  enter(channel, async () => say(await prompt(channel, text)));
});
await app.start();
