// The server itself: where it listens, what its answers carry, streams, files, and how it stops.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { it } from "node:test";
import type { Route } from "../../src/core/channel.ts";
import { strictHeaders } from "../../src/http/guard/answer.ts";
import type { From, GuardedRoute } from "../../src/http/guard/route.ts";
import { hookRoute } from "../../src/http/hook.ts";
import type { ServerOptions } from "../../src/http/server.ts";
import { ask, closed, open, parsed, without, written } from "../fakes/http-raw.ts";
import { goodRequest, type HttpRig, httpRig } from "../fakes/http-rig.ts";

async function using<T>(
  options: Partial<ServerOptions>,
  test: (rig: HttpRig) => Promise<T>,
): Promise<T> {
  const rig = await httpRig(options);
  try {
    return await test(rig);
  } finally {
    await rig.stop();
  }
}

const page = (handle: (request: Request, from: From) => Promise<Response>): GuardedRoute => ({
  method: "GET",
  path: "/page",
  access: "public",
  body: "none",
  handle,
});

it("refuses to be open to others without TLS, unless it is told to be", async () => {
  for (const host of [
    "0.0.0.0",
    "::",
    "192.0.2.1",
    "box.example",
    "*",
    "",
    "127.0.0.1.evil.example",
  ])
    for (const publicUrl of [undefined, "http://agent.example"])
      await assert.rejects(httpRig({ host, publicUrl }), /--allow-open-bind/, host);
  await using({ host: "0.0.0.0", allowOpenBind: true }, async ({ url, port }) => {
    assert.equal(url, `http://127.0.0.1:${port}`);
    assert.equal((await fetch(url)).status, 200);
  });
  await using({ host: "0.0.0.0", publicUrl: "https://agent.example" }, async ({ url }) => {
    assert.equal((await fetch(url)).status, 200);
  });
});

it("says what to do when it cannot listen, and takes any other port when nobody chose this one", () =>
  using({}, async ({ port }) => {
    await assert.rejects(httpRig({ port }), /Port \d+ on 127\.0\.0\.1 is taken.*--port/);
    await using({ port, anyFreeOtherwise: true }, async (other) => {
      assert.notEqual(other.port, port);
      assert.equal(other.cookieName, `sallyport_${other.port}`);
      assert.equal((await fetch(other.url)).status, 200);
    });
    await assert.rejects(
      httpRig({ host: "192.0.2.1", allowOpenBind: true }),
      /no address of this machine.*--host/,
    );
    await assert.rejects(httpRig({ trustedProxies: ["nginx"] }), /http\.trustedProxies: nginx/);
    await assert.rejects(httpRig({ trustedProxies: ["10.0.0.0/33"] }), /http\.trustedProxies/);
  }));

it("listens at localhost by that name", () =>
  using({ host: "localhost" }, async ({ url, port }) => {
    assert.equal(url, `http://localhost:${port}`);
    assert.equal((await fetch(`http://127.0.0.1:${port}`)).status, 200);
  }));

it("keeps the headers that a page sets and adds the strict ones that it does not", async () => {
  const csp = "default-src 'self'";
  const cookies = ["a=1; HttpOnly", "b=2; HttpOnly"];
  const handle = async () => {
    const response = new Response("<p>", {
      headers: { "content-security-policy": csp, "content-type": "text/html; charset=utf-8" },
    });
    for (const cookie of cookies) response.headers.append("set-cookie", cookie);
    return response;
  };
  await using({ routes: [page(handle)] }, async ({ url }) => {
    const response = await fetch(`${url}/page`);
    assert.equal(await response.text(), "<p>");
    assert.deepEqual(response.headers.getSetCookie(), cookies);
    for (const [name, value] of Object.entries({
      ...strictHeaders,
      "content-security-policy": csp,
    }))
      assert.equal(response.headers.get(name), value, name);
    assert.equal(response.headers.get("server"), null);
  });
});

it("tells the log what went wrong in a handler, and the caller nothing of it", async () => {
  const failing = async (): Promise<Response> => {
    throw new Error("secret detail");
  };
  await using({ routes: [page(failing)] }, async ({ url, errors }) => {
    const response = await fetch(`${url}/page`);
    assert.equal(response.status, 500);
    assert.doesNotMatch(await response.text(), /secret/);
    assert.match(errors.join(), /secret detail/);
  });
});

it("tells the log when sessions cannot be looked up, and lets nobody in", async () => {
  const lost = async (): Promise<undefined> => {
    throw new Error("database is gone");
  };
  const secret: GuardedRoute = { ...page(async () => new Response("in")), access: "caller" };
  const options = { routes: [secret], visitors: { byCookie: lost, byToken: lost } };
  await using(options, async (rig) => {
    const answer = await ask(rig.port, goodRequest(secret, rig));
    assert.equal(answer.status, 500);
    assert.doesNotMatch(answer.body, /database/);
    assert.match(rig.errors.join(), /database is gone/);
  });
});

function later<T>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** A page that streams events until its request is aborted. */
function eventPage() {
  const state = { aborted: later<void>(), cancelled: false };
  const handle = async ({ signal }: Request) => {
    signal.addEventListener("abort", () => state.aborted.resolve());
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(Buffer.from(": hello\n\n")),
      cancel: () => {
        state.cancelled = true;
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
  return { state, route: page(handle) };
}

for (const limits of [{ idleMs: 30 }, { headersMs: 30, requestMs: 40, lookMs: 10 }])
  it(`streams events past ${Object.keys(limits)[0]}, and tells their handler when the reader leaves`, async () => {
    const { state, route } = eventPage();
    await using({ routes: [route], limits }, async (rig) => {
      const socket = await open(rig.port);
      let over = false;
      socket.once("close", () => {
        over = true;
      });
      socket.write(written(goodRequest(route, rig)));
      const [first] = await once(socket, "data");
      assert.match(String(first), /^HTTP\/1\.1 200/);
      // Two that say nothing are closed one after the other, and began later.
      for (let count = 0; count < 2; count += 1) await closed(await open(rig.port));
      assert.equal(over, false);
      socket.destroy();
      await state.aborted.promise;
    });
    assert.equal(state.cancelled, true);
  });

it("stops at once with streams open, and lets a request that is under way finish first", async () => {
  const { state, route } = eventPage();
  const [begun, finish] = [later<void>(), later<void>()];
  const slow: GuardedRoute = {
    ...page(async () => {
      begun.resolve();
      await finish.promise;
      return Response.json({ done: true });
    }),
    path: "/slow",
  };
  const rig = await httpRig({ routes: [route, slow], limits: { stopMs: 60_000 } });
  const [events, waiting] = [await open(rig.port), await open(rig.port)];
  const [eventsOver, answered] = [closed(events), closed(waiting)];
  events.write(written(goodRequest(route, rig)));
  waiting.write(written(goodRequest(slow, rig)));
  await Promise.all([once(events, "data"), begun.promise]);
  const late = await open(rig.port);
  const refused = closed(late);
  const stopped = rig.stop();
  await state.aborted.promise;
  late.write(written(goodRequest(slow, rig)));
  assert.match(String(await once(late, "data")), /^HTTP\/1\.1 503/);
  finish.resolve();
  await Promise.all([stopped, eventsOver, refused]);
  assert.match(await answered, /"done":true/);
  await assert.rejects(once(connect(rig.port, "127.0.0.1"), "connect"), /ECONNREFUSED/);
});

it("passes a file on while it still arrives, and says so when it breaks off", async () => {
  const first = later<number>();
  const broken = later<void>();
  const route: GuardedRoute = {
    method: "POST",
    path: "/api/files",
    access: "caller",
    body: "file",
    async handle(request) {
      let size = 0;
      try {
        for await (const piece of request.body ?? []) {
          size += piece.length;
          first.resolve(size);
        }
      } catch (error) {
        broken.resolve();
        throw error;
      }
      return Response.json({ size });
    },
  };
  await using({ routes: [route] }, async (rig) => {
    const request = without(goodRequest(route, rig), "Content-Length");
    const headers: [string, string][] = [...request.headers, ["Content-Length", "1000000"]];
    const whole = { ...request, headers, body: "x".repeat(1_000_000) };
    assert.deepEqual(JSON.parse((await ask(rig.port, whole)).body), { size: 1_000_000 });
    const socket = await open(rig.port);
    socket.write(written({ ...whole, body: "begin" }));
    await first.promise;
    socket.destroy();
    await broken.promise;
    assert.deepEqual(rig.errors, []);
  });
});

it("gives a channel's signed route the bytes as they came, of any type", async () => {
  const echo: Route = {
    method: "POST",
    path: "/",
    handle: async (request) => new Response(await request.bytes()),
  };
  const find = (id: string) => (id === "slack" ? { routes: () => [echo] } : undefined);
  await using({ routes: [hookRoute(find)] }, async (rig) => {
    const body = "payload=%7B\xff\x00 {";
    const send = async (type: string, target = "/in/slack") => {
      const headers: [string, string][] = [
        ["Host", `127.0.0.1:${rig.port}`],
        ["Content-Length", String(body.length)],
      ];
      if (type !== "") headers.push(["Content-Type", type]);
      return ask(rig.port, { method: "POST", target, headers, body });
    };
    for (const type of ["application/x-www-form-urlencoded", "text/plain", ""]) {
      const text = (await send(type)).body;
      assert.ok(text.includes(body), `${type}: ${text}`);
    }
    assert.equal((await send("nonsense")).status, 415);
    assert.equal((await send("text/plain", "/in/other")).status, 404);
  });
});

it("keeps no more connections of one address than it may have", () =>
  using({ limits: { connectionsPerAddress: 3 } }, async ({ port }) => {
    const kept = await Promise.all([open(port), open(port), open(port)]);
    assert.equal(await closed(await open(port)), "");
    kept[0]?.destroy();
    await once(kept[0] ?? connect(port), "close");
    for (let tries = 0; tries < 100; tries += 1) {
      const socket = await open(port);
      const all = closed(socket);
      socket.write(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`);
      if (parsed(await all).status === 200) return;
    }
    assert.fail("the place is still taken");
  }));
