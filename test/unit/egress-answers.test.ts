// What comes back from the model: as it comes, without the key, and with the tokens counted.
import assert from "node:assert/strict";
import { once } from "node:events";
import { request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { it } from "node:test";
import type { ModelApi } from "../../src/core/egress.ts";
import { modelRig, realKey } from "../fakes/egress-model.ts";

const events = (response: ServerResponse) =>
  response.writeHead(200, { "content-type": "text/event-stream" });

it("passes each event on at once, and ends the model's work when the agent is gone", async (t) => {
  const answers: ServerResponse[] = [];
  const { modelPort, placeholder, uses } = await modelRig(t, {
    answer: (response) => void answers.push(events(response).on("error", () => {})),
  });
  const headers = { "x-api-key": placeholder };
  const path = "/v1/messages";
  const request = httpRequest({
    host: "127.0.0.1",
    port: modelPort,
    method: "POST",
    path,
    headers,
  });
  request.end("{}").on("error", () => {});
  const model = async () => {
    for (;;) {
      const [answer] = answers;
      if (answer !== undefined) return answer;
      await new Promise(setImmediate);
    }
  };
  const answer = await model();
  answer.flushHeaders();
  // Before any byte of the body.
  const [response] = (await once(request, "response")) as [IncomingMessage];
  assert.equal(response.headers["content-type"], "text/event-stream");
  const usage = { input_tokens: 7, output_tokens: 1 };
  const start = `data: ${JSON.stringify({ type: "message_start", message: { usage } })}\n\n`;
  for (const event of [start, "event: a\ndata: 1\n\n", "data: 2"]) {
    answer.write(event);
    assert.equal(String((await once(response, "data"))[0]), event);
  }
  const closed = once(answer, "close");
  response.destroy();
  await closed;
  while (uses.length === 0) await new Promise(setImmediate);
  assert.deepEqual([uses[0]?.inputTokens, uses[0]?.outputTokens], [7, 1]);
});

type Reported = readonly [input: number | undefined, output: number | undefined];

interface Case {
  readonly api: ModelApi;
  readonly line: string;
  readonly type: string;
  readonly body: string;
  readonly tokens: Reported;
}

const sse = (...values: unknown[]) =>
  values.map((value) => `event: x\ndata: ${JSON.stringify(value)}\r\n\n`).join("");
const stream = "text/event-stream; charset=utf-8";
const json = "application/json";
const cached = { input_tokens: 5, cache_creation_input_tokens: 100, cache_read_input_tokens: 20 };
const chat = { prompt_tokens: 11, completion_tokens: 3, total_tokens: 14 };
const meta = { promptTokenCount: 9, candidatesTokenCount: 4, thoughtsTokenCount: 2 };
const geminiLine = "POST /v1beta/models/m:streamGenerateContent";

const cases: Readonly<Record<string, Case>> = {
  "anthropic's stream, with its cache": {
    ...{ api: "anthropic", line: "POST /v1/messages", type: stream, tokens: [125, 42] },
    body: sse(
      { type: "message_start", message: { usage: { ...cached, output_tokens: 1 } } },
      { type: "content_block_delta", delta: { text: 'the "usage" of ünïcödé' } },
      { type: "message_delta", usage: { output_tokens: 42 } },
    ),
  },
  "anthropic's whole answer": {
    ...{ api: "anthropic", line: "POST /v1/messages", type: json, tokens: [125, 8] },
    body: JSON.stringify({ content: [], usage: { ...cached, output_tokens: 8 } }),
  },
  "a count of tokens, which is no use": {
    ...{ api: "anthropic", line: "POST /v1/messages/count_tokens", type: json },
    ...{ body: '{"input_tokens":99}', tokens: [undefined, undefined] },
  },
  "openai's chat stream": {
    ...{ api: "openai", line: "POST /v1/chat/completions", type: stream, tokens: [11, 3] },
    body: `${sse({ choices: [{}], usage: null }, { choices: [], usage: chat })}data: [DONE]\n\n`,
  },
  "openai's responses stream": {
    ...{ api: "openai", line: "POST /v1/responses", type: stream, tokens: [30, 12] },
    body: sse(
      { type: "response.created", response: { usage: null } },
      { type: "response.completed", response: { usage: { input_tokens: 30, output_tokens: 12 } } },
    ),
  },
  "openai's embeddings": {
    ...{ api: "openai", line: "POST /v1/embeddings", type: json, tokens: [6, undefined] },
    body: JSON.stringify({ data: [], usage: { prompt_tokens: 6, total_tokens: 6 } }),
  },
  "gemini's stream, which counts from the beginning in each piece": {
    ...{ api: "gemini", line: `${geminiLine}?alt=sse`, type: stream, tokens: [9, 6] },
    body: sse(
      { usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 1 } },
      { usageMetadata: meta },
    ),
  },
  "gemini's array": {
    ...{ api: "gemini", line: geminiLine, type: json, tokens: [9, 6] },
    body: JSON.stringify([{ candidates: [] }, { usageMetadata: meta }]),
  },
  "an error": {
    ...{ api: "openai", line: "POST /v1/responses", type: json, tokens: [undefined, undefined] },
    body: '{"error":{"message":"usage"}}',
  },
};

for (const [name, { api, line, type, body, tokens }] of Object.entries(cases)) {
  it(`counts the tokens of ${name}`, async (t) => {
    const bytes = Buffer.from(body);
    const rig = await modelRig(t, {
      api,
      async answer(response) {
        response.writeHead(200, { "content-type": type });
        // In pieces that cut lines and characters.
        for (let at = 0; at < bytes.length; at += 7) {
          response.write(bytes.subarray(at, at + 7));
          await new Promise(setImmediate);
        }
        response.end();
      },
    });
    const { text } = await rig.ask(line, '{"a":1}');
    assert.equal(text, body);
    const [use] = rig.uses;
    assert.deepEqual([use?.inputTokens, use?.outputTokens], tokens);
    assert.deepEqual([use?.bytesIn, use?.bytesOut, rig.uses.length], [7, bytes.length, 1]);
  });
}

it("keeps no line that is too long to be read, and reads the next", async (t) => {
  const long = "x".repeat(1024 * 1024);
  const rig = await modelRig(t, {
    answer(response) {
      events(response).write(`data: {"usage":{"output_tokens":5},"x":"`);
      for (let part = 0; part < 5; part++) response.write(long);
      response.end(`"}\n\n${sse({ usage: { output_tokens: 2 } })}`);
    },
  });
  await rig.ask("POST /v1/messages", "{}");
  assert.equal(rig.uses[0]?.outputTokens, 2);
});

it("covers the key wherever an answer repeats it, also cut in two, and sends back no cookie", async (t) => {
  const half = 9;
  const rig = await modelRig(t, {
    async answer(response, { headers }) {
      const key = String(headers["x-api-key"]);
      response.writeHead(400, { "x-echo": `key ${key}`, "set-cookie": "s=1", "x-kept": "1" });
      response.write(`all ${key} half ${key.slice(0, half)}`);
      await new Promise(setImmediate);
      response.write(key.slice(half));
      await new Promise(setImmediate);
      response.end(` begin ${key.slice(0, half)}`);
    },
  });
  const { status, headers, text } = await rig.ask("POST /v1/messages", "{}");
  const stars = "*".repeat(realKey.length);
  assert.equal(text, `all ${stars} half ${stars} begin ${realKey.slice(0, half)}`);
  const { "x-echo": echo, "set-cookie": cookie, "x-kept": kept } = headers;
  assert.deepEqual([status, echo, cookie, kept], [400, undefined, undefined, "1"]);
  assert.ok(!rig.log.lines.join("\n").includes(realKey));
});

it("follows no redirect and shows none, and says when nobody answers", async (t) => {
  const rig = await modelRig(t, {
    answer: (response, { headers }) =>
      void response.writeHead(307, { location: `http://x/?${headers["x-api-key"]}` }).end("go"),
  });
  const { status, headers, text } = await rig.ask("POST /v1/messages", "{}");
  assert.deepEqual([status, headers.location], [502, undefined]);
  assert.match(JSON.parse(text).error.message, /redirects, which is not followed/);
  rig.set({ url: "http://127.0.0.1:1" });
  const nobody = await rig.ask("POST /v1/messages", "{}");
  assert.equal(nobody.status, 502);
  assert.match(
    JSON.parse(nobody.text).error.message,
    /127\.0\.0\.1:1 cannot be reached \(ECONNREFUSED\)/,
  );
  assert.equal(rig.uses.length, 2);
});
