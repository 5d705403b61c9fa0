// The gateway in a container next to this machine's Docker, as docker/compose.yaml arranges it.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { type ComposeRig, composeRig, findCompose } from "../fakes/compose-rig.ts";
import { docker, withDocker } from "../fakes/docker-rig.ts";

interface Doctor {
  readonly findings: readonly { readonly check: string; readonly state: string }[];
}

const program = await findCompose();
const skip = withDocker.skip || (program === null && "no docker compose, and no docker-compose");

it("builds both images without a registry, and runs a turn in a sandbox beside the gateway, over a restart", {
  skip,
  timeout: 400_000,
}, async (t) => {
  assert.ok(program);
  const rig = await composeRig(t, program);
  await rig.compose("--profile", "image", "build");
  const image = `sallyport-agent-workspace:${rig.tag}`;
  await rig.compose("run", "--rm", "-T", "gateway", "config", "set", "docker.image", image);
  await rig.compose("up", "--detach");
  await rig.ready();
  await assertNarrow(rig);

  const out = await rig.sallyport(
    ["chat"],
    "write notes.txt\\\nhello\nallow 1\nrun id -u\nallow 2\n",
  );
  assert.match(out, /Created `notes\.txt`/);
  assert.match(out, new RegExp(`^${rig.uid}$`, "m"));
  const notes = join(rig.workspace, "notes.txt");
  assert.equal(readFileSync(notes, "utf8"), "hello");
  assert.equal(statSync(notes).uid, rig.uid);
  const [sandbox, ...others] = await sandboxes(rig);
  assert.ok(sandbox);
  assert.deepEqual(others, []);
  assert.equal(sandbox.Image, image);
  const home = sandbox.Mounts.find(({ Destination }) => Destination === "/home/agent");
  assert.ok(home?.Source.startsWith(join(rig.data, "state/homes/")), home?.Source);

  await rig.compose("stop");
  const { State } = await rig.gateway().inspect();
  assert.equal(State.ExitCode, 0);
  assert.deepEqual(await sandboxes(rig), []);
  assert.deepEqual(readdirSync(rig.workspace), ["notes.txt"]);
  await rig.compose("start");
  await rig.ready();
  assert.match(await rig.sallyport(["chat"], "read notes.txt\n"), /hello/);
  const tasks: { title: string }[] = JSON.parse(await rig.sallyport(["task", "list", "--json"]));
  assert.equal(tasks.length, 3);
  const { findings }: Doctor = JSON.parse(await rig.sallyport(["doctor", "--json"]));
  assert.ok(findings.some(({ check }) => check.startsWith("agent")));
  assert.deepEqual(
    findings.filter(({ state }) => state !== "ok"),
    [],
  );
});

/** The gateway is no more than it has to be, but for Docker's socket. */
async function assertNarrow(rig: ComposeRig): Promise<void> {
  const { Config, HostConfig, Mounts } = await rig.gateway().inspect();
  assert.equal(Config.User, `${rig.uid}:${rig.uid}`);
  assert.deepEqual(HostConfig.CapDrop, ["ALL"]);
  assert.equal(HostConfig.Privileged, false);
  assert.equal(HostConfig.ReadonlyRootfs, true);
  assert.deepEqual(HostConfig.SecurityOpt, ["no-new-privileges:true"]);
  assert.equal(HostConfig.RestartPolicy?.Name, "unless-stopped");
  assert.deepEqual(Mounts.map(({ Source }) => Source).sort(), [
    ...[rig.data, rig.workspace].sort(),
    "/var/run/docker.sock",
  ]);
}

/** Of this gateway: no other shows this workspace. */
async function sandboxes({ workspace }: ComposeRig) {
  const all = await docker.listContainers({ all: true, filters: { label: ["sallyport"] } });
  return all.filter(({ Mounts }) => Mounts.some(({ Source }) => Source === workspace));
}
