// An agent that fills the disk: what it, the next person and the owner read, and that the next message works.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { createAgent } from "../../src/agent/agent.ts";
import { presetNamed } from "../../src/agent/presets.ts";
import { createHomes } from "../../src/sandbox/homes.ts";
import { workspaceAgentInside } from "../../src/sandbox/image/own-agent.ts";
import { choose, readTurn, textOf } from "../fakes/agent-rig.ts";
import { containersOf, dockerRig, withDocker } from "../fakes/docker-rig.ts";
import { mountSmallDisk, smallDisk } from "../fakes/small-disk.ts";

const options = { ...withDocker, skip: withDocker.skip || smallDisk.skip };

/** Homes on a disk of their own that is soon full. */
function agentOnSmallDisk(t: TestContext) {
  const disk = mountSmallDisk(t);
  const rig = dockerRig(t);
  const known = presetNamed("workspace");
  assert.ok(known);
  const agent = createAgent({
    preset: { ...known, program: "node", args: [workspaceAgentInside] },
    spawn: rig.sandbox.spawn,
    inside: rig.sandbox.inside,
    log: rig.log,
  });
  disk.ends.push(agent.stop, rig.sandbox.stop);
  const scope = (key: string) => ({ ...rig.scope(key), home: join(disk.place, key) });
  const prompt = (text: string, key = "p-1") =>
    agent.prompt({
      conversation: `c-${key}`,
      scope: scope(key),
      session: null,
      content: [{ type: "text", text }],
      signal: new AbortController().signal,
    });
  return { rig, scope, prompt };
}

const fill = "run head -c 100000000 /dev/zero > ~/big; echo code $?";

it(
  "tells an agent that fills the disk so, and answers the next message all the same",
  options,
  async (t) => {
    const { prompt } = agentOnSmallDisk(t);
    const filled = await readTurn(prompt(fill), choose("allow_once"));
    assert.match(textOf(filled), /No space left on device[\s\S]*code 1/);
    assert.equal(filled.at(-1)?.type, "end");
    const next = await readTurn(prompt("ls"));
    assert.equal(next.at(-1)?.type, "end");
  },
);

it(
  "says that the disk is full to whom it keeps from work, and works once there is room",
  options,
  async (t) => {
    const { rig, scope, prompt } = agentOnSmallDisk(t);
    const big = join(scope("p-1").home, "big");
    await rig.run(
      "head -c 100000000 /dev/zero > ~/big; for n in $(seq 300); do mkdir ~/d$n; done",
      scope("p-1"),
    );
    assert.ok(existsSync(big));

    const failed = (await readTurn(prompt("ls", "p-2"))).at(-1);
    assert.equal(failed?.type, "failed");
    assert.match(
      failed?.type === "failed" ? failed.why : "",
      /The disk is full\. The owner should free space/,
    );
    assert.deepEqual([await containersOf(rig), readdirSync(rig.workspace)], [[], []]);
    rmSync(big);
    assert.equal((await readTurn(prompt("ls", "p-2"))).at(-1)?.type, "end");
  },
);

it("gives strangers a fresh home when theirs cannot be measured", withDocker, async (t) => {
  const homes = () =>
    createHomes({ homes: join(rig.stateDir, "homes"), maxMB: () => 100, log: rig.log });
  const rig = dockerRig(t, {
    async companion({ home }) {
      assert.deepEqual(await homes().check(home), { ok: true });
      return { binds: [], env: {}, close: async () => {} };
    },
  });
  const strangers = rig.scope("anonymous");
  const dig = `n=${"d".repeat(200)}; for i in $(seq 40); do mkdir $n && cd -P $n || exit 1; done; echo dug`;
  assert.equal((await rig.run(`cd && ${dig}`, strangers)).out, "dug");
  t.after(() => execFileSync("rm", ["-rf", rig.stateDir]));
  assert.equal((await rig.run("ls ~ && echo y > ~/x && cat ~/x", strangers)).out, "inbox\ny");
  assert.equal(readdirSync(join(rig.stateDir, "homes")).length, 2);
});
