// One request after the other on each connection from a sandbox: what does not wait is closed, not queued.
import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { it } from "node:test";
import { modelRig } from "../fakes/egress-model.ts";
import { allOf, connectTo, dial, internet, openDoors, serve, textOf } from "../fakes/egress-rig.ts";

const get = "GET /x HTTP/1.1\r\nHost: a\r\n\r\n";
const answers = (said: string) => said.match(/HTTP\/1\.1 /g)?.length ?? 0;

it("closes a connection that asks again before it has its answer, whatever it asks", async (t) => {
  const odd = "GET /x HTTP/1.1\r\nHost: a\r\nExpect: something\r\n\r\n";
  for (const next of [get, odd, connectTo("good.example:443"), odd + get]) {
    const refused: string[] = [];
    const { proxyPort, modelPort } = await openDoors(t, {
      ...internet({}),
      onRefused: (_request, why) => void refused.push(why),
    });
    for (const port of [proxyPort, modelPort]) {
      const said = await allOf(await dial(t, port, get + next.repeat(200))).catch(() => "");
      assert.ok(answers(said) <= 1, said);
    }
    assert.deepEqual(refused, ["wrong-token"]);
  }
});

it("answers a hundred connections of pipelined requests without holding up what else is done", async (t) => {
  const { proxyPort, modelPort } = await openDoors(t, internet({}));
  let longest = 0;
  let last = performance.now();
  const watch = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 5);
  const flood = async (port: number) => {
    const socket = await dial(t, port, get.repeat(2000));
    for (let n = 0; n < 20 && !socket.destroyed; n += 1) socket.write(get.repeat(2000));
    await allOf(socket).catch(() => "");
  };
  const ports = Array.from({ length: 100 }, (_, n) => (n % 2 === 0 ? proxyPort : modelPort));
  await Promise.all(ports.map((port) => flood(port).catch(() => {})));
  clearInterval(watch);
  assert.ok(longest < 2000, `${longest} ms`);
});

it("serves a client that waits for each answer on one connection", async (t) => {
  const address = "93.184.216.34";
  const port = await serve(t, (_request, response) => void response.end("hello"));
  const ports = internet({ "good.example": [address] }, { [address]: port });
  const { proxyPort } = await openDoors(t, { ...ports, allow: () => ["good.example"] });
  const { modelPort, placeholder } = await modelRig(t);
  const ask = async (options: { port: number; path: string; agent: Agent }) => {
    const headers = { "x-api-key": placeholder };
    const request = httpRequest({ host: "127.0.0.1", method: "POST", headers, ...options });
    request.end("{}");
    const [response] = (await once(request, "response")) as [IncomingMessage];
    await textOf(response);
    return [response.statusCode, request.reusedSocket];
  };
  for (const to of [
    { port: proxyPort, path: "http://good.example/" },
    { port: modelPort, path: "/v1/messages" },
  ]) {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    t.after(() => agent.destroy());
    assert.deepEqual(await ask({ ...to, agent }), [200, false]);
    for (let n = 0; n < 20; n += 1) assert.deepEqual(await ask({ ...to, agent }), [200, true]);
  }
});
