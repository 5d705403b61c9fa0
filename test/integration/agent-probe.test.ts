// Whether an agent asks is tried, not believed.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { it } from "node:test";
import { presetNamed } from "../../src/agent/presets.ts";
import { probeAgent } from "../../src/agent/probe.ts";
import { agentRig, temporaryFolder } from "../fakes/agent-rig.ts";

it("sees that the workspace agent asks, and leaves nothing behind", async (t) => {
  const folder = temporaryFolder(t);
  const preset = presetNamed("workspace");
  assert.ok(preset);
  const { agent, processes } = agentRig(t, { preset });
  const result = await probeAgent({ agent, folder, prompt: preset.probe });
  assert.deepEqual({ ...result, ms: 0 }, { started: true, asked: true, ms: 0 });
  assert.deepEqual(readdirSync(folder), []);
  assert.equal((await processes[0]?.ended)?.signal, "SIGTERM");
});

it("sees that an agent acts without asking", async (t) => {
  const { agent } = agentRig(t);
  const result = await probeAgent({ agent, prompt: "sneak sallyport-probe.txt" });
  assert.deepEqual({ ...result, ms: 0 }, { started: true, asked: false, ms: 0 });
});

it("says why an agent does not start, or that it does not finish", async (t) => {
  const broken = await probeAgent({
    agent: agentRig(t, { fake: { initialize: "exit" } }).agent,
    prompt: "",
  });
  assert.equal(broken.started, false);
  assert.match(broken.error ?? "", /^The agent ended before it was ready/);
  const slow = await probeAgent({ agent: agentRig(t).agent, prompt: "hang", timeoutMs: 1500 });
  assert.equal(slow.error, "The agent did not finish in time.");
});
