// When Docker is away, comes back, or has no room, a person reads what the owner should do, and the next message works.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { SandboxTrouble } from "../../src/core/sandbox.ts";
import { dockerAt, problemWithDocker } from "../../src/sandbox/docker/engine.ts";
import { openFullDocker } from "../fakes/docker-full.ts";
import { openLine } from "../fakes/docker-line.ts";
import {
  containersOf,
  dockerRig,
  firstLine,
  shell,
  socket,
  withDocker,
} from "../fakes/docker-rig.ts";

it("says that Docker is not there, and works as soon as it is", withDocker, async (t) => {
  const folder = dockerRig(t).folder;
  const path = join(folder, "docker.sock");
  const line = await openLine(path, socket);
  t.after(() => line.cut());
  const rig = dockerRig(t, { docker: dockerAt(path) });
  await line.cut();
  await assert.rejects(
    rig.run("true"),
    /^Error: Docker does not run on this machine\. The owner should start it/,
  );
  assert.equal(await rig.sandbox.sweep(), "unconfirmed");
  await line.mend();
  assert.equal((await rig.run("echo hi")).out, "hi");
});

it("says what keeps the sandbox from working, or nothing", withDocker, async (t) => {
  const path = join(dockerRig(t).folder, "docker.sock");
  assert.match((await problemWithDocker(dockerAt(path))) ?? "", /Docker does not run/);
  assert.match((await problemWithDocker(dockerAt(socket), "nope")) ?? "", /no runtime nope.*runc/);
  assert.equal(await problemWithDocker(dockerAt(socket)), undefined);
});

it(
  "gives up on an agent when Docker stays away, and ends it when it is back",
  withDocker,
  async (t) => {
    const path = join(dockerRig(t).folder, "docker.sock");
    const line = await openLine(path, socket);
    t.after(() => line.cut());
    const rig = dockerRig(t, { docker: dockerAt(path), awayMs: 300 });
    const agent = await rig.sandbox.spawn(rig.scope(), shell("echo up; sleep 600"));
    assert.equal(await firstLine(agent), "up");
    await line.cut();
    await assert.rejects(agent.kill(), /^Error: The agent may still run: Docker does not run/);
    assert.match((await agent.ended).reason ?? "", /^Docker does not run/);
    assert.equal((await containersOf(rig)).length, 1, "it runs on, unseen");
    assert.ok(readdirSync(rig.workspace).includes(".mcp.json"), "so its masks stay");
    await line.mend();
    assert.equal((await rig.run("echo next")).out, "next");
    assert.deepEqual([await containersOf(rig), readdirSync(rig.workspace)], [[], []]);
  },
);

it("says that the disk is full, in Docker's words or this machine's", withDocker, async (t) => {
  const path = join(dockerRig(t).folder, "docker.sock");
  t.after(await openFullDocker(path));
  const rig = dockerRig(t, { docker: dockerAt(path) });
  await assert.rejects(rig.run("true"), {
    message: "The disk is full. The owner should free space, for example with: docker system prune",
  });
  assert.deepEqual(readdirSync(rig.workspace), []);
});

it("keeps what Docker says itself for the log", withDocker, async (t) => {
  const rig = dockerRig(t, { runtime: "/host/path/nope" });
  const error: unknown = await rig.run("true").catch((reason: unknown) => reason);
  assert.ok(error instanceof SandboxTrouble);
  assert.equal(
    error.message,
    "Docker could not start the sandbox; the log of the gateway says why.",
  );
  assert.match(error.detail ?? "", /^Docker could not start the sandbox: .*\/host\/path\/nope/);
});

it("sees an agent through a restart of the line to Docker", withDocker, async (t) => {
  const path = join(dockerRig(t).folder, "docker.sock");
  const line = await openLine(path, socket);
  const rig = dockerRig(t, { docker: dockerAt(path), awayMs: 1000 });
  // It has run for longer than Docker may be away.
  const script = shell("sleep 1.5; echo up; sleep 600");
  const agent = await rig.sandbox.spawn(rig.scope(), script);
  assert.equal(await firstLine(agent), "up");
  await line.cut();
  await line.mend();
  // Nobody hears it any more: it is ended, and seen gone.
  await agent.kill();
  assert.deepEqual(await containersOf(rig), []);
  assert.equal((await rig.run("echo again")).out, "again");
  await rig.sandbox.stop();
  await line.cut();
});
