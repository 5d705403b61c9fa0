// Whose page and which name a request may come by, whom a proxy speaks for, and how many strangers there may be.
import assert from "node:assert/strict";
import { it } from "node:test";
import type { GuardedRoute } from "../../src/http/guard/route.ts";
import type { Server, ServerOptions } from "../../src/http/server.ts";
import { ask, exchange, open, type RawRequest, without, written } from "../fakes/http-raw.ts";
import {
  cookies,
  goodRequest,
  type HttpRig,
  httpRig,
  rigRoutes,
  token,
} from "../fakes/http-rig.ts";

const route = (path: string) => rigRoutes.find((one) => one.path === path) as GuardedRoute;
const good = (path: string, server: Server) => goodRequest(route(path), server);
const withHeaders = (request: RawRequest, headers: Readonly<Record<string, string>>): RawRequest =>
  Object.entries(headers).reduce(
    (changed, [name, value]) => ({
      ...without(changed, name),
      headers: [...without(changed, name).headers, [name, value]],
    }),
    request,
  );

async function using(
  options: Partial<ServerOptions>,
  test: (rig: HttpRig) => Promise<void>,
): Promise<void> {
  const rig = await httpRig(options);
  try {
    await test(rig);
    assert.deepEqual(rig.errors, []);
  } finally {
    await rig.stop();
  }
}

const front = {
  publicUrl: "https://agent.example",
  hosts: ["other.example", "ported.example:81"],
  origins: ["https://friend.example:8443"],
};

it("answers to the names it has, and to no other", () =>
  using(front, async (rig) => {
    const { port } = rig;
    const ours = [
      `127.0.0.1:${port}`,
      `localhost:${port}`,
      `LOCALHOST:${port}`,
      "agent.example",
      "AGENT.example:8443",
      "other.example",
      "other.example:99",
      "ported.example:81",
    ];
    const foreign = [
      "",
      "evil.example",
      `evil.example:${port}`,
      "127.0.0.1",
      "127.0.0.1:1",
      "localhost",
      `localhost.:${port}`,
      `127.0.0.2:${port}`,
      `127.1:${port}`,
      `2130706433:${port}`,
      `0x7f.0.0.1:${port}`,
      `0.0.0.0:${port}`,
      `[::1]:${port}`,
      `[::ffff:127.0.0.2]:${port}`,
      `user@localhost:${port}`,
      `localhost:${port}@evil.example`,
      `localhost:${port}/`,
      `localhost:${port}, evil.example`,
      "ported.example",
      "agent.example.evil.example",
      "xagent.example",
      `a.localhost:${port}`,
      `localhost:0${port}0`,
    ];
    for (const [hosts, status] of [
      [ours, 200],
      [foreign, 403],
    ] as const)
      for (const host of hosts)
        for (const path of ["/", "/api/me"]) {
          const answer = await ask(port, withHeaders(good(path, rig), { Host: host }));
          assert.equal(answer.status, status, `${host} ${path}`);
        }
    assert.equal((await ask(port, without(good("/", rig), "Host"))).status, 403);
    const old = await exchange(port, "GET / HTTP/1.0\r\n\r\n");
    assert.match(old, /^HTTP\/1\.1 403/);
  }));

it("lets only its own pages act and listen", () =>
  using(front, async (rig) => {
    const { port } = rig;
    const own = `http://127.0.0.1:${port}`;
    const ours = [own, "https://agent.example", "https://friend.example:8443"];
    const foreign = [
      "null",
      "",
      "https://evil.example",
      `http://127.0.0.1:${port + 1}`,
      "http://127.0.0.1",
      `https://127.0.0.1:${port}`,
      `http://localhost:${port}`,
      "http://agent.example",
      "https://agent.example:444",
      "https://friend.example",
      "http://other.example",
      `${own}, https://evil.example`,
      `${own}.evil.example`,
      `${own}/`,
      "chrome-extension://abcdef",
      "file://",
    ];
    for (const path of ["/sign-in", "/api/me", "/api/messages", "/api/operator"])
      for (const [origins, status] of [
        [ours, 200],
        [foreign, 403],
      ] as const)
        for (const Origin of origins) {
          // Origin decides, whatever the other header says.
          const site = status === 200 ? "cross-site" : "same-origin";
          const request = withHeaders(good(path, rig), { Origin, "Sec-Fetch-Site": site });
          assert.equal((await ask(port, request)).status, status, `${Origin} ${path}`);
        }
  }));

it("takes another port of this host for a foreign site, and typed addresses and programs for none", () =>
  using({}, async (rig) => {
    for (const path of ["/sign-in", "/api/me", "/api/messages"]) {
      const request = without(good(path, rig), "Origin");
      const status = async (site: string) =>
        (await ask(rig.port, withHeaders(request, { "Sec-Fetch-Site": site }))).status;
      assert.equal((await ask(rig.port, request)).status, 200);
      assert.deepEqual([await status("none"), await status("same-origin")], [200, 200]);
      for (const site of ["same-site", "cross-site", "anything", ""])
        assert.equal(await status(site), 403, `${path} ${site}`);
    }
  }));

it("shows its pages to whoever follows a link in a chat", () =>
  using(front, async (rig) => {
    const link = {
      "Sec-Fetch-Site": "cross-site",
      "Sec-Fetch-Mode": "navigate",
      "Sec-Fetch-Dest": "document",
    };
    const answer = await ask(
      rig.port,
      withHeaders(good("/", rig), { ...link, Host: "agent.example" }),
    );
    assert.equal(answer.status, 200);
    assert.equal(JSON.parse(answer.body).origin, "https://agent.example");
  }));

it("grants no preflight anything", () =>
  using(front, async (rig) => {
    for (const Origin of ["https://evil.example", "null", "https://friend.example:8443"]) {
      const request = withHeaders(good("/api/messages", rig), {
        Origin,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "content-type",
      });
      const answer = await ask(rig.port, { ...request, method: "OPTIONS" });
      assert.equal(answer.status, 405);
      for (const name of answer.headers.keys()) assert.doesNotMatch(name, /^access-control/);
    }
  }));

it("takes a session only from one cookie of its own name, and a token as it is", () =>
  using({}, async (rig) => {
    const { cookieName, port } = rig;
    const status = async (headers: Record<string, string>) =>
      (await ask(port, withHeaders(without(good("/api/me", rig), "Cookie"), headers))).status;
    assert.equal(cookieName, `sallyport_${port}`);
    assert.equal(await status({ Cookie: `a=b;${cookieName}=${cookies.person}` }), 200);
    assert.equal(await status({ Authorization: `bearer ${token}` }), 200);
    for (const Cookie of [
      `sallyport_1=${cookies.person}`,
      `${cookieName}=`,
      `${cookieName}=wrong`,
      `${cookieName}="${cookies.person}"`,
      `${cookieName}=${cookies.person}; ${cookieName}=${cookies.person}`,
      `x${cookieName}=${cookies.person}`,
    ])
      assert.equal(await status({ Cookie }), 401, Cookie);
    const own = `${cookieName}=${cookies.person}`;
    assert.equal(await status({ Cookie: own, Authorization: "Bearer a2p_wrong" }), 401);
    assert.equal(await status({ Cookie: own, Authorization: "Basic eDp5" }), 200);
    const refused = await ask(port, without(good("/api/me", rig), "Cookie"));
    assert.match(refused.problem ?? "", /sallyport link/);
    assert.equal(refused.headers.get("www-authenticate"), "Bearer");
  }));

const seen = async ({ port }: HttpRig, request: RawRequest) => {
  const { address, local, origin } = JSON.parse((await ask(port, request)).body);
  return { address, local, origin };
};

it("believes nobody about the caller's address, unless that is a trusted proxy", async () => {
  const forwarded = {
    "X-Forwarded-For": "203.0.113.7",
    Forwarded: "for=203.0.113.8",
    "X-Real-IP": "203.0.113.9",
    "X-Forwarded-Proto": "https",
    "X-Forwarded-Host": "evil.example",
  };
  await using({}, async (rig) => {
    const origin = `http://127.0.0.1:${rig.port}`;
    assert.deepEqual(await seen(rig, good("/", rig)), {
      address: "127.0.0.1",
      local: true,
      origin,
    });
    const spoofed = withHeaders(good("/", rig), forwarded);
    assert.deepEqual(await seen(rig, spoofed), { address: "127.0.0.1", local: false, origin });
  });
  await using({ ...front, trustedProxies: ["127.0.0.0/8", "::1"] }, async (rig) => {
    const from = (value: string) =>
      seen(rig, withHeaders(good("/", rig), { ...forwarded, "X-Forwarded-For": value }));
    const origin = `https://127.0.0.1:${rig.port}`;
    assert.deepEqual(await from("203.0.113.7"), { address: "203.0.113.7", local: false, origin });
    assert.equal((await from("1.1.1.1, 203.0.113.7")).address, "203.0.113.7");
    assert.equal((await from("1.1.1.1, 127.0.0.9")).address, "1.1.1.1");
    assert.equal((await from("2001:db8:1:2:3:4:5:6")).address, "2001:db8:1:2::/64");
    assert.equal((await from("2001:db8:1:2::9")).address, "2001:db8:1:2::/64");
    assert.equal((await from("::ffff:203.0.113.7")).address, "203.0.113.7");
    for (const junk of ["junk", "", "999.1.1.1", ":::", "<script>"])
      assert.equal((await from(junk)).address, "127.0.0.1", junk);
  });
});

/** Holds a request open at `/wait` from each address. */
async function hold(rig: HttpRig, addresses: readonly string[]): Promise<void> {
  for (const [index, address] of addresses.entries()) {
    const socket = await open(rig.port);
    const arrived = rig.waiting(index + 1);
    socket.write(
      written(withHeaders({ ...good("/", rig), target: "/wait" }, { "X-Forwarded-For": address })),
    );
    await arrived;
  }
}

it("gives a stranger's address 8 open requests, and still lets in who is signed in", () =>
  using({}, async (rig) => {
    await hold(rig, Array(8).fill(""));
    const refused = await ask(rig.port, good("/", rig));
    assert.equal(refused.status, 429);
    assert.equal(refused.headers.get("retry-after"), "1");
    assert.equal((await ask(rig.port, good("/api/messages", rig))).status, 200);
    const signedIn = withHeaders(good("/", rig), { Cookie: `${rig.cookieName}=${cookies.person}` });
    assert.equal((await ask(rig.port, signedIn)).status, 200);
    const lying = withHeaders(good("/", rig), { Cookie: `${rig.cookieName}=wrong` });
    assert.equal((await ask(rig.port, lying)).status, 429);
    rig.release();
    assert.equal((await ask(rig.port, good("/", rig))).status, 200);
  }));

it("tells strangers with IPv6 apart by their network, and others by their address", () =>
  using({ trustedProxies: ["127.0.0.1"] }, async (rig) => {
    await hold(
      rig,
      [1, 2, 3, 4, 5, 6, 7, 8].map((last) => `2001:db8:0:7::${last}`),
    );
    const status = async (address: string) =>
      (await ask(rig.port, withHeaders(good("/", rig), { "X-Forwarded-For": address }))).status;
    assert.equal(await status("2001:db8:0:7:ffff::1"), 429);
    assert.equal(await status("2001:db8:0:8::1"), 200);
    assert.equal(await status("203.0.113.7"), 200);
  }));

it("frees the places of those who went away, also of requests that waited behind another", () =>
  using({}, async (rig) => {
    const one = written({ ...good("/", rig), target: "/wait" });
    const socket = await open(rig.port);
    socket.write(one.repeat(8));
    await rig.waiting(8);
    assert.equal((await ask(rig.port, good("/", rig))).status, 429);
    socket.resetAndDestroy();
    const gone = async () => (await ask(rig.port, good("/", rig))).status === 200;
    for (let tries = 0; tries < 200 && !(await gone()); tries += 1);
    const again = await open(rig.port);
    again.write(one.repeat(8));
    await rig.waiting(16);
  }));
