// What was let pass is cut when it is no longer allowed: at the end of the turn that it was allowed for, or by the settings.
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { it, type TestContext } from "node:test";
import type { EgressOptions } from "../../src/sandbox/egress/egress.ts";
import { connectTo, dial, internet, openDoors, serve, until } from "../fakes/egress-rig.ts";

const address = "93.184.216.34";
const path = "GET http://good.example/ HTTP/1.1\r\nHost: good.example\r\n\r\n";

/** A server that says a word to each tunnel and then nothing. */
async function talker(t: TestContext) {
  const sockets: Socket[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket.on("error", () => {}).resume());
    socket.write("hello");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { sockets, port: (server.address() as AddressInfo).port };
}

async function doorsTo(t: TestContext, port: number, options: Partial<EgressOptions>) {
  const ports = internet({ "good.example": [address] }, { [address]: port });
  return openDoors(t, { ...ports, limits: { recheckMs: 10 }, ...options });
}

/** Resolves when it has ended, in whatever way. */
function gone(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket
      .on("error", () => {})
      .on("end", () => resolve())
      .on("close", () => resolve());
    socket.resume();
  });
}

it("closes tunnels at both ends when the turn ends that an owner allowed the host for", async (t) => {
  const { sockets, port } = await talker(t);
  const turn = new AbortController();
  const { proxyPort, log } = await doorsTo(t, port, {
    onEgress: async () => ({ until: turn.signal }),
  });
  const warnings: Error[] = [];
  const warned = (warning: Error) => void warnings.push(warning);
  process.on("warning", warned);
  t.after(() => void process.off("warning", warned));
  const clients: Socket[] = [];
  for (let n = 0; n < 20; n += 1) {
    const client = await dial(t, proxyPort, connectTo("good.example:443"));
    await until(client, "hello");
    clients.push(client);
  }
  // One whose agent has nothing more to say is cut as well.
  const [silent] = sockets;
  assert.ok(silent);
  const ended = once(silent, "end");
  clients[0]?.end();
  await ended;
  const closed = [...clients, ...sockets.slice(1)].map(gone);
  turn.abort();
  await Promise.all(closed);
  while (!silent.destroyed) {
    silent.write("more");
    await new Promise(setImmediate);
  }
  assert.deepEqual([sockets.length, log.lines, warnings], [20, [], []]);
});

it("ends a request that still runs then, and lets through none after", async (t) => {
  const port = await serve(t, (_request, response) => void response.write("hello"));
  const turn = new AbortController();
  const { proxyPort } = await doorsTo(t, port, { onEgress: async () => ({ until: turn.signal }) });
  const client = await dial(t, proxyPort, path);
  await until(client, "hello");
  const closed = gone(client);
  turn.abort();
  await closed;
  const late = await dial(t, proxyPort, path);
  const said = await until(late, "allowed here");
  assert.match(said, /^HTTP\/1\.1 403 .*good\.example is not allowed here\. The owner can allow/s);
});

it("closes what the settings no longer allow, and leaves open what they do", async (t) => {
  const { port } = await talker(t);
  const allowed = ["good.example:443", "good.example:8443"];
  const { proxyPort } = await doorsTo(t, port, { allow: () => allowed });
  const [kept, taken] = [
    await dial(t, proxyPort, connectTo("good.example:443")),
    await dial(t, proxyPort, connectTo("good.example:8443")),
  ];
  for (const client of [kept, taken]) await until(client, "hello");
  const closed = gone(taken);
  allowed.pop();
  await closed;
  assert.equal(kept.destroyed || kept.readableEnded, false);
  const last = gone(kept);
  allowed.pop();
  await last;
});
