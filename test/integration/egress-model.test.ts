// From inside a real container to the model: the key is added on the way and is nowhere inside.
import assert from "node:assert/strict";
import { once } from "node:events";
import type { Duplex } from "node:stream";
import { it } from "node:test";
import type { ModelUse } from "../../src/core/egress.ts";
import { directConnect, resolve } from "../../src/net/connector.ts";
import { withDocker } from "../fakes/docker-rig.ts";
import { containerRig } from "../fakes/egress-container.ts";
import { serve, textOf } from "../fakes/egress-rig.ts";

const key = "sk-ant-real-0123456789abcdef";
/** As a pattern that does not match itself. */
const hidden = key.replace("real", "rea[l]");
const ports = { lookup: resolve, connect: directConnect(5000) };

it("adds the key on the way, and holds only the placeholder inside", withDocker, async (t) => {
  const seen: string[] = [];
  const port = await serve(t, async (request, response) => {
    seen.push(`${request.url} ${request.headers["x-api-key"]} ${await textOf(request)}`);
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ usage: { input_tokens: 3, output_tokens: 4 } }));
  });
  const uses: ModelUse[] = [];
  const model = () => ({
    ...({ api: "anthropic", url: `http://127.0.0.1:${port}/anthropic`, key, secret: "K" } as const),
  });
  const onUse = (use: ModelUse) => void uses.push(use);
  const rig = await containerRig(t, { egress: { ...ports, model, onUse } });
  const post = "curl -sS -o /dev/null -w '%{http_code}\\n' --path-as-is -X POST -d '{}'";
  const { out } = await rig.run(
    `
    ${post} -H "x-api-key: $KEY" $BASE/v1/messages?beta=true
    ${post} -H "x-api-key: wrong" $BASE/v1/messages
    ${post} -H "x-api-key: $KEY" $BASE/v1/organizations
    ${post} -H "x-api-key: $KEY" $BASE/v1/messages/../organizations
    ${post} -H "x-api-key: $KEY" $BASE/v1/messages/%2e%2e/organizations
    cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr '\\0' '\\n' | grep -c '${hidden}'
    grep -rs '${hidden}' ~ /run /tmp /workspace
    env | grep -c "^SALLYPORT_MODEL_KEY=sallyport-"
  `,
    { env: { BASE: "{{model.url}}", KEY: "{{model.key}}" } },
  );
  const lines = out.split("\n");
  assert.deepEqual(lines, ["200", "401", "403", "403", "403", "0", "1"]);
  assert.deepEqual(seen, [`/anthropic/v1/messages?beta=true ${key} {}`]);
  assert.deepEqual([uses.length, uses[0]?.inputTokens, uses[0]?.outputTokens], [1, 3, 4]);
  assert.ok(!rig.log.lines.join("\n").includes(key));
});

it("passes each event of a stream on before the next is there", withDocker, async (t) => {
  let next = () => {};
  const port = await serve(t, (_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    let sent = 0;
    next = () => {
      sent += 1;
      if (sent <= 3) response.write(`data: ${sent}\n\n`);
      else response.end();
    };
    next();
  });
  const model = () => ({
    ...({ api: "openai", url: `http://127.0.0.1:${port}`, key, secret: "K" } as const),
  });
  // Each event is asked for by what was heard of the one before: a buffer anywhere would wait for ever.
  const heard: string[] = [];
  const rig = await containerRig(t, {
    egress: { ...ports, model },
    companion: {
      serveTools(connection: Duplex) {
        connection.on("data", (data: Buffer) => {
          heard.push(String(data).trim());
          next();
        });
      },
    },
  });
  const script = `
    const tools = require("net").connect("/run/sallyport/tools.sock");
    const request = require("http").request(process.env.BASE + "/v1/responses", { method: "POST",
      headers: { authorization: "Bearer " + process.env.KEY } }, (response) => {
      response.on("data", (data) => tools.write(String(data))).on("end", () => process.exit(0));
    });
    request.end("{}");`;
  const env = { BASE: "{{model.url}}", KEY: "{{model.key}}" };
  const { code, err } = await rig.run("", { program: "node", args: ["-e", script], env });
  assert.deepEqual([code, err], [0, ""]);
  assert.deepEqual(heard, ["data: 1", "data: 2", "data: 3"]);
});

it("gives an agent its tools' socket, and anonymous callers none", withDocker, async (t) => {
  const scopes: string[] = [];
  const rig = await containerRig(t, {
    companion: {
      serveTools(connection, scope) {
        scopes.push(scope.key);
        void once(connection, "data").then(([data]) => connection.end(`<${data}>`));
      },
    },
  });
  const script =
    'require("net").connect("/run/sallyport/tools.sock").on("error", (e) => console.log(e.code)).on("data", (d) => console.log(String(d))).write("hi")';
  const command = { program: "node", args: ["-e", script], env: {} };
  const said = async (name: string) =>
    await new Response((await rig.sandbox.spawn(rig.scope(name), command)).stdout).text();
  assert.equal(await said("p-7"), "<hi>\n");
  assert.equal(await said("anonymous"), "ENOENT\n");
  assert.deepEqual(scopes, ["p-7"]);
});
