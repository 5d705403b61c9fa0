// What every floor has beside its bot: one ACP agent, a session of it for each chat, one prompt at a time there.
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import {
  type ClientConnection,
  client,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
} from "@agentclientprotocol/sdk";

/** Gives the whole answer. */
export type Prompt = (chat: string, text: string) => Promise<string>;

/** Started by the program and arguments given, and ended with this process. */
export function startAgent(agent: readonly string[]): Prompt {
  const answers = new Map<string, string>();
  const sessions = new Map<string, Promise<string>>();
  const connection = connect(agent, answers);
  const ready = connection.agent.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: {},
  });
  const newSession = async () => {
    await ready;
    const created = await connection.agent.request(methods.agent.session.new, {
      cwd: process.cwd(),
      mcpServers: [],
    });
    return created.sessionId;
  };
  return async (chat, text) => {
    const known = sessions.get(chat) ?? newSession();
    sessions.set(chat, known);
    const sessionId = await known;
    answers.set(sessionId, "");
    await connection.agent.request(methods.agent.session.prompt, {
      sessionId,
      prompt: [{ type: "text", text }],
    });
    return answers.get(sessionId) ?? "";
  };
}

function connect(agent: readonly string[], answers: Map<string, string>): ClientConnection {
  const child = spawn(process.execPath, agent, { stdio: ["pipe", "pipe", "ignore"] });
  return client({ name: "floor" })
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
}

/** A session takes one prompt at a time: without this, answers of one chat run into each other. */
export function inTurn(): (chat: string, work: () => Promise<unknown>) => void {
  const last = new Map<string, Promise<unknown>>();
  return (chat, work) => {
    const next = (last.get(chat) ?? Promise.resolve()).then(work);
    last.set(chat, next);
  };
}
