// The real gateway behind a reverse proxy on the same machine, as docs/guides/page.md sets it up.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { it, type TestContext } from "node:test";
import { cliRig } from "../fakes/cli-rig.ts";

const publicUrl = "http://agent.example.org";

/** Passes everything on, with its caller's address and the host that was asked for. */
async function startProxy(t: TestContext, target: string, caller: string): Promise<number> {
  const server = createServer((incoming, answer) => {
    const headers = { ...incoming.headers, "x-forwarded-for": caller };
    const { method = "GET", url: path = "/" } = incoming;
    const onward = request(target, { method, path, headers }, (reply) => {
      answer.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(answer);
    });
    onward.on("error", () => answer.destroy());
    answer.on("close", () => onward.destroy());
    incoming.pipe(onward);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

interface Asked {
  readonly path: string;
  readonly host?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

async function ask(port: number, { path, host = "agent.example.org", body, headers }: Asked) {
  const sent = request({
    host: "127.0.0.1",
    port,
    path,
    method: body === undefined ? "GET" : "POST",
    headers: { host, "content-type": "application/json", ...headers },
  });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  const [reply] = (await once(sent, "response")) as [IncomingMessage];
  return reply;
}

async function textOf(reply: IncomingMessage): Promise<string> {
  return Buffer.concat(await reply.toArray()).toString();
}

it("lets people in by the public URL, the owner at the keyboard by none, and streams", async (t) => {
  const cli = cliRig(t);
  const { output } = await cli.start(["--port", "0"]);
  const site = /"page":"([^"]+)"/.exec(output())?.[1] ?? "";
  const port = await startProxy(t, site, "203.0.113.7");
  assert.equal((await ask(port, { path: "/" })).statusCode, 403, "a name that nobody named");
  for (const [key, value] of [
    ["http.trustedProxies", "127.0.0.1"],
    ["http.publicUrl", publicUrl],
  ] as const)
    assert.equal((await cli.run(["config", "set", key, value])).code, 0);
  // The server opened anew, at once, on a free port of its own choice again.
  const moved = ((await cli.json(["link"])) as { url: string }).url;
  const again = await startProxy(t, new URL(moved).origin, "203.0.113.7");
  assert.equal((await ask(again, { path: "/" })).statusCode, 200);

  const link = moved.split("#link=")[1] ?? "";
  const origin = { origin: publicUrl };
  const refused = await ask(again, { path: "/sign-in", body: { link }, headers: origin });
  assert.equal(refused.statusCode, 403, "the link of the keyboard");
  const { code } = (await cli.json(["pair", "invite", "--name", "ana"])) as { code: string };
  const came = await ask(again, { path: "/sign-in", body: { code }, headers: origin });
  assert.equal(came.statusCode, 200, await textOf(came));
  const cookie = came.headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
  const events = await ask(again, { path: "/api/events", headers: { cookie } });
  const [first] = (await once(events, "data")) as [Buffer];
  assert.match(String(first), /^: |^id: /, "the head of the stream comes at once");
  events.destroy();
  const foreign = { cookie, origin: "http://elsewhere.example.org" };
  const message = { id: "abcdefgh", chat: "x", text: "list" };
  const stopped = await ask(again, { path: "/api/messages", body: message, headers: foreign });
  assert.equal(stopped.statusCode, 403);
  const rows = (await cli.json(["audit", "list"])) as {
    action: string;
    who: string;
    why: string;
  }[];
  assert.ok(
    rows.some(({ action, who }) => action === "sign-in" && who.includes("203.0.113.7")),
    JSON.stringify(rows.slice(0, 5)),
  );
});
