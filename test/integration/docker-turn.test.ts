// Whole turns with an agent in a container: asked, allowed, written; and what a person reads when it goes wrong.
import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { createAgent } from "../../src/agent/agent.ts";
import type { AgentLimits } from "../../src/agent/limits.ts";
import { type Preset, presetNamed } from "../../src/agent/presets.ts";
import { probeAgent } from "../../src/agent/probe.ts";
import { workspaceAgentInside } from "../../src/sandbox/image/own-agent.ts";
import { choose, readTurn, sessionOf, textOf } from "../fakes/agent-rig.ts";
import { containersOf, type DockerRig, dockerRig, withDocker } from "../fakes/docker-rig.ts";

interface AgentIn {
  readonly rig?: DockerRig;
  readonly limits?: Partial<AgentLimits>;
  readonly preset?: Partial<Preset>;
}

function agentIn(t: TestContext, { rig = dockerRig(t), limits, preset }: AgentIn = {}) {
  const known = presetNamed("workspace");
  assert.ok(known);
  const agent = createAgent({
    preset: { ...known, program: "node", args: [workspaceAgentInside], ...preset },
    spawn: rig.sandbox.spawn,
    inside: rig.sandbox.inside,
    log: rig.log,
    ...(limits === undefined ? {} : { limits }),
  });
  t.after(() => agent.stop());
  const prompt = (text: string, session: string | null = null) =>
    agent.prompt({
      conversation: "c1",
      scope: rig.scope(),
      session,
      content: [{ type: "text", text }],
      signal: new AbortController().signal,
    });
  return { rig, agent, prompt };
}

it("asks before it writes, and the file belongs to the project's owner", withDocker, async (t) => {
  const { rig, prompt } = agentIn(t);
  const events = await readTurn(prompt("write notes/hello.txt\nhi there"), choose("allow_once"));
  assert.ok(events.some((event) => event.type === "permission"));
  const path = join(rig.workspace, "notes", "hello.txt");
  assert.match(readFileSync(path, "utf8"), /^hi there/);
  assert.equal(statSync(path).uid, statSync(rig.workspace).uid);
  const { id } = sessionOf(events);
  const next = await readTurn(
    prompt("run id -u; ls /; cat /proc/1/comm", id),
    choose("allow_once"),
  );
  assert.equal(sessionOf(next).resumed, true);
  const said = JSON.stringify(next);
  assert.match(said, /docker-init/);
  assert.equal((await containersOf(rig)).length, 1);
});

it(
  "ends the container of an agent that is idle, and starts another for the next message",
  withDocker,
  async (t) => {
    const { rig, prompt } = agentIn(t, { limits: { idleMs: 300 } });
    await readTurn(prompt("ls"));
    const until = performance.now() + 20_000;
    while ((await containersOf(rig)).length > 0) assert.ok(performance.now() < until);
    const again = await readTurn(prompt("ls"));
    assert.equal(again.at(-1)?.type, "end", textOf(again));
  },
);

it("passes doctor's probe in a workspace of its own", withDocker, async (t) => {
  const { rig, agent } = agentIn(t);
  const known = presetNamed("workspace");
  assert.ok(known);
  const result = await probeAgent({ agent, folder: rig.folder, prompt: known.probe });
  assert.deepEqual({ ...result, ms: 0 }, { started: true, asked: true, ms: 0 });
  assert.deepEqual(await containersOf(rig), []);
});

it(
  "tells a person why there was no answer, and answers the next message",
  withDocker,
  async (t) => {
    const rig = dockerRig(t, { limits: { memoryMB: 128 } });
    const { prompt } = agentIn(t, { rig });
    const hog =
      "run node -e 'const a = []; for (;;) a.push(Buffer.alloc(4e6, 1))' & kill -9 $PPID; sleep 60";
    const failed = (await readTurn(prompt(hog), choose("allow_once"))).at(-1);
    assert.equal(failed?.type, "failed");
    assert.match(
      failed?.type === "failed" ? failed.why : "",
      /^The agent ended in the middle of its work/,
    );
    assert.equal((await readTurn(prompt("ls"))).at(-1)?.type, "end");

    const broken = agentIn(t, { preset: { program: "no-such-agent" } });
    const last = (await readTurn(broken.prompt("ls"))).at(-1);
    assert.match(
      last?.type === "failed" ? last.why : "",
      /^The agent ended before it was ready \(the image sallyport-test\S+ has no program no-such-agent; the owner should choose another image or agent\)/,
    );
  },
);
