// The floor: the thinnest program that does the same job. grammY with its runner, one ACP agent, nothing kept.
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import {
  type ClientConnection,
  client,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
} from "@agentclientprotocol/sdk";
import { run, sequentialize } from "@grammyjs/runner";
import { Bot } from "grammy";

const [apiRoot = "", token = "", ...agent] = process.argv.slice(2);
const answers = new Map<string, string>();
const child = spawn(process.execPath, agent, { stdio: ["pipe", "pipe", "ignore"] });

const connection: ClientConnection = client({ name: "floor" })
  .onNotification(methods.client.session.update, ({ params }) => {
    const { sessionId, update } = params;
    if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text")
      answers.set(sessionId, (answers.get(sessionId) ?? "") + update.content.text);
  })
  .connect(
    ndJsonStream(
      Writable.toWeb(child.stdin),
      Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
    ),
  );

const ready = connection.agent.request(methods.agent.initialize, {
  protocolVersion: PROTOCOL_VERSION,
  clientCapabilities: {},
});
const sessions = new Map<number, Promise<string>>();

async function newSession(): Promise<string> {
  await ready;
  const created = await connection.agent.request(methods.agent.session.new, {
    cwd: process.cwd(),
    mcpServers: [],
  });
  return created.sessionId;
}

const bot = new Bot(token, { client: { apiRoot } });
// A session takes one prompt at a time: without this, answers of one chat run into each other.
bot.use(sequentialize((context) => String(context.chat?.id)));
bot.on("message:text", async (context) => {
  const known = sessions.get(context.chat.id) ?? newSession();
  sessions.set(context.chat.id, known);
  const sessionId = await known;
  answers.set(sessionId, "");
  await connection.agent.request(methods.agent.session.prompt, {
    sessionId,
    prompt: [{ type: "text", text: context.message.text }],
  });
  await context.reply(answers.get(sessionId) ?? "");
});
run(bot);
