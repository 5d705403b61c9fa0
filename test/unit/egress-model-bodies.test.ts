// Bodies and addresses that would get round what is counted, or round which machine is meant.
import assert from "node:assert/strict";
import { once } from "node:events";
import { it } from "node:test";
import { problemWithModelUrl } from "../../src/sandbox/egress/model-url.ts";
import { modelRig } from "../fakes/egress-model.ts";
import { allOf, ask, dial } from "../fakes/egress-rig.ts";

const line = "POST /v1/responses";

const inBackground = [
  '{"model":"m","background":true}',
  ' {"input":[{"a":"}"},"\\"{"], "b\\u0061ckground" : true , "x":1}',
  '{"background":1}',
  '{"background":"true"}',
  '{"background":{}}',
  '{"background":false,"background":true}',
  `{"input":"${"x".repeat(200_000)}","background":true}`,
];
const inForeground = [
  '{"model":"m","stream":true}',
  '{"background":false}',
  '{"background": null }',
  '{"input":"\\"background\\":true"}',
  '{"input":{"background":true},"tools":[{"background":true}],"ünïcödé":"é"}',
  "{}",
];

it("lets nobody use OpenAI's models in the background, where nothing is counted", async (t) => {
  const rig = await modelRig(t, { api: "openai" });
  for (const body of inBackground) {
    const { status, text } = await rig.ask(line, body);
    assert.equal(status, 403, body.slice(-60));
    assert.match(JSON.parse(text).error.message, /in the background/);
  }
  const wide = Buffer.from('{"background":true}', "utf16le");
  const { modelPort: port, placeholder } = rig;
  const [method, path] = ["POST", "/v1/responses"];
  const authorization = `Bearer ${placeholder}`;
  const odd: readonly [Record<string, string>, string | Buffer][] = [
    [{}, wide],
    [{ "content-encoding": "gzip" }, "{}"],
    [{ "content-type": "multipart/form-data; boundary=x" }, "{}"],
  ];
  for (const [more, body] of odd)
    assert.equal(
      (await ask({ port, method, path, headers: { authorization, ...more } }, body)).status,
      403,
    );
  // What began to arrive was never whole.
  assert.ok(rig.seen.every(({ body }) => body === ""));
  assert.deepEqual(new Set(rig.refused), new Set(["127.0.0.1 background"]));
  const { length } = rig.seen;
  for (const body of inForeground) assert.equal((await rig.ask(line, body)).status, 200, body);
  assert.deepEqual(
    rig.seen.slice(length).map(({ body }) => body),
    inForeground,
  );
});

it("sees it also where it comes in pieces", async (t) => {
  const rig = await modelRig(t, { api: "openai" });
  const body = '{"background":true}';
  const head = `${line} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${rig.placeholder}\r\nContent-Length: ${body.length}\r\n\r\n`;
  const socket = await dial(t, rig.modelPort, head);
  for (const character of body) {
    socket.write(character);
    await new Promise(setImmediate);
  }
  const [said] = (await once(socket, "data")) as [Buffer];
  assert.match(String(said), /^HTTP\/1\.1 403 /);
});

const wrong = [
  "http://169.254.169.254",
  "http://[fe80::1]/v1",
  "http://metadata.google.internal/",
  "https://user:pw@api.example.com",
  "https://user@api.example.com",
  "ftp://api.example.com",
  "nonsense",
];

it("says what is wrong with a model's URL, when it is set and at each request", async (t) => {
  const rig = await modelRig(t);
  for (const url of wrong) {
    assert.match(problemWithModelUrl(url) ?? "", /\.$|NAME$/, url);
    rig.set({ url });
    const { status, text } = await rig.ask("POST /v1/messages", "{}");
    assert.equal(status, 502, url);
    const { message } = JSON.parse(text).error;
    assert.match(message, /config set model\.url/, url);
    assert.doesNotMatch(message, /pw/);
  }
  assert.deepEqual([rig.seen, rig.log.lines], [[], []]);
  for (const url of ["https://api.anthropic.com", "http://127.0.0.1:11434", "http://ollama:1/v1"])
    assert.equal(problemWithModelUrl(url), undefined, url);
});

it("sends no body with a GET, where two servers could differ about its end", async (t) => {
  const rig = await modelRig(t);
  const body = "GET /v1/organizations HTTP/1.1\r\nHost: a\r\n\r\n";
  const token = `x-api-key: ${rig.placeholder}\r\n`;
  const start = `GET /v1/models HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${token}`;
  const framings = [
    `Content-Length: ${body.length}\r\n\r\n${body}`,
    `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
  ];
  for (const rest of framings)
    assert.match(await allOf(await dial(t, rig.modelPort, start + rest)), /^HTTP\/1\.1 200 /);
  assert.deepEqual(
    rig.seen.map(({ line, body, headers }) => [line, body, headers["content-length"]]),
    [
      ["GET /v1/models", "", undefined],
      ["GET /v1/models", "", undefined],
    ],
  );
});

it("tells whether an answer came to its end", async (t) => {
  const rig = await modelRig(t, {
    answer(response, { line }) {
      response.write("data: 1\n\n");
      if (line.startsWith("GET")) response.end();
      else setImmediate(() => response.destroy());
    },
  });
  await rig.ask("GET /v1/models");
  await rig.ask("POST /v1/messages", "{}").catch(() => {});
  while (rig.uses.length < 2) await new Promise(setImmediate);
  assert.deepEqual(
    rig.uses.map(({ complete }) => complete),
    [true, false],
  );
});
