// An agent that floods its socket, or the chat by it: it is slowed, and everybody else is served.
import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { createInterface } from "node:readline";
import { it, type TestContext } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { type Given, type ToolsRig, toolsRig } from "../fakes/tools-rig.ts";

const message = (fields: object) => `${JSON.stringify({ jsonrpc: "2.0", ...fields })}\n`;
const initialize = message({
  id: 0,
  method: "initialize",
  params: {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "flood", version: "0" },
  },
});
const list = (id: number) => message({ id, method: "tools/list" });
const unknown = (id: number) =>
  message({ id, method: "tools/call", params: { name: "approve", arguments: {} } });

/** Has said its secret, and waits for the answer to its first message. */
function arrive({ socket, secret }: Given): Socket {
  const connection = connect(socket);
  connection.on("error", () => {});
  connection.write(`${secret}\n${initialize}`);
  return connection;
}

/** However it was closed. */
function closed(connection: Socket): Promise<void> {
  return new Promise((resolve) => {
    connection.once("close", () => resolve());
  });
}

async function answers(connection: Socket, count: number): Promise<void> {
  const lines = createInterface(connection);
  let seen = 0;
  for await (const _ of lines) {
    seen += 1;
    if (seen === count) return;
  }
  throw new Error(`it was closed after ${seen} answers`);
}

/** The longest time in which nothing else could be done, in milliseconds. */
function longestFreeze(t: TestContext): () => number {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  t.after(() => delay.disable());
  return () => delay.max / 1e6;
}

/** A turn that does nothing until it is stopped. */
async function begun(rig: ToolsRig, given: Given): Promise<void> {
  await rig.desk.say("1", "hang");
  const key = given.socket.split("/").at(-1) ?? "";
  while (rig.gateway.ports.agent.inlets(key).length === 0) await wait(5);
}

it("closes connections that send junk without end, and freezes over none", {
  timeout: 60_000,
}, async (t) => {
  const rig = await toolsRig(t);
  await rig.join("1", "ana");
  const given = await rig.given("1");
  const freeze = longestFreeze(t);
  const junk = '{"a":1}\n'.repeat(20_000);
  const flood = Array.from({ length: 5 }, () => arrive(given));
  const gone = Promise.all(flood.map(closed));
  for (const one of flood) one.resume().write(junk);
  await gone;
  assert.ok(freeze() < 1000, `frozen for ${freeze()} ms`);
  assert.match(await (await rig.connect(given)).call("list_tasks"), /^failed: Nothing is being/);
});

it("takes messages no faster than their pace, also from connections that come anew", {
  timeout: 60_000,
}, async (t) => {
  const warnings: string[] = [];
  const note = ({ message: text }: Error) => void warnings.push(text);
  process.on("warning", note);
  t.after(() => process.off("warning", note));
  const rig = await toolsRig(t);
  await rig.join("1", "ana");
  const given = await rig.given("1");
  const freeze = longestFreeze(t);
  const start = performance.now();
  // One does not even take its answers.
  const deaf = arrive(given);
  deaf.pause();
  const flood = arrive(given);
  for (let id = 1; id <= 2000; id++) {
    flood.write(unknown(id));
    deaf.write(list(id));
  }
  await answers(flood, 150);
  const first = performance.now() - start;
  flood.destroy();
  deaf.destroy();
  const again = performance.now();
  const next = arrive(given);
  for (let id = 1; id <= 60; id++) next.write(list(id));
  await answers(next, 60);
  next.destroy();
  const second = performance.now() - again;
  assert.ok(first > 500, `150 answers after ${first} ms`);
  assert.ok(second > 1000, `60 more after ${second} ms`);
  assert.ok(freeze() < 1000, `frozen for ${freeze()} ms`);
  assert.deepEqual(warnings, []);
});

it("asks no more once the agent has taken three questions back", async (t) => {
  const rig = await toolsRig(t);
  const { desk } = rig;
  await rig.join("1", "ana");
  const given = await rig.given("1");
  await begun(rig, given);
  for (let n = 1; n <= 3; n++) {
    const client = await rig.connect(given);
    client.call("ask_user", { question: `Flood ${n}`, options: ["a", "b"] }).catch(() => {});
    await desk.until(new RegExp(`Flood ${n}`));
    await client.close();
    while (desk.messages().some(({ buttons }) => buttons.length > 0)) await wait(5);
  }
  const client = await rig.connect(given);
  const refused = await client.call("ask_user", { question: "Flood 4", options: ["a", "b"] });
  assert.match(refused, /^failed: 3 questions of this turn were taken back.*End here and say/);
  assert.doesNotMatch(desk.see().join("\n"), /Flood 4/);
  await desk.say("1", "/stop");
  await desk.until(/Stopped/);
});

it("asks thirty questions in one turn, and again in the next", async (t) => {
  const rig = await toolsRig(t);
  const { desk } = rig;
  await rig.join("1", "ana");
  const given = await rig.given("1");
  await begun(rig, given);
  const client = await rig.connect(given);
  const ask = async (name: string) => {
    const answer = client.call("ask_user", { question: `Question ${name}.`, options: ["a", "b"] });
    await desk.until(new RegExp(`Question ${name}\\.`));
    await desk.press("1", "a");
    return await answer;
  };
  for (let n = 1; n <= 30; n++) assert.equal(await ask(`${n}`), "a");
  const refused = await client.call("ask_user", { question: "One more?", options: ["a", "b"] });
  assert.match(refused, /^failed: More than 30 questions in one turn are not asked\./);
  await desk.say("1", "/stop");
  await desk.until(/Stopped/);
  await begun(rig, given);
  assert.equal(await ask("anew"), "a");
  await desk.say("1", "/stop");
  while (rig.gateway.ports.agent.inlets(given.socket.split("/").at(-1) ?? "").length > 0)
    await wait(5);
});
