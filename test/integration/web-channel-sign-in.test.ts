import assert from "node:assert/strict";
import { it, type TestContext } from "node:test";
import type { SignIn } from "../../src/core/page.ts";
import type { Attempt, Doorkeeper } from "../../src/http/web/sign-in.ts";
import { temporaryFolder } from "../fakes/agent-rig.ts";
import { serveWeb, visitorOf } from "../fakes/web-server.ts";

/** Lets in whoever has the link `good`, and makes a token of the code `good`. */
async function rig(t: TestContext) {
  const asked: { given: SignIn | string; from: Attempt }[] = [];
  const ended: string[] = [];
  const visitor = visitorOf("ana", "named-session");
  const visitors: Doorkeeper = {
    async signIn(given, from) {
      asked.push({ given, from });
      const good = "link" in given ? given.link === "good" : given.code === "good";
      return good ? { cookie: "secret-of-session", maxAgeMs: 43_200_000, visitor } : "refused";
    },
    async exchange(code, from) {
      asked.push({ given: code, from });
      return code === "good" ? { token: "a2p_x", name: "ana", role: "owner" } : "refused";
    },
    async signOut(cookie) {
      ended.push(cookie);
      server.sessions.delete(cookie);
    },
  };
  const server = await serveWeb({ folder: temporaryFolder(t), ports: { visitors } });
  t.after(server.stop);
  server.sessions.set("secret-of-session", visitor);
  const post = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(`${server.url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    return { response, body: await response.json() };
  };
  return { server, asked, ended, visitor, post, name: `sallyport_${new URL(server.url).port}` };
}

it("signs in with a link or a code: a cookie that no script reads and no other site sends, and who I am", async (t) => {
  const { post, asked, visitor, name } = await rig(t);
  for (const given of [{ link: "good" }, { code: "good" }]) {
    const { response, body } = await post("/sign-in", given);
    assert.equal(response.status, 200);
    assert.equal(
      response.headers.get("set-cookie"),
      `${name}=secret-of-session; HttpOnly; SameSite=Strict; Path=/; Max-Age=43200`,
    );
    assert.doesNotMatch(JSON.stringify(body), /secret-of-session/);
    assert.deepEqual(body, {
      name: "name of ana",
      role: "owner",
      operator: false,
      chat: "ana",
      agent: { name: "echo", asks: true },
      sandbox: "local",
      fileMost: 20_000_000,
      expiresAt: visitor.expiresAt,
    });
  }
  assert.deepEqual(asked[0], {
    given: { link: "good" },
    from: { address: "127.0.0.1", local: true },
  });
});

it("refuses every link and code in the same words, and hands out no cookie", async (t) => {
  const { post } = await rig(t);
  const told = new Set<string>();
  for (const given of [{ link: "bad" }, { code: "AAAA-AAAA" }, { code: "'; --" }]) {
    const { response, body } = await post("/sign-in", given);
    assert.deepEqual([response.status, response.headers.get("set-cookie")], [403, null]);
    told.add(body.problem);
  }
  const { response, body } = await post("/pair", { code: "bad" });
  assert.equal(response.status, 403);
  told.add(body.problem);
  assert.equal(told.size, 1);
  assert.match([...told].join(), /Ask for a new one/);
});

it("asks nobody about what is neither a link nor a code", async (t) => {
  const { post, asked } = await rig(t);
  for (const given of [
    null,
    [],
    {},
    { link: 1 },
    { link: "" },
    { link: "good", code: "good" },
    "x",
  ])
    assert.equal((await post("/sign-in", given)).response.status, 400, JSON.stringify(given));
  for (const given of [null, {}, { code: { $ne: 1 } }, { code: "x".repeat(501) }])
    assert.equal((await post("/pair", given)).response.status, 400);
  assert.deepEqual(asked, []);
});

it("gives a program its token for a code", async (t) => {
  const { post } = await rig(t);
  const { response, body } = await post("/pair", { code: "good" });
  assert.equal(response.status, 200);
  assert.deepEqual(body, { token: "a2p_x", name: "ana", role: "owner" });
  assert.equal(response.headers.get("set-cookie"), null);
  assert.equal(response.headers.get("cache-control"), "no-store");
});

it("signs out: the session ends, its pages are told, and the cookie goes", async (t) => {
  const { server, ended, name } = await rig(t);
  const [page, other] = [server.page("secret-of-session"), server.page("s-other", "ana")];
  await Promise.all([page.opened, other.opened]);
  const request = server.request("secret-of-session");
  const response = await request("/sign-out", { method: "POST" });
  assert.equal(response.status, 200);
  assert.equal(
    response.headers.get("set-cookie"),
    `${name}=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0`,
  );
  assert.deepEqual(ended, ["secret-of-session"]);
  await page.until("bye", () => page.events.at(-1)?.type === "bye");
  assert.equal((await request("/api/me")).status, 401);
  assert.deepEqual(other.events, []);
  assert.equal((await server.request("s-other")("/api/me")).status, 200);
});

it("marks the cookie as one for encrypted connections only where they are", async (t) => {
  const { server } = await rig(t);
  const route = server.web.routes().find(({ path }) => path === "/sign-in");
  assert.ok(route?.access === "public");
  const request = new Request("https://chat.example.org/sign-in", {
    method: "POST",
    body: JSON.stringify({ link: "good" }),
  });
  const from = { address: "192.0.2.1", local: false, origin: "https://chat.example.org" };
  const response = await route.handle(request, { ...from, params: {} });
  assert.match(response.headers.get("set-cookie") ?? "", /; Secure$/);
});
