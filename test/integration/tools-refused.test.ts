// What the agent's socket refuses: each time without effect, with a row in the audit, and one a minute of a kind.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { it } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { type ToolsRig, toolsRig } from "../fakes/tools-rig.ts";

/** A row is written soon, not before the refusal is felt. */
async function untilRefused({ refusals }: ToolsRig, why: string) {
  for (const until = performance.now() + 5000; performance.now() < until; await wait(5)) {
    const found = (await refusals()).filter((row) => row.why === why);
    if (found[0] !== undefined) return { row: found[0], count: found.length };
  }
  throw new Error(`no row: ${why}`);
}

/** However it was closed. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.on("error", () => {}).once("close", () => resolve());
  });
}

it("refuses an unknown secret, and writes one row however often it is tried", async (t) => {
  const rig = await toolsRig(t);
  await rig.join("1", "ana");
  const given = await rig.given("1");
  for (const secret of ["x".repeat(43), `${given.secret}x`, given.secret.slice(1)])
    await assert.rejects(rig.connect({ ...given, secret }));
  const { row, count } = await untilRefused(rig, "unknown secret");
  assert.equal(count, 1);
  assert.deepEqual(
    [row.name, row.action, row.outcome, row.place.startsWith("sandbox p-")],
    ["ana", "tools", "refused", true],
  );
});

it("refuses the secret of a conversation of another sandbox", async (t) => {
  const rig = await toolsRig(t);
  await rig.join("1", "ana");
  await rig.join("2", "bob");
  const [ana, bob] = [await rig.given("1"), await rig.given("2")];
  assert.notEqual(ana.socket, bob.socket);
  await assert.rejects(rig.connect({ socket: bob.socket, secret: ana.secret }));
  const { row } = await untilRefused(rig, "secret of another sandbox");
  assert.equal(row.name, "bob");
});

it("lets nothing be sent or asked after the turn, and again in the next", async (t) => {
  const rig = await toolsRig(t);
  const { desk, workspace } = rig;
  await rig.join("1", "ana");
  writeFileSync(join(workspace, "late.txt"), "late");
  const client = await rig.connect(await rig.given("1"));
  assert.deepEqual(await client.names(), ["send_file", "ask_user", "list_tasks"]);
  for (const [tool, input] of [
    ["send_file", { path: "late.txt" }],
    ["ask_user", { question: "Are you there?" }],
    ["list_tasks", {}],
  ] as const)
    assert.match(await client.call(tool, input), /^failed: Nothing is being worked on/);
  const { count } = await untilRefused(rig, "no turn of its conversation runs");
  assert.equal(count, 1);
  const gate = join(workspace, "gate");
  await desk.say("1", `touch ${join(workspace, "begun")}\nstall ${gate}`);
  while (!existsSync(join(workspace, "begun"))) await wait(5);
  assert.match(await client.call("send_file", { path: "late.txt" }), /^late\.txt/);
  writeFileSync(gate, "");
  await desk.say("1", "the end");
  await desk.until(/the end/);
  assert.deepEqual(
    desk.messages().flatMap(({ file }) => file ?? []),
    ["late.txt"],
  );
  assert.doesNotMatch(desk.see().join("\n"), /Are you there/);
});

it("has no tool that decides: an approval stays open, whatever is called", async (t) => {
  const rig = await toolsRig(t);
  const { desk, workspace } = rig;
  await rig.join("1", "ana");
  const client = await rig.connect(await rig.given("1"));
  const path = join(workspace, "n.txt");
  await desk.say("1", `do ${path}`);
  await desk.until(/Create n\.txt/);
  for (const tool of ["approve", "allow", "question.answer", "__proto__", "toString"])
    assert.match(
      await client.call(tool, { id: 1 }),
      /^failed: There is no tool ".*There are: send/,
    );
  const { row, count } = await untilRefused(rig, "no such tool");
  assert.deepEqual([row.target, count], ["approve", 1]);
  await desk.press("1", "Deny");
  await desk.until(/answer: no/);
  assert.equal(existsSync(path), false);
});

it("takes a conversation's old secret no more once a new session has another", async (t) => {
  const rig = await toolsRig(t, { fake: { load: "replay" } });
  const { gateway } = rig;
  await rig.join("1", "ana");
  const old = await rig.given("1");
  const client = await rig.connect(old);
  const scope = old.socket.split("/").at(-1) ?? "";
  await gateway.ports.agent.end(scope);
  const renewed = await rig.given("1");
  assert.notEqual(renewed.secret, old.secret);
  assert.match(await client.call("list_tasks"), /^failed: The session of these tools is over/);
  await untilRefused(rig, "its session was replaced");
  await assert.rejects(rig.connect(old));
  await rig.connect(renewed);
});

it("takes no secret from before a restart", async (t) => {
  const first = await toolsRig(t);
  await first.join("1", "ana");
  const old = await first.given("1");
  await first.stop();
  const rig = await toolsRig(t, { folder: first.folder, desk: first.desk });
  const renewed = await rig.given("1");
  await assert.rejects(rig.connect({ ...renewed, secret: old.secret }));
  await untilRefused(rig, "unknown secret");
});

it("waits only so long for a secret", async (t) => {
  const rig = await toolsRig(t);
  await rig.join("1", "ana");
  const { socket } = await rig.given("1");
  await closed(connect(socket));
  await untilRefused(rig, "no secret came");
});

it("reads only so much for a secret, without waiting for its end", async (t) => {
  const rig = await toolsRig(t, { secretMs: 600_000 });
  await rig.join("1", "ana");
  const { socket } = await rig.given("1");
  const talker = connect(socket);
  talker.write("y".repeat(100_000));
  await closed(talker);
  await untilRefused(rig, "no secret came");
});

it("closes a connection that sends too much at once, and takes the next", async (t) => {
  const rig = await toolsRig(t);
  await rig.join("1", "ana");
  const given = await rig.given("1");
  const flood = connect(given.socket);
  flood.write(`${given.secret}\n{"jsonrpc":"2.0","id":1,"method":"${"z".repeat(1_100_000)}`);
  await closed(flood);
  assert.match(await (await rig.connect(given)).call("list_tasks"), /^failed: Nothing is being/);
});

it("has room for so many connections and calls of one sandbox, and for another's beside it", async (t) => {
  const rig = await toolsRig(t);
  const { desk } = rig;
  await rig.join("1", "ana");
  await rig.join("2", "bob");
  const [given, bobs] = [await rig.given("1"), await rig.given("2")];
  const held = Array.from({ length: 32 }, () => connect(given.socket));
  const gone = Promise.all(held.map(closed));
  for (const socket of held) socket.write(`${given.secret}\n`);
  const one = connect(given.socket);
  await closed(one);
  await untilRefused(rig, "too many connections");
  await rig.connect(bobs);
  for (const socket of held) socket.destroy();
  await gone;

  const client = await rig.connect(given);
  await desk.say("1", "hang");
  while (rig.gateway.ports.agent.inlets(given.socket.split("/").at(-1) ?? "").length === 0)
    await wait(5);
  const leave = new AbortController();
  const questions = Array.from({ length: 8 }, (_, n) =>
    client.call("ask_user", { question: `Question ${n}`, options: ["a", "b"] }, leave.signal),
  );
  const answers = Promise.allSettled(questions);
  await desk.until(/Question 7/);
  assert.match(await client.call("list_tasks"), /^failed: Too many calls run at once/);
  await untilRefused(rig, "too many calls at once");
  leave.abort();
  await answers;
  await desk.until(/⌛ The agent is gone/);
  await desk.say("1", "/stop");
  await desk.until(/Stopped/);
});

it("gives callers without a pairing no tools", async (t) => {
  const rig = await toolsRig(t, { settings: { public: "anyone" } });
  const path = join(rig.folder, "servers");
  await rig.desk.say("9", `servers ${path}\nsaid`);
  await rig.desk.until(/said/, "9");
  assert.equal(readFileSync(path, "utf8"), "[]");
});
