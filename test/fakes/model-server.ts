// A scripted model: an OpenAI-compatible chat-completions server on loopback that streams, stalls, and keeps what it was sent.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";

export interface ModelMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content?: unknown;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { name: string } }[];
  readonly tool_call_id?: string;
}

export type ModelStep =
  | { readonly text: string }
  | { readonly tool: string; readonly input: Readonly<Record<string, unknown>> }
  /** Takes the request and says nothing, until whoever asked is gone. */
  | "stall";

export interface ModelServer {
  readonly url: string;
  /** The messages of each request of a turn, oldest first. */
  readonly asked: readonly (readonly ModelMessage[])[];
  /** What is answered next, a step for each request. */
  play(...steps: ModelStep[]): void;
  /** Resolves with the messages of the request of this number, from 1, once it is there. */
  request(number: number): Promise<readonly ModelMessage[]>;
}

interface Asked {
  readonly messages: readonly ModelMessage[];
  readonly tools?: readonly unknown[];
}

async function bodyOf(request: IncomingMessage): Promise<Asked> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return JSON.parse(Buffer.concat(parts).toString("utf8")) as Asked;
}

function deltaOf(step: Exclude<ModelStep, "stall">, number: number) {
  if ("text" in step) return { role: "assistant", content: step.text };
  const call = { name: step.tool, arguments: JSON.stringify(step.input) };
  const id = `call_${number}`;
  return { role: "assistant", tool_calls: [{ index: 0, id, type: "function", function: call }] };
}

function answer(response: ServerResponse, step: ModelStep, number: number): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
  if (step === "stall") return;
  const base = { id: `chat-${number}`, object: "chat.completion.chunk", created: 0, model: "fake" };
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const choice = { index: 0, delta: deltaOf(step, number), finish_reason: null };
  const reason = "text" in step ? "stop" : "tool_calls";
  const chunks = [
    { ...base, choices: [choice] },
    { ...base, choices: [{ index: 0, delta: {}, finish_reason: reason }], usage },
  ];
  for (const chunk of chunks) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  response.end("data: [DONE]\n\n");
}

/** Requests without tools are not a turn's: an agent that wants a title for the session. They get one. */
export async function startModel(t: TestContext): Promise<ModelServer> {
  const asked: (readonly ModelMessage[])[] = [];
  const steps: ModelStep[] = [];
  const waiting = new Set<() => void>();
  const server = createServer(async (request, response) => {
    const { messages, tools = [] } = await bodyOf(request);
    if (tools.length === 0) return answer(response, { text: "A title" }, 0);
    const number = asked.push(messages);
    answer(response, steps.shift() ?? { text: "The script is over." }, number);
    for (const wake of waiting) wake();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    play: (...more) => void steps.push(...more),
    async request(number) {
      for (;;) {
        const messages = asked[number - 1];
        if (messages !== undefined) return messages;
        await new Promise<void>((resolve) => waiting.add(resolve));
      }
    },
  };
}
