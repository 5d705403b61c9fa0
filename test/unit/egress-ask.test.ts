// An owner is asked for a host that the settings do not allow: once for all who wait, and only while somebody waits.
import assert from "node:assert/strict";
import { once } from "node:events";
import { it } from "node:test";
import type { EgressReply, EgressRequest, OnEgress } from "../../src/core/egress.ts";
import {
  allOf,
  ask,
  connectTo,
  dial,
  forever,
  internet,
  openDoors,
  scope,
  serve,
} from "../fakes/egress-rig.ts";

const address = "93.184.216.34";

interface Asked {
  readonly request: EgressRequest;
  readonly signal: AbortSignal;
  readonly answer: (reply: boolean | EgressReply) => void;
}

/** Questions are answered by the test. */
function owner() {
  const asked: Asked[] = [];
  const waiting: (() => void)[] = [];
  const onEgress: OnEgress = (request, signal) =>
    new Promise((said) => {
      const answer = (reply: boolean | EgressReply) =>
        said(reply === true ? { until: forever } : reply || "denied");
      asked.push({ request, signal, answer });
      for (const go of waiting.splice(0)) go();
    });
  const question = async (number: number): Promise<Asked> => {
    for (;;) {
      const found = asked[number - 1];
      if (found !== undefined) return found;
      await new Promise<void>((go) => waiting.push(go));
    }
  };
  return { asked, onEgress, question };
}

it("asks once for all requests to a host, lets them pass after a yes, and asks anew for the next", async (t) => {
  const port = await serve(t, (_request, response) => void response.end("hello"));
  const ports = internet({ "new.example": [address] }, { [address]: port });
  const { asked, onEgress, question } = owner();
  const { proxyPort } = await openDoors(t, { ...ports, onEgress });
  const path = "http://new.example/";
  const tunnel = await dial(t, proxyPort, connectTo("new.example:443"));
  const { request, answer } = await question(1);
  assert.deepEqual(request, { scope, host: "new.example", port: 443 });
  const plain = [ask({ port: proxyPort, path }), ask({ port: proxyPort, path })];
  const other = ask({ port: proxyPort, path: "http://third.example/" });
  (await question(2)).answer(false);
  assert.match(
    (await other).text,
    /An owner was asked and did not allow it\. .*egress\.allow third\.example/,
  );
  answer(true);
  const [head] = (await once(tunnel, "data")) as [Buffer];
  assert.match(String(head), /^HTTP\/1\.1 200 /);
  for (const { status, text } of await Promise.all(plain))
    assert.deepEqual([status, text], [200, "hello"]);
  assert.equal(asked.length, 2);
  const again = ask({ port: proxyPort, path });
  (await question(3)).answer(false);
  assert.equal((await again).status, 403);
});

it("tells the agent when nobody has answered in time, and takes the question back", async (t) => {
  const { tried, ...ports } = internet({ "new.example": [address] });
  const { onEgress, question } = owner();
  const refused: string[] = [];
  const { proxyPort } = await openDoors(t, {
    ...ports,
    onEgress,
    limits: { askMs: 30 },
    onRefused: ({ host }, why) => void refused.push(`${host} ${why}`),
  });
  const { status, text } = await ask({ port: proxyPort, path: "http://new.example/" });
  assert.equal(status, 403);
  assert.match(
    text,
    /new\.example is not allowed here\. An owner was asked and has not answered yet/,
  );
  assert.ok((await question(1)).signal.aborted);
  assert.deepEqual([tried, refused], [[], ["new.example unanswered"]]);
});

it("takes the question back when the last who waits is gone, and not before", async (t) => {
  const { tried, ...ports } = internet({ "new.example": [address] });
  const { onEgress, question } = owner();
  const { proxyPort } = await openDoors(t, { ...ports, onEgress });
  const one = await dial(t, proxyPort, `${connectTo("new.example:443")}hello`);
  const { signal, answer } = await question(1);
  const other = await dial(t, proxyPort, "GET http://new.example/ HTTP/1.1\r\nHost: x\r\n\r\n");
  // Whoever came before these waits already.
  for (const path of ["/", "/"]) assert.equal((await ask({ port: proxyPort, path })).status, 400);
  one.end();
  assert.match(await allOf(one), /has not answered yet/);
  assert.equal(signal.aborted, false);
  const aborted = once(signal, "abort");
  other.destroy();
  await aborted;
  answer(true);
  const next = ask({ port: proxyPort, path: "http://new.example/" });
  const fresh = await question(2);
  assert.equal(fresh.signal.aborted, false);
  fresh.answer(false);
  assert.equal((await next).status, 403);
  assert.deepEqual(tried, []);
});

it("refuses when asking fails", async (t) => {
  const { tried, ...ports } = internet({ "new.example": [address] });
  const onEgress = async () => {
    throw new Error("the chat is down");
  };
  const { proxyPort, log } = await openDoors(t, { ...ports, onEgress });
  const { status } = await ask({ port: proxyPort, path: "http://new.example/" });
  assert.deepEqual([status, tried], [403, []]);
  assert.match(log.lines.join("\n"), /the chat is down/);
});

it("does not tell the agent that an owner was asked when nobody was", async (t) => {
  const ports = internet({ "new.example": [address] });
  const { proxyPort } = await openDoors(t, { ...ports, onEgress: async () => "not-asked" });
  const { status, text } = await ask({ port: proxyPort, path: "http://new.example/" });
  assert.equal(status, 403);
  assert.match(text, /new\.example is not allowed here\. The owner can allow it/);
});

it("offers no line for an IPv6 address, which the settings do not take", async (t) => {
  const { proxyPort } = await openDoors(t, internet({}));
  const { status, text } = await ask({ port: proxyPort, path: "http://[2606:4700::1]/" });
  assert.equal(status, 403);
  assert.match(text, /2606:4700::1 is not allowed here/);
  assert.doesNotMatch(text, /config add/);
});
