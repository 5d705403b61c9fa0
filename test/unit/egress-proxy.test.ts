// What the proxy of a sandbox lets out, and what not. No packet of these tests leaves the machine: lookup and connect are injected.
import assert from "node:assert/strict";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { it } from "node:test";
import type { EgressRequest } from "../../src/core/egress.ts";
import {
  allOf,
  ask,
  connectTo,
  dial,
  forever,
  internet,
  openDoors,
  serve,
  textOf,
  until,
} from "../fakes/egress-rig.ts";

const address = "93.184.216.34";

const inside = [
  ...["127.0.0.1", "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "0", "0.0.0.0"],
  ...["169.254.169.254", "2852039166", "0xa9fea9fe", "0251.0376.0251.0376", "168.63.129.16"],
  ...["10.0.0.1", "172.16.0.1", "192.168.1.1", "100.64.0.1", "100.100.100.200", "224.0.0.1"],
  ...["[::1]", "[::]", "[::ffff:169.254.169.254]", "[::ffff:7f00:1]", "[64:ff9b::a9fe:a9fe]"],
  ...["[2002:7f00:1::]", "[fe80::1]", "[fd7a:115c:a1e0::1]", "[fc00::1]", "[ff02::1]"],
  ...["localhost", "LOCALHOST.", "a.localhost", "metadata.google.internal", "169.254.169.254."],
];

it("never goes to an address that is not public, in any form, though it is allowed", async (t) => {
  const { tried, lookedUp, ...ports } = internet({});
  const asked: EgressRequest[] = [];
  const refused: string[] = [];
  const { proxyPort } = await openDoors(t, {
    ...ports,
    allow: () => inside,
    onEgress: async (request) => {
      asked.push(request);
      return { until: forever };
    },
    onRefused: (_request, why) => void refused.push(why),
  });
  for (const host of inside) {
    const plain = await ask({ port: proxyPort, path: `http://${host}/`, headers: { host: "x" } });
    assert.equal(plain.status, 403, host);
    assert.match(plain.text, /blocked address/, host);
    const tunnel = await allOf(await dial(t, proxyPort, connectTo(`${host}:443`)));
    assert.match(tunnel, /^HTTP\/1\.1 403 .*blocked address/, host);
  }
  assert.deepEqual([tried, lookedUp, asked], [[], [], []]);
  assert.deepEqual(new Set(refused), new Set(["blocked-address"]));
  assert.equal(refused.length, 2 * inside.length);
});

const insideNames = {
  "metadata.example": ["169.254.169.254"],
  "inside.example": ["10.0.0.1"],
  "tailnet.example": ["100.64.0.9"],
  "both.example": [address, "127.0.0.1"],
  "mapped.example": ["::ffff:127.0.0.1"],
  "nat64.example": ["64:ff9b::7f00:1"],
};

it("looks at every answer of DNS before it connects, and tells the agent no address", async (t) => {
  const { tried, ...ports } = internet(insideNames);
  const { proxyPort } = await openDoors(t, { ...ports, allow: () => Object.keys(insideNames) });
  for (const [host, answers] of Object.entries(insideNames)) {
    const plain = await ask({ port: proxyPort, path: `http://${host}/` });
    const tunnel = await allOf(await dial(t, proxyPort, connectTo(`${host}:443`)));
    assert.match(tunnel, /^HTTP\/1\.1 403 .*blocked address/, host);
    assert.deepEqual([plain.status, /blocked address/.test(plain.text)], [403, true], host);
    for (const answer of answers) assert.ok(!`${plain.text}${tunnel}`.includes(answer), host);
  }
  assert.deepEqual(tried, []);
});

it("never goes to this machine's own addresses, public ones as well", async (t) => {
  const mine = ["93.184.216.34", "2606:4700::1"];
  const names = { "four.example": ["93.184.216.34"], "six.example": ["2606:4700:0::1"] };
  const { tried, ...ports } = internet({ ...names, "mapped.example": ["::ffff:93.184.216.34"] });
  const { proxyPort } = await openDoors(t, {
    ...ports,
    own: () => mine,
    allow: () => ["four.example", "six.example", "mapped.example", "93.184.216.34"],
  });
  for (const host of ["four.example", "six.example", "mapped.example", "93.184.216.34"]) {
    const plain = await ask({ port: proxyPort, path: `http://${host}/` });
    assert.match(plain.text, /blocked address/, host);
    const tunnel = await allOf(await dial(t, proxyPort, connectTo(`${host}:443`)));
    assert.match(tunnel, /^HTTP\/1\.1 403 .*blocked address/, host);
  }
  assert.deepEqual(tried, []);
});

it("looks at the peer of the connection that was made as well", async (t) => {
  let requests = 0;
  const port = await serve(t, (_request, response) => {
    requests += 1;
    response.end("inside");
  });
  const { tried, ...ports } = internet(
    { "good.example": [address] },
    { [address]: port },
    "10.0.0.1",
  );
  const { proxyPort } = await openDoors(t, { ...ports, allow: () => ["good.example"] });
  const plain = await ask({ port: proxyPort, path: "http://good.example/" });
  const tunnel = await allOf(await dial(t, proxyPort, connectTo("good.example:443")));
  assert.match(plain.text, /blocked address/);
  assert.match(tunnel, /^HTTP\/1\.1 403 .*blocked address/);
  assert.deepEqual([tried.length, requests], [2, 0]);
});

it("looks up no name that is not allowed, and says how to allow it", async (t) => {
  const { tried, lookedUp, ...ports } = internet({ "other.example": [address] });
  const allowed: string[] = [];
  const { proxyPort } = await openDoors(t, { ...ports, allow: () => allowed });
  const line = "sallyport config add egress.allow other.example";
  const plain = await ask({ port: proxyPort, path: "http://other.example/secret-in-a-path" });
  assert.equal(plain.status, 403);
  assert.equal(plain.headers["content-type"], "text/plain; charset=utf-8");
  assert.ok(plain.text.includes("other.example is not allowed here"), plain.text);
  assert.ok(plain.text.includes(line), plain.text);
  const tunnel = await allOf(await dial(t, proxyPort, connectTo("other.example:443")));
  const [head = "", body] = tunnel.split("\r\n\r\n");
  assert.match(head, /^HTTP\/1\.1 403 .*other\.example is not allowed here/);
  assert.equal(body, plain.text);
  const ssh = await allOf(await dial(t, proxyPort, connectTo("other.example:22")));
  assert.ok(ssh.includes(`${line}:22`));
  assert.deepEqual([tried, lookedUp], [[], []]);
  allowed.push("other.example");
  assert.equal((await ask({ port: proxyPort, path: "http://other.example/" })).status, 502);
  assert.deepEqual([tried, lookedUp], [[`${address}:80`], ["other.example"]]);
});

it("passes a request on as it is, but for what belongs to one connection", async (t) => {
  const seen: unknown[] = [];
  const port = await serve(t, async (request, response) => {
    const { method, url, headers } = request;
    seen.push({ method, url, headers, body: await textOf(request) });
    response.writeHead(201, [
      ...["set-cookie", "a=1", "set-cookie", "b=2", "connection", "x-private", "x-private", "1"],
      ...["proxy-authenticate", "Basic", "x-kept", "yes"],
    ]);
    response.end("made");
  });
  const { tried, ...ports } = internet({ "good.example": [address] }, { [address]: port });
  const { proxyPort } = await openDoors(t, { ...ports, allow: () => ["good.example"] });
  const headers = {
    host: "elsewhere.example",
    connection: "x-hop, keep-alive",
    "x-hop": "1",
    te: "trailers",
    "proxy-authorization": "Basic c2VjcmV0",
    "proxy-connection": "keep-alive",
    "x-kept": "yes",
  };
  const path = "http://Good.example./a/b?c=d%20e";
  const answer = await ask({ port: proxyPort, path, method: "PUT", headers }, "body");
  const expected = { host: "good.example", "x-kept": "yes" };
  const [{ headers: got, ...rest } = { headers: {} }] = seen as [{ headers: object }];
  assert.deepEqual(rest, { method: "PUT", url: "/a/b?c=d%20e", body: "body" });
  assert.deepEqual(
    { ...got, connection: undefined, "content-length": undefined },
    {
      ...expected,
      connection: undefined,
      "content-length": undefined,
    },
  );
  assert.deepEqual([answer.status, answer.text], [201, "made"]);
  assert.deepEqual(answer.headers["set-cookie"], ["a=1", "b=2"]);
  const { "x-kept": kept, "x-private": own, "proxy-authenticate": auth } = answer.headers;
  assert.deepEqual([kept, own, auth], ["yes", undefined, undefined]);
  assert.deepEqual(tried, [`${address}:80`]);
});

it("takes no request that two servers could read differently", async (t) => {
  const { tried, ...ports } = internet({ "good.example": [address] });
  const { proxyPort } = await openDoors(t, { ...ports, allow: () => ["good.example"] });
  const start = "POST http://good.example/ HTTP/1.1\r\nHost: good.example\r\n";
  const doubtful = [
    "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcde",
    "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
    "Content-Length : 4\r\n\r\nabcd",
    `X: ${"x".repeat(40_000)}\r\n\r\n`,
  ];
  for (const rest of doubtful) {
    const said = await allOf(await dial(t, proxyPort, start + rest));
    assert.match(said, /^HTTP\/1\.1 4(?:00|31) /, rest.slice(0, 60));
  }
  assert.deepEqual(tried, []);
  for (const path of ["/", "https://good.example/", "http://u:p@good.example/"])
    assert.equal((await ask({ port: proxyPort, path })).status, 400, path);
});

it("joins both ways of a tunnel, with what was sent early, until both have ended", async (t) => {
  const server = createTcpServer({ allowHalfOpen: true }, (socket) => {
    socket.on("data", (data) => socket.write(`<${data}>`));
    socket.on("end", () => socket.end("bye"));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const { tried, ...ports } = internet({ "good.example": [address] }, { [address]: port });
  const { proxyPort } = await openDoors(t, { ...ports, allow: () => ["good.example:9000"] });
  const client = await dial(t, proxyPort, `${connectTo("good.example:9000")}early`);
  assert.match(
    await until(client, "<early>"),
    /^HTTP\/1\.1 200 Connection established\r\n\r\n<early>$/,
  );
  client.write("more");
  assert.equal(await until(client, ">"), "<more>");
  client.end();
  assert.equal(await allOf(client), "bye");
  assert.deepEqual(tried, [`${address}:9000`]);
});

it("closes a tunnel in which nothing is said", async (t) => {
  const server = createTcpServer((socket) => void socket.on("error", () => {}).resume());
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const ports = internet({ "good.example": [address] }, { [address]: port });
  const limits = { idleMs: 50 };
  const { proxyPort } = await openDoors(t, { ...ports, limits, allow: () => ["good.example"] });
  const client = await dial(t, proxyPort, connectTo("good.example:443"));
  assert.match(await allOf(client), /^HTTP\/1\.1 200 /);
});

it("serves no more connections at once than it may", async (t) => {
  const limits = { connections: 2 };
  const { proxyPort } = await openDoors(t, { ...internet({}), limits });
  const [first] = [await dial(t, proxyPort, ""), await dial(t, proxyPort, "")];
  assert.equal(await allOf(await dial(t, proxyPort, "")), "");
  first.destroy();
  await once(first, "close");
  for (;;) {
    const answer = await ask({ port: proxyPort, path: "/" }).catch(() => undefined);
    if (answer?.status === 400) break;
  }
});

it("ends the request outside when the agent is gone, and the answer inside when the server is", async (t) => {
  const answers: ServerResponse[] = [];
  const port = await serve(t, (_request, response) => {
    answers.push(response.on("error", () => {}));
    response.write("first");
  });
  const ports = internet({ "good.example": [address] }, { [address]: port });
  const { proxyPort, log } = await openDoors(t, { ...ports, allow: () => ["good.example"] });
  const head = "GET http://good.example/ HTTP/1.1\r\nHost: good.example\r\n\r\n";
  const leaving = await dial(t, proxyPort, head);
  assert.match(await until(leaving, "first"), /^HTTP\/1\.1 200 /);
  const [answer] = answers;
  assert.ok(answer !== undefined);
  const closed = once(answer, "close");
  leaving.destroy();
  await closed;
  const staying = await dial(t, proxyPort, head);
  await until(staying, "first");
  answers[1]?.destroy();
  // No last chunk: nobody takes it for the whole.
  assert.doesNotMatch(await allOf(staying), /0\r\n\r\n/);
  assert.deepEqual(log.lines, []);
});
