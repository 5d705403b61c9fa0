// The guarded HTTP client on a server that it believes to be public: bodies, redirects, bounds.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, connect as connectSocket } from "node:net";
import { it, type TestContext } from "node:test";
import { gzipSync } from "node:zlib";
import type { Connect, Lookup } from "../../src/net/connector.ts";
import { createGuardedFetch, type GuardOptions } from "../../src/net/guarded-fetch.ts";
import { Refused } from "../../src/net/refused.ts";

const publicAddress = "93.184.216.34";

/** A server on this machine that a client believes to be at a public address. */
async function pretended(t: TestContext, listener: RequestListener, peer = publicAddress) {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const tried: string[] = [];
  const connect: Connect = ({ hostname }, callback) => {
    tried.push(hostname);
    const socket = connectSocket(port, "127.0.0.1");
    Object.defineProperty(socket, "remoteAddress", { value: peer });
    socket.once("connect", () => callback(null, socket));
  };
  const lookup: Lookup = async () => [{ address: publicAddress, family: 4 }];
  const client = (more: Partial<GuardOptions> = {}) => {
    const made = createGuardedFetch({ allow: "public", connect, lookup, ...more });
    t.after(() => made.close());
    return made.fetch;
  };
  return { tried, client };
}

it("drops a connection whose real peer is not the class that was checked", async (t) => {
  let requests = 0;
  const { client } = await pretended(t, () => requests++, "127.0.0.1");
  await assert.rejects(client()("http://good.example/"), Refused);
  assert.equal(requests, 0);
});

it("sends method, headers and bodies, and gives back the platform's own Response", async (t) => {
  const { client } = await pretended(t, async (request, response) => {
    const chunks = await request.toArray();
    response.setHeader("x-type", request.headers["content-type"] ?? "");
    response.setHeader("x-host", request.headers.host ?? "");
    response.end(`${request.method} ${Buffer.concat(chunks).length}`);
  });
  const form = new FormData();
  form.set("file", new Blob(["12345"]), "a.txt");
  const answer = await client()("http://good.example/up", { method: "POST", body: form });
  assert.ok(answer instanceof Response);
  assert.match(answer.headers.get("x-type") ?? "", /^multipart\/form-data; boundary=/);
  assert.equal(answer.headers.get("x-host"), "good.example");
  assert.match(await answer.text(), /^POST \d{3}$/);
});

const redirects: readonly [from: string, location: string, message: RegExp][] = [
  ["http://good.example/", "http://127.0.0.1/", /not public/],
  ["http://good.example/", "http://[::1]/", /not public/],
  ["http://good.example/", "file:///etc/passwd", /not http or https/],
  ["http://good.example/", "http://good.example:22/", /Port 22/],
  ["http://good.example/", "/again", /redirects too often/],
];

it("checks every hop of a redirect", async (t) => {
  for (const [from, location, message] of redirects) {
    const { client, tried } = await pretended(t, (_, response) =>
      response.writeHead(302, { location }).end(),
    );
    await assert.rejects(client()(from), { name: "Refused", message });
    assert.ok(tried.every((address) => address === publicAddress));
  }
});

it("never follows from https to http", async (t) => {
  const { client, tried } = await pretended(t, (_, response) =>
    response.writeHead(302, { location: "http://good.example/" }).end(),
  );
  await assert.rejects(client()("https://good.example/"), /redirects from https to http/);
  assert.equal(tried.length, 1);
});

it("follows to another origin without the secrets of the first", async (t) => {
  const seen: unknown[] = [];
  const { client } = await pretended(t, (request, response) => {
    const { host, authorization, cookie } = request.headers;
    seen.push([request.method, host, authorization, cookie]);
    const location = "http://other.example/";
    if (host === "good.example") response.writeHead(302, { location }).end();
    else response.end("there");
  });
  const headers = { authorization: "Bearer x", cookie: "a=b" };
  const answer = await client()("http://good.example/", { method: "POST", body: "x", headers });
  assert.equal(await answer.text(), "there");
  assert.deepEqual(seen, [
    ["POST", "good.example", "Bearer x", "a=b"],
    ["GET", "other.example", undefined, undefined],
  ]);
});

it("gives a redirect as it is where redirects are off", async (t) => {
  const { client } = await pretended(t, (_, response) =>
    response.writeHead(302, { location: "http://127.0.0.1/" }).end(),
  );
  const answer = await client({ allow: { root: "http://good.example" } })("http://good.example/");
  assert.equal(answer.status, 302);
});

it("ends what is too large, also when it only unpacks to it, or takes too long", async (t) => {
  const packed = gzipSync(Buffer.alloc(5_000_000));
  const { client } = await pretended(t, (request, response) => {
    if (request.url === "/declared") response.writeHead(200, { "content-length": 5e9 }).write("x");
    else if (request.url === "/bomb") {
      response.writeHead(200, { "content-encoding": "gzip" }).end(packed);
    } else if (request.url === "/endless") {
      const more = () => void (response.write("x".repeat(65536)) && setImmediate(more));
      response.on("drain", more);
      more();
    } else response.write("a drop, then nothing");
  });
  const get = client({ limits: { bytes: 100_000, totalMs: 400 } });
  await assert.rejects(get("http://good.example/declared"), /larger than 100000 bytes/);
  for (const path of ["bomb", "endless"]) {
    const answer = await get(`http://good.example/${path}`);
    await assert.rejects(answer.text(), /larger than 100000 bytes/, path);
  }
  const drip = await get("http://good.example/drip");
  await assert.rejects(drip.text(), /took longer than 400 ms/);
});

it("stops when the caller does", async (t) => {
  const { client } = await pretended(t, () => {});
  const stop = new AbortController();
  const answer = client()("http://good.example/", { signal: stop.signal });
  stop.abort(new Error("enough"));
  await assert.rejects(answer, /enough/);
});
