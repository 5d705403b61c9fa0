// A body may take its time: who sends it has to be somebody still when it is there.
import assert from "node:assert/strict";
import { it } from "node:test";
import type { Visitor } from "../../src/access/visitor.ts";
import type { GuardedRoute } from "../../src/http/guard/route.ts";
import { closed, open, parsed, without, written } from "../fakes/http-raw.ts";
import { cookies, goodRequest, httpRig, rigRoutes } from "../fakes/http-rig.ts";

const owner: Visitor = {
  caller: { id: "p:ana", pairing: "ana", role: "owner", name: "ana" },
  by: "session",
  operator: true,
  session: "one",
  expiresAt: null,
};

const cases: readonly [string, string, Visitor | undefined, number][] = [
  ["whose session ended", "/api/messages", undefined, 401],
  ["who is no operator any more", "/api/operator/:id", { ...owner, operator: false }, 403],
];

for (const [who, path, later, status] of cases)
  it(`calls nothing for somebody ${who} while the body came`, async () => {
    const known: { now: Visitor | undefined } = { now: owner };
    const rig = await httpRig({
      visitors: {
        byCookie: async (value) => (value === cookies.operator ? known.now : undefined),
        byToken: async () => undefined,
      },
    });
    try {
      const route = rigRoutes.find((one) => one.path === path) as GuardedRoute;
      const whole = goodRequest(route, rig);
      const socket = await open(rig.port);
      const all = closed(socket);
      const headers: [string, string][] = [
        ...without(whole, "Connection").headers,
        ["Expect", "100-continue"],
        ["Connection", "close"],
      ];
      socket.write(written({ ...whole, headers, body: "" }));
      // The guard has let it pass: it waits for the body.
      await new Promise((resolve) => socket.once("data", resolve));
      known.now = later;
      socket.write(whole.body);
      assert.equal(parsed(await all).status, status);
      assert.deepEqual(rig.served, []);
    } finally {
      await rig.stop();
    }
  });

it("tells a route the role that somebody has once the body is there", async () => {
  const known = { now: owner };
  const roles: string[] = [];
  const route: GuardedRoute = {
    method: "POST",
    path: "/api/messages",
    access: "caller",
    body: "json",
    async handle(_, { visitor }) {
      roles.push(visitor.caller.role);
      return Response.json({});
    },
  };
  const rig = await httpRig({
    routes: [route],
    visitors: { byCookie: async () => known.now, byToken: async () => undefined },
  });
  try {
    const whole = goodRequest(route, rig);
    const socket = await open(rig.port);
    const all = closed(socket);
    const headers: [string, string][] = [
      ...whole.headers,
      ["Expect", "100-continue"],
      ["Connection", "close"],
    ];
    socket.write(written({ ...whole, headers, body: "" }));
    await new Promise((resolve) => socket.once("data", resolve));
    known.now = { ...owner, caller: { ...owner.caller, role: "authenticated" } };
    socket.write(whole.body);
    assert.equal(parsed(await all).status, 200);
    assert.deepEqual(roles, ["authenticated"]);
  } finally {
    await rig.stop();
  }
});
