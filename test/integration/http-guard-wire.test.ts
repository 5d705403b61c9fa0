// The guard against bytes that no browser sends: slow, large, compressed, smuggled, and paths that read two ways.
import assert from "node:assert/strict";
import { once } from "node:events";
import { after, before, it } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { gzipSync } from "node:zlib";
import type { GuardedRoute } from "../../src/http/guard/route.ts";
import {
  ask,
  closed,
  exchange,
  open,
  parsed,
  type RawRequest,
  without,
  written,
} from "../fakes/http-raw.ts";
import { goodRequest, type HttpRig, httpRig, rigRoutes } from "../fakes/http-rig.ts";

const fast = { headersMs: 150, publicBodyMs: 150, bodyMs: 150, fileIdleMs: 150, lookMs: 30 };
let rig: HttpRig;
/** With little patience. */
let hasty: HttpRig;

before(async () => {
  rig = await httpRig();
  hasty = await httpRig({ limits: fast });
});
after(() => Promise.all([rig.stop(), hasty.stop()]));

const route = (path: string) => rigRoutes.find((one) => one.path === path) as GuardedRoute;
const good = (path: string) => goodRequest(route(path), rig);
/** The same with its body in pieces, and the body is left to the test. */
const chunked = (request: RawRequest): RawRequest => ({
  ...without(request, "Content-Length"),
  headers: [...without(request, "Content-Length").headers, ["Transfer-Encoding", "chunked"]],
  body: "",
});
const works = async () => assert.equal((await ask(rig.port, good("/api/me"))).status, 200);

it("closes a connection whose headers never end", async () => {
  const socket = await open(hasty.port);
  const all = closed(socket);
  socket.write("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n");
  const drip = setInterval(() => socket.write("X-More: 1\r\n"), 20);
  const answer = parsed(await all);
  clearInterval(drip);
  assert.equal(answer.status, 408);
  assert.match(answer.problem ?? "", /took too long/);
  assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
});

it("closes a connection that says nothing at all", async () => {
  assert.equal(parsed(await exchange(hasty.port)).status, 408);
});

it("answers 408 to a body that never ends", async () => {
  for (const path of ["/sign-in", "/api/messages", "/api/files"]) {
    const request = { ...goodRequest(route(path), hasty), body: "x" };
    const answer = parsed(await exchange(hasty.port, written(request)));
    assert.equal(answer.status, 408, path);
    assert.equal(answer.headers.get("connection"), "close");
  }
});

it("takes a body of just the limit and refuses one byte more, before it is sent", async () => {
  const body = JSON.stringify("x".repeat(65_534));
  const request = { ...without(good("/sign-in"), "Content-Length"), body };
  const sized = (length: number): RawRequest => ({
    ...request,
    headers: [...request.headers, ["Content-Length", String(length)]],
  });
  assert.equal((await ask(rig.port, sized(65_536))).status, 200);
  const answer = parsed(await exchange(rig.port, written({ ...sized(65_537), body: "" })));
  assert.equal(answer.status, 413);
  assert.equal(answer.headers.get("connection"), "close");
});

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
/** Bytes of buffers that something still refers to. */
const held = () => {
  collect();
  return process.memoryUsage().arrayBuffers;
};

for (const [path, bytes] of [
  ["/sign-in", 65_536],
  ["/api/messages", 1_000_000],
  ["/api/files", 20 * 1024 * 1024],
] as const)
  it(`refuses a body for ${path} that grows past its limit unannounced, holds none of the rest, and closes`, async () => {
    const socket = await open(rig.port);
    const all = closed(socket);
    socket.write(written(chunked(good(path))));
    const piece = Buffer.from(`10000\r\n${"x".repeat(65_536)}\r\n`);
    const over = once(socket, "close");
    const before = held();
    let [sent, peak] = [0, 0];
    while (socket.writable && sent < 500_000_000) {
      if (!socket.write(piece)) await Promise.race([once(socket, "drain"), over]).catch(() => {});
      sent += piece.length;
      if (sent % (100 * piece.length) === 0) peak = Math.max(peak, held() - before);
    }
    const answer = parsed(await all);
    assert.equal(answer.status, 413);
    assert.equal(answer.headers.get("connection"), "close");
    assert.ok(peak < bytes + 12_000_000, `${peak} bytes held of ${sent}`);
    await works();
  });

it("takes no compressed body", async () => {
  const bomb = gzipSync(Buffer.alloc(5_000_000, " "));
  const request = without(good("/api/messages"), "Content-Length");
  request.headers.push(["Content-Encoding", "gzip"], ["Content-Length", String(bomb.length)]);
  const text = await exchange(rig.port, written({ ...request, body: "" }), bomb);
  assert.equal(parsed(text).status, 415);
});

it("answers 400 to what is not JSON, also when it breaks off or is not UTF-8", async () => {
  for (const body of ["", "{", '{"a":1}x', "undefined", '"\xff"', "\xef\xbb\xbf{}x"]) {
    const request = without(good("/api/messages"), "Content-Length");
    request.headers.push(["Content-Length", String(body.length)]);
    assert.equal((await ask(rig.port, { ...request, body })).status, 400, JSON.stringify(body));
  }
});

const head = () => `Host: 127.0.0.1:${rig.port}\r\nContent-Type: application/json\r\n`;
const smuggled: readonly [string, () => string][] = [
  [
    "both lengths",
    () =>
      `POST /sign-in HTTP/1.1\r\n${head()}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  ],
  [
    "two lengths",
    () => `POST /sign-in HTTP/1.1\r\n${head()}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x`,
  ],
  [
    "the same length twice",
    () => `POST /sign-in HTTP/1.1\r\n${head()}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}`,
  ],
  ["a length with a sign", () => `POST /sign-in HTTP/1.1\r\n${head()}Content-Length: +2\r\n\r\n{}`],
  [
    "a folded header",
    () =>
      `POST /sign-in HTTP/1.1\r\n${head()}X-A: b\r\n Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n{}`,
  ],
  [
    "an encoding nobody has",
    () => `POST /sign-in HTTP/1.1\r\n${head()}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`,
  ],
  [
    "a space before the colon",
    () => `POST /sign-in HTTP/1.1\r\n${head()}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n`,
  ],
  [
    "chunked, but not last",
    () =>
      `POST /sign-in HTTP/1.1\r\n${head()}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`,
  ],
  [
    "a chunk without a size",
    () => `POST /sign-in HTTP/1.1\r\n${head()}Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n`,
  ],
  ["a bare line feed", () => `GET / HTTP/1.1\nHost: 127.0.0.1\n\n`],
  ["a header without a name", () => `GET / HTTP/1.1\r\n${head()}: x\r\n\r\n`],
  ["a NUL in a header", () => `GET / HTTP/1.1\r\n${head()}X-A: a\0b\r\n\r\n`],
  ["another protocol", () => `GET / HTTP/3.0\r\n${head()}\r\n`],
  ["TLS", () => "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"],
];

for (const [what, bytes] of smuggled)
  it(`answers 400 once, and closes, to ${what}`, async () => {
    const calls = rig.served.length;
    const text = await exchange(rig.port, bytes());
    assert.equal(parsed(text).status, 400, text);
    assert.ok((parsed(text).problem ?? "").length > 10);
    assert.equal(text.match(/HTTP\/1\.1 \d{3} /g)?.length, 1);
    assert.equal(rig.served.length, calls);
  });

it("serves nothing of what follows a request that it refused with its body unread", async () => {
  const inner = written(good("/api/me"));
  const request = without(good("/api/messages"), "Content-Length");
  request.headers = request.headers.filter(([name]) => name !== "Content-Type");
  request.headers.push(["Content-Length", String(inner.length + 100_000)]);
  const text = await exchange(rig.port, written({ ...request, body: inner }));
  assert.equal(text.match(/HTTP\/1\.1 \d{3} /g)?.length, 1);
  assert.equal(parsed(text).status, 415);
});

it("answers 431 to headers of more than 16 KiB", async () => {
  const request = good("/");
  request.headers.push(["X-Large", "x".repeat(17_000)]);
  const answer = await ask(rig.port, request);
  assert.equal(answer.status, 431);
  assert.match(answer.problem ?? "", /headers are too large/);
});

it("says that it goes on only when the body is wanted", async () => {
  const wait: [string, string] = ["Expect", "100-continue"];
  const wanted = good("/api/messages");
  const text = await exchange(
    rig.port,
    written({ ...wanted, headers: [...wanted.headers, wait, ["Connection", "close"]] }),
  );
  assert.match(text, /^HTTP\/1\.1 100 Continue/);
  assert.equal(parsed(text).status, 200);
  const stranger = without(wanted, "Cookie");
  const refused = await exchange(
    rig.port,
    written({ ...stranger, headers: [...stranger.headers, wait], body: "" }),
  );
  assert.match(refused, /^HTTP\/1\.1 401/);
});

it("has made no error of ours of any of it", () => {
  assert.deepEqual([...rig.errors, ...hasty.errors], []);
});
