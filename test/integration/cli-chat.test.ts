import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readFileSync, statSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { it } from "node:test";
import { cliRig } from "../fakes/cli-rig.ts";

it("chats by script: each line waits for the last, an approval is given by text", async (t) => {
  const cli = cliRig(t);
  const gateway = await cli.start();
  const script = "write notes.txt\\\nhello\nallow 1\nread notes.txt\n";
  const chat = await cli.run(["chat"], script);
  assert.equal(chat.code, 0, chat.err);
  const lines = chat.out.split("\n");
  const at = (text: string) => {
    const index = lines.indexOf(text);
    assert.ok(index >= 0, `${text} is missing in:\n${chat.out}`);
    return index;
  };
  assert.ok(at("> write notes.txt") < at("Create notes.txt? (1)"));
  assert.ok(at("[1] Allow once  [2] Allow notes.txt for this task  [3] Deny") < at("> allow 1"));
  assert.ok(at("> allow 1") < at("Created `notes.txt`."));
  assert.ok(at("Created `notes.txt`.") < at("> read notes.txt"));
  assert.equal(readFileSync(join(cli.workspace, "notes.txt"), "utf8"), "hello");
  assert.equal(await gateway.stop(), 0);
});

it("says that a question is left open; the operator answers it beside the chat", async (t) => {
  const cli = cliRig(t);
  await cli.start();
  const chat = await cli.run(["chat"], "run echo hi > made.txt\n");
  assert.equal(chat.code, 0);
  assert.match(chat.out, /A question is still open/);
  const [open] = (await cli.json(["approval", "list"])) as { number: number; title: string }[];
  assert.equal(open?.number, 1);
  assert.equal((await cli.run(["approval", "deny", "1", "--reason", "not today"])).code, 0);
  assert.deepEqual(await cli.json(["approval", "list"]), []);
  const again = await cli.run(["approval", "allow", "1"]);
  assert.equal(again.code, 1);
  assert.equal(existsSync(join(cli.workspace, "made.txt")), false);
  const rows = (await cli.json(["audit", "list", "--action", "question.deny"])) as {
    outcome: string;
  }[];
  assert.equal(rows[0]?.outcome, "denied");
});

it("logs one ready line without a terminal, and leaves no socket behind", async (t) => {
  const cli = cliRig(t);
  const gateway = await cli.start();
  const socket = join(cli.state, "control.sock");
  assert.equal(statSync(socket).mode & 0o777, 0o600);
  const second = await cli.run(["start"]);
  assert.equal(second.code, 1);
  assert.match(second.err, /already runs/);
  const [line, ...rest] = gateway.output().trim().split("\n");
  assert.deepEqual(rest, []);
  const { msg, agent, approvals } = JSON.parse(line ?? "");
  assert.deepEqual([msg, agent, approvals], ["Sallyport is ready", "workspace", true]);
  assert.equal(await gateway.stop(), 0);
  assert.equal(existsSync(socket), false);
});

it("takes over after a kill: the stale socket does not stand in the way", async (t) => {
  const cli = cliRig(t);
  const first = await cli.start();
  await first.stop("SIGKILL");
  assert.equal(existsSync(join(cli.state, "control.sock")), true);
  assert.equal((await cli.run(["pair", "list"])).code, 0);
  await cli.start();
  assert.match((await cli.run(["chat"], "say hello\n")).out, /^> say hello\nhello$/m);
});

it("finds everything well while a gateway runs, the agent tried", async (t) => {
  const cli = cliRig(t);
  await cli.start();
  const doctor = (await cli.json(["doctor"])) as {
    healthy: boolean;
    findings: { check: string; state: string }[];
  };
  assert.equal(doctor.healthy, true);
  const states = new Map(doctor.findings.map(({ check, state }) => [check, state]));
  assert.equal(states.get("agent workspace"), "ok");
  assert.equal(states.get("channel terminal"), "ok");
});

it("applies settings at once, and takes back what a running gateway refuses", async (t) => {
  const cli = cliRig(t);
  await cli.start();
  assert.equal((await cli.run(["config", "set", "denyTools.kinds", "execute"])).code, 0);
  const chat = await cli.run(["chat"], "run echo hi\n");
  assert.match(chat.out, /denyTools/);
  const refused = await cli.run(["config", "set", "access.public", "anyone"]);
  assert.equal(refused.code, 1);
  assert.match(refused.err, /isolates nothing/);
  assert.deepEqual(await cli.json(["config", "get", "access.public"]), {
    key: "access.public",
    value: "nobody",
  });
});

it("says over TCP how the listeners are, for the owner's token only", async (t) => {
  const cli = cliRig(t);
  const gateway = await cli.start(["--port", "0"]);
  const [, url] = /"page":"(http:[^"]+)"/.exec(gateway.output()) ?? [];
  assert.ok(url);
  const token = readFileSync(join(cli.state, "local.token"), "utf8").trim();
  const get = async (path: string, headers: Record<string, string>) =>
    (await fetch(`${url}${path}`, { headers })).status;
  assert.equal(await get("/health", { authorization: `Bearer ${token}` }), 200);
  assert.equal(await get("/health", {}), 401);
  assert.equal(await get("/health", { authorization: "Bearer a2p_wrong" }), 401);
  assert.equal(await get("/admin/pair.list", { authorization: `Bearer ${token}` }), 404);
});

it("refuses to serve other machines", async (t) => {
  const ran = await cliRig(t).run(["start", "--host", "0.0.0.0"]);
  assert.equal(ran.code, 1);
  assert.match(ran.err, /without TLS/);
});

it("says what to do when the chosen port is taken", async (t) => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  t.after(() => other.close());
  const { port } = other.address() as AddressInfo;
  const ran = await cliRig(t).run(["start", "--port", String(port)]);
  assert.equal(ran.code, 1);
  assert.match(ran.err, /is taken.*--port N/);
});
