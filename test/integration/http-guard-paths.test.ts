// The guard against methods that nobody needs and paths that read two ways.
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import type { GuardedRoute } from "../../src/http/guard/route.ts";
import { ask, without } from "../fakes/http-raw.ts";
import { goodRequest, type HttpRig, httpRig, rigRoutes } from "../fakes/http-rig.ts";

let rig: HttpRig;

before(async () => {
  rig = await httpRig();
});
after(() => rig.stop());

const route = (path: string) => rigRoutes.find((one) => one.path === path) as GuardedRoute;
const good = (path: string) => goodRequest(route(path), rig);

it("refuses CONNECT, TRACE, OPTIONS, HEAD and a WebSocket", async () => {
  const plain = good("/api/me");
  const connect = await ask(rig.port, { ...plain, method: "CONNECT", target: "evil.example:443" });
  assert.equal(connect.status, 405);
  for (const method of ["TRACE", "OPTIONS", "HEAD", "DELETE", "PROPFIND", "POST"]) {
    const answer = await ask(rig.port, { ...plain, method });
    assert.equal(answer.status, 405, method);
    assert.equal(answer.headers.get("allow"), "GET");
  }
  const upgrade: [string, string][] = [
    ["Upgrade", "websocket"],
    ["Connection", "Upgrade"],
    ["Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="],
    ["Sec-WebSocket-Version", "13"],
  ];
  const socket = await ask(rig.port, { ...plain, headers: [...plain.headers, ...upgrade] });
  assert.equal(socket.status, 400);
});

const twoWays = [
  "/api/x/..%2foperator",
  "/api/..%2Foperator",
  "//api/operator",
  "/api//operator",
  "/./api/operator",
  "/api/x/../operator",
  "/api/%2e%2e/api/operator",
  "/api/%2E/operator",
  "/api/operator%00",
  "/api/operator%0a",
  "/api%5coperator",
  "/api\\operator",
  "/api/operator%",
  "/api/operator%ff",
  "/api/operator%zz",
  "/api/operator#x",
  "/api/tasks/a%2f..%2fb/stop",
  "\\api\\operator",
  "/api/operator/..",
  "/..",
  "/api/operator/.",
] as const;

it("answers 400 to a path that can be read in two ways, with a session and without", async () => {
  const session = good("/api/operator");
  for (const target of [
    ...twoWays,
    `http://127.0.0.1:${rig.port}/api/operator`,
    "http://evil.example/api/operator",
    "*",
  ])
    for (const request of [session, without(session, "Cookie")]) {
      const answer = await ask(rig.port, { ...request, target });
      assert.equal(answer.status, 400, target);
    }
});

it("serves nobody who is not signed in, however the path is written", async () => {
  const stranger = without(good("/api/operator"), "Cookie");
  for (const target of [
    "/api/operator",
    "/api/operator?x=/../",
    "/%61pi/operator",
    "/api/%6fperator",
    "/api/operator;x=1",
    "/api/operator/",
    "/API/operator",
    "/api/operator%20",
    "/api/%25%32%65/operator",
    "/api/%252e%252e/operator",
  ]) {
    const { status } = await ask(rig.port, { ...stranger, target });
    assert.ok(status === 401 || status === 404, `${target}: ${status}`);
  }
});

it("decodes what is left of a path once", async () => {
  const request = { ...good("/api/tasks/:id/stop"), target: "/api/tasks/a%252fb%20%C3%A4/stop" };
  const { params } = JSON.parse(
    Buffer.from((await ask(rig.port, request)).body, "latin1").toString(),
  );
  assert.deepEqual(params, { id: "a%2fb ä" });
});

it("has made no error of ours of any of it", () => {
  assert.deepEqual(rig.errors, []);
});
