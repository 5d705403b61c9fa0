// The way to the model: the placeholder is checked and replaced by the key, on the paths of that API, and nowhere else.
import assert from "node:assert/strict";
import { it } from "node:test";
import type { ModelApi } from "../../src/core/egress.ts";
import { modelRig, realKey, type Seen } from "../fakes/egress-model.ts";
import { ask, internet } from "../fakes/egress-rig.ts";

const nothing: Seen = { line: "", headers: {}, body: "" };

const needed: Readonly<Record<ModelApi, readonly string[]>> = {
  anthropic: [
    ...["POST /v1/messages", "POST /v1/messages?beta=true", "POST /v1/messages/count_tokens"],
    ...["GET /v1/models", "GET /v1/models?limit=5", "GET /v1/models/claude-x-1"],
  ],
  openai: [
    ...["POST /v1/chat/completions", "POST /v1/responses", "POST /v1/responses/compact"],
    ...["POST /v1/embeddings", "GET /v1/models", "GET /v1/models/vendor/model:1"],
  ],
  gemini: [
    "POST /v1beta/models/gemini-2.5-pro:generateContent",
    "POST /v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
    "POST /v1/models/gemini-2.5-pro:countTokens",
    ...["GET /v1beta/models", "GET /v1/models/gemini-2.5-pro"],
  ],
};

const keyOf = {
  anthropic: ["x-api-key", realKey],
  openai: ["authorization", `Bearer ${realKey}`],
  gemini: ["x-goog-api-key", realKey],
} as const;

for (const api of Object.keys(needed) as ModelApi[]) {
  it(`puts the key in for ${api}, on each path that an agent needs`, async (t) => {
    const rig = await modelRig(t, { api });
    for (const line of needed[api]) {
      assert.equal(
        (await rig.ask(line, line.startsWith("POST") ? "{}" : undefined)).status,
        200,
        line,
      );
      const { line: got, headers } = rig.seen.at(-1) ?? nothing;
      assert.equal(got, line);
      const [name, value] = keyOf[api];
      assert.equal(headers[name], value);
      assert.ok(!JSON.stringify(headers).includes(rig.placeholder), line);
      assert.equal(headers["accept-encoding"], "identity");
    }
    assert.equal(rig.uses.length, needed[api].length);
  });
}

it("takes the placeholder in each place where clients put a key, and sends on none of them", async (t) => {
  const rig = await modelRig(t);
  const { modelPort: port, placeholder } = rig;
  const places = [
    { headers: { "x-api-key": placeholder, authorization: "Bearer other" } },
    { headers: { authorization: `bearer ${placeholder}`, cookie: "a=b" } },
    { headers: { "x-goog-api-key": placeholder } },
    { path: `/v1/messages?key=${placeholder}&beta=true` },
  ];
  for (const place of places) {
    const { status } = await ask({ port, method: "POST", path: "/v1/messages", ...place }, "{}");
    assert.equal(status, 200, JSON.stringify(place));
    const { line, headers } = rig.seen.at(-1) ?? nothing;
    assert.equal(line, `POST /v1/messages${place.path === undefined ? "" : "?beta=true"}`);
    assert.equal(headers["x-api-key"], realKey);
    const others = [headers.authorization, headers["x-goog-api-key"], headers.cookie];
    assert.deepEqual(others, [undefined, undefined, undefined]);
  }
});

it("answers 401 without the placeholder, with another one and with the key itself", async (t) => {
  const rig = await modelRig(t);
  const wrong = ["", "x", rig.placeholder.slice(0, -1), `${rig.placeholder}x`, realKey];
  for (const token of wrong)
    for (const headers of [{ "x-api-key": token }, { authorization: `Bearer ${token}` }, {}]) {
      const path = "/v1/messages";
      const { status, text } = await ask(
        { port: rig.modelPort, method: "POST", path, headers },
        "{}",
      );
      assert.equal(status, 401);
      assert.equal(JSON.parse(text).error.type, "authentication_error");
    }
  assert.deepEqual([rig.seen, rig.uses], [[], []]);
  assert.deepEqual(new Set(rig.refused), new Set(["127.0.0.1 wrong-token"]));
});

const forbidden: Readonly<Record<ModelApi, readonly string[]>> = {
  anthropic: [
    ...["GET /v1/organizations", "POST /v1/messages/../organizations", "DELETE /v1/models/x"],
    ...["POST /v1/messages/%2e%2e/organizations", "POST /v1/messages/..%2forganizations"],
    ...["GET /v1/models/../organizations", "GET /v1/models/%2e%2e/organizations"],
    ...["GET /v1/models/..%2f..%2fadmin", "GET /v1/models/a%00b", "GET /v1/models/.%5c..%5cadmin"],
    ...["GET /v1/messages", "POST /v1/messages/", "POST //v1/messages", "POST /V1/messages"],
    ...["POST /v1/messages/batches", "POST /v1/files", "GET /", "GET /v1/models/..;/admin"],
    ...["POST /x/v1/messages", "POST /v1/messages\\..\\organizations", "PUT /v1/messages"],
  ],
  openai: [
    ...["POST /v1/files", "GET /v1/responses/r_1", "POST /v1/audio/speech", "GET /v1/assistants"],
    ...["POST /v1/fine_tuning/jobs", "DELETE /v1/models/x", "POST /v1/images/generations"],
    ...["POST /v1/chat/completions/../../organization/api_keys", "GET /v1/chat/completions"],
  ],
  gemini: [
    ...["POST /v1beta/files", "POST /upload/v1beta/files", "POST /v1beta/cachedContents"],
    ...["POST /v1beta/models/x:batchGenerateContent", "POST /v1beta/models/a/b:countTokens"],
    ...["POST /v1beta/models/..:generateContent/x", "GET /v1beta/tunedModels"],
  ],
};

for (const api of Object.keys(forbidden) as ModelApi[]) {
  it(`refuses what no agent needs of ${api}, however the path is written`, async (t) => {
    const rig = await modelRig(t, { api });
    for (const line of forbidden[api]) {
      const { status, text } = await rig.ask(line, line.startsWith("P") ? "{}" : undefined);
      assert.equal(status, 403, line);
      assert.match(JSON.parse(text).error.message, /may not use/, line);
    }
    assert.deepEqual(rig.seen, []);
    assert.equal(rig.refused.length, forbidden[api].length);
  });
}

it("sends the path as it was checked, below the endpoint's own", async (t) => {
  const rig = await modelRig(t);
  const [base] = [
    (await rig.ask("GET /v1/models")).status === 200 ? rig.seen[0]?.headers.host : "",
  ];
  const cases: readonly [below: string, asked: string, sent: string][] = [
    ["", "POST /v1/x/../messages", "POST /v1/messages"],
    ["", "POST /v1/./messages", "POST /v1/messages"],
    ["/anthropic", "POST /v1/messages?beta=true", "POST /anthropic/v1/messages?beta=true"],
    ["/anthropic/", "POST /v1/messages", "POST /anthropic/v1/messages"],
    ["/v1", "POST /v1/messages", "POST /v1/messages"],
    ["/api/paas/v4", "POST /v1/messages", "POST /api/paas/v4/messages"],
  ];
  for (const [below, asked, sent] of cases) {
    rig.set({ url: `http://${base}${below}` });
    assert.equal((await rig.ask(asked, "{}")).status, 200, asked);
    assert.equal(rig.seen.at(-1)?.line, sent);
  }
});

it("says that no key is set for a public endpoint, and goes without one to a server of the owner's", async (t) => {
  const rig = await modelRig(t, { more: internet({}) });
  rig.set({ key: undefined });
  assert.equal((await rig.ask("POST /v1/messages", "{}")).status, 502);
  rig.set({ url: "https://api.anthropic.com", secret: "ANTHROPIC_API_KEY" });
  const { status, text, headers } = await rig.ask("POST /v1/messages", "{}");
  const message = "No key is set. The owner should run: sallyport secret set ANTHROPIC_API_KEY";
  const error = { type: "authentication_error", message };
  assert.deepEqual([status, JSON.parse(text)], [401, { type: "error", error }]);
  assert.equal(headers["x-should-retry"], "false");
  rig.set(undefined);
  assert.equal((await rig.ask("POST /v1/messages", "{}")).status, 404);
});

it("sends no key header to a server that needs none", async (t) => {
  const rig = await modelRig(t, { api: "openai" });
  rig.set({ key: undefined });
  assert.equal((await rig.ask("POST /v1/chat/completions", "{}")).status, 200);
  assert.equal(rig.seen[0]?.headers.authorization, undefined);
});

const spentForms: Readonly<Record<ModelApi, (message: string) => unknown>> = {
  anthropic: (message) => ({ type: "error", error: { type: "rate_limit_error", message } }),
  openai: (message) => {
    const code = "insufficient_quota";
    return { error: { message, type: code, param: null, code } };
  },
  gemini: (message) => ({ error: { code: 429, message, status: "RESOURCE_EXHAUSTED" } }),
};

for (const [api, form] of Object.entries(spentForms)) {
  it(`says in the form of ${api} that the budget is spent`, async (t) => {
    const message = "This task has used its 1000 tokens.";
    const rig = await modelRig(t, { api: api as ModelApi, more: { overBudget: () => message } });
    const [line = ""] = needed[api as ModelApi];
    const { status, text } = await rig.ask(line, "{}");
    assert.deepEqual([status, JSON.parse(text)], [429, form(message)]);
    assert.deepEqual([rig.seen, rig.refused], [[], ["127.0.0.1 over-budget"]]);
  });
}

it("takes no request larger than it may be, whether or not it says so before", async (t) => {
  const rig = await modelRig(t, { more: { limits: { bodyBytes: 100_000 } } });
  const { modelPort: port, placeholder } = rig;
  const options = { port, method: "POST", path: "/v1/messages" };
  for (const more of [{}, { "transfer-encoding": "chunked" }]) {
    const headers = { "x-api-key": placeholder, ...more };
    const { status, text } = await ask({ ...options, headers }, Buffer.alloc(400_000));
    assert.equal(status, 413);
    assert.equal(JSON.parse(text).error.type, "request_too_large");
  }
  assert.ok(rig.seen.every(({ body }) => body === ""));
  assert.equal((await rig.ask("POST /v1/messages", "x".repeat(100_000))).status, 200);
});

it("goes from a public endpoint to no other class of address, and from a local one nowhere else", async (t) => {
  const { tried, ...ports } = internet({
    "model.example": ["10.0.0.7"],
    "both.example": ["93.184.216.34", "169.254.169.254"],
    "box.lan": ["93.184.216.34"],
  });
  const rig = await modelRig(t, { more: ports });
  for (const host of ["model.example", "both.example", "box.lan"]) {
    rig.set({ url: `https://${host}` });
    const { status, text } = await rig.ask("POST /v1/messages", "{}");
    assert.deepEqual([status, /blocked address/.test(text)], [502, true], host);
    assert.ok(!/10\.0|169\.254|93\.184/.test(text));
  }
  rig.set({ url: "http://169.254.169.254" });
  assert.equal((await rig.ask("POST /v1/messages", "{}")).status, 502);
  assert.deepEqual(tried, []);
});
