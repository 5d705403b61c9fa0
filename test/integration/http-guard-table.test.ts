// Walks the guard's table: each row refuses what it says, on each route, and of two rows the earlier one answers.
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { strictHeaders } from "../../src/http/guard/answer.ts";
import type { GuardedRoute } from "../../src/http/guard/route.ts";
import { type Row, type RowName, table } from "../../src/http/guard/table.ts";
import { type Answer, ask, open, type RawRequest, written } from "../fakes/http-raw.ts";
import {
  cookies,
  goodRequest,
  type HttpRig,
  httpRig,
  rigRoutes,
  token,
} from "../fakes/http-rig.ts";

const crowdedAddress = "203.0.113.9";
let [rig, full]: HttpRig[] = [];

before(async () => {
  rig = await httpRig({ trustedProxies: ["127.0.0.1"] });
  full = await httpRig({ trustedProxies: ["127.0.0.1"], limits: { open: 8, openPerStranger: 2 } });
  await hold(rig, Array(8).fill(crowdedAddress));
  await hold(
    full,
    [1, 2, 3, 4, 5, 6].map((last) => `198.51.100.${last}`),
  );
});
after(() => Promise.all([rig?.stop(), full?.stop()]));

/** Keeps a request open from each of these addresses, until the server stops. */
async function hold({ port, waiting }: HttpRig, addresses: readonly string[]): Promise<void> {
  for (const [index, address] of addresses.entries()) {
    const socket = await open(port);
    const headers: [string, string][] = [
      ["Host", `127.0.0.1:${port}`],
      ["X-Forwarded-For", address],
    ];
    const arrived = waiting(index + 1);
    socket.write(written({ method: "GET", target: "/wait", headers, body: "" }));
    await arrived;
  }
}

const routes = rigRoutes.filter(({ path }) => path !== "/wait");
const set = (request: RawRequest, name: string, value?: string) => {
  request.headers = request.headers.filter(([other]) => other !== name);
  if (value !== undefined) request.headers.push([name, value]);
};

/** Makes this row hold; false: it cannot on this route. */
const spoilers: Record<RowName, (request: RawRequest, route: GuardedRoute) => unknown> = {
  "long-target": (request) => {
    request.target += `?${"x".repeat(4096)}`;
  },
  "odd-target": (request) => {
    request.target = `/%2e${request.target}`;
  },
  twice: ({ headers }) => headers.push(...headers.filter(([name]) => name === "Host")),
  upgrade: (request) => set(request, "Upgrade", "websocket"),
  expect: (request) => set(request, "Expect", "nothing"),
  "big-body": (request) => set(request, "Content-Length", "30000000"),
  "crowded-server": (request) => set(request, "Cookie"),
  "crowded-address": (request) => {
    set(request, "Cookie");
    set(request, "X-Forwarded-For", crowdedAddress);
  },
  host: (request) => set(request, "Host", "evil.example"),
  "unknown-path": (request) => {
    request.target = "/nothing/here";
  },
  method: (request) => {
    request.method = "PUT";
  },
  "foreign-origin": (request, route) =>
    !isOpen(route) && set(request, "Origin", "https://evil.example"),
  "foreign-site": (request, route) => {
    if (isOpen(route)) return false;
    set(request, "Origin");
    set(request, "Sec-Fetch-Site", "cross-site");
  },
  "no-origin": (request, { body }) => body === "file" && set(request, "Origin"),
  encoding: (request) => set(request, "Content-Encoding", "gzip"),
  "content-type": (request, { body }) =>
    body !== "none" && body !== "raw" && set(request, "Content-Type", "text/plain"),
  nobody: (request, { access }) => access !== "public" && set(request, "Cookie"),
  program: (request, { body }) => {
    if (body !== "file") return false;
    set(request, "Cookie");
    set(request, "Authorization", `Bearer ${token}`);
  },
  operator: (request, { access }) => {
    if (access !== "operator") return false;
    set(
      request,
      "Cookie",
      `${rig?.cookieName}=${cookies.person}; ${full?.cookieName}=${cookies.person}`,
    );
  },
};

/** Each line: at most one of these can be wrong with one request. */
const exclusive: readonly (readonly RowName[])[] = [
  ["foreign-origin", "foreign-site"],
  ["foreign-origin", "no-origin"],
  ["crowded-server", "program"],
  ["crowded-server", "operator"],
  ["crowded-address", "program"],
  ["crowded-address", "operator"],
  ["nobody", "program"],
  ["nobody", "operator"],
];

const isOpen = ({ access, method }: GuardedRoute) => access === "public" && method === "GET";

/** Later rows first, so that an earlier one still holds. Undefined: they cannot all hold here. */
async function refused(route: GuardedRoute, rows: readonly Row[]): Promise<Answer | undefined> {
  const server = rows.some(({ name }) => name === "crowded-server") ? full : rig;
  assert.ok(server);
  const request = goodRequest(route, server);
  for (const { name } of rows.toReversed())
    if (spoilers[name](request, route) === false) return undefined;
  const answer = await ask(server.port, request);
  assert.equal(server.served.length, 0, "no handler was called");
  return answer;
}

function check(answer: Answer, row: Row, what: string): void {
  assert.equal(answer.status, row.status, `${what}: ${answer.body}`);
  assert.equal(answer.problem, row.say, what);
  for (const [name, value] of Object.entries(strictHeaders))
    assert.equal(answer.headers.get(name), value, what);
  for (const name of answer.headers.keys()) assert.doesNotMatch(name, /^access-control|^server$/);
}

for (const route of routes) {
  const label = `${route.method} ${route.path}`;
  it(`refuses on ${label} what one row says`, async () => {
    let checked = 0;
    for (const row of table) {
      const answer = await refused(route, [row]);
      if (!answer) continue;
      check(answer, row, row.name);
      checked += 1;
    }
    assert.ok(checked >= 12, `${checked} rows`);
  });

  it(`answers on ${label} with the earlier of two rows`, async () => {
    let checked = 0;
    for (const [index, first] of table.entries())
      for (const second of table.slice(index + 1)) {
        const pair = [first.name, second.name];
        if (exclusive.some((names) => pair.every((name) => names.some((one) => one === name))))
          continue;
        const answer = await refused(route, [first, second]);
        if (!answer) continue;
        check(answer, first, pair.join(" and "));
        checked += 1;
      }
    assert.ok(checked >= 66, `${checked} pairs`);
  });
}

it("takes on every route what is in order", async () => {
  const mine = await httpRig();
  for (const route of routes) {
    const { status, body } = await ask(mine.port, goodRequest(route, mine));
    assert.equal(status, 200, `${route.method} ${route.path}: ${body}`);
  }
  assert.equal(mine.served.length, routes.length);
  await mine.stop();
});

it("has made no error of ours of any of it", () => {
  assert.deepEqual([...(rig?.errors ?? []), ...(full?.errors ?? [])], []);
});
