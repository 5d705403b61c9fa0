// The gateway with its default sandbox, from the command line to a container and back.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { cliRig } from "../fakes/cli-rig.ts";
import { dockerCli, inDocker } from "../fakes/docker-cli.ts";
import { withDocker } from "../fakes/docker-rig.ts";

it("works in a container, asks in the chat, and leaves nothing behind", withDocker, async (t) => {
  const cli = dockerCli(t);
  const gateway = await cli.start(inDocker);
  assert.match(gateway.output(), /"sandbox":"docker"/);
  const out = await cli.said("write notes.txt\\\nhello\nallow 1\nrun cat /proc/1/comm\nallow 2\n");
  assert.match(out, /Create notes\.txt\? \(1\)/);
  assert.match(out, /docker-init/);
  const path = join(cli.workspace, "notes.txt");
  assert.equal(readFileSync(path, "utf8"), "hello");
  assert.equal(statSync(path).uid, statSync(cli.workspace).uid);
  assert.equal((await cli.containers()).length, 1);
  assert.equal(await gateway.stop(), 0);
  assert.deepEqual(await cli.containers(), []);
  assert.deepEqual(readdirSync(cli.workspace), ["notes.txt"]);
});

it("finds nothing of the machine and no network inside", withDocker, async (t) => {
  const cli = dockerCli(t);
  await cli.start(inDocker);
  const look = `ls ${cli.state}; ls /home; ls /root; cat /proc/net/dev | tail -n +3 | cut -d: -f1; id -u`;
  const out = await cli.said(`run ${look}\nallow 1\n`);
  assert.match(out, /No such file/);
  assert.match(out, /agent/);
  assert.match(out, /lo/);
  assert.doesNotMatch(out, /eth|server\.db|^0$/m);
});

it("ends what a killed gateway left, also when the next one is local", withDocker, async (t) => {
  const cli = dockerCli(t);
  const first = await cli.start(inDocker);
  await cli.said("list\n");
  assert.equal((await cli.containers()).length, 1);
  await first.stop("SIGKILL");
  assert.equal((await cli.containers()).length, 1);
  await cli.start();
  assert.deepEqual(await cli.containers(), []);
  assert.equal(existsSync(join(cli.workspace, ".mcp.json")), false);
});

it("says in the chat that Docker is away, and what to do; the gateway stays", async (t) => {
  const cli = dockerCli(t);
  await cli.start(inDocker, { env: { DOCKER_HOST: `unix://${join(cli.state, "none.sock")}` } });
  const out = await cli.said("list\nlist\n");
  assert.match(out, /Docker does not run on this machine\. The owner should start it/);
  assert.equal(out.match(/Docker does not run/g)?.length, 2);
});

it("refuses a Docker on another machine at the start", async (t) => {
  const cli = cliRig(t);
  const ran = await cli.run(["start", ...inDocker], "", {
    env: { DOCKER_HOST: "tcp://127.0.0.1:1" },
  });
  assert.equal(ran.code, 1);
  assert.match(ran.err, /needs Docker on this machine/);
});

it(
  "says which image is missing, and refuses a mount that shows the state",
  withDocker,
  async (t) => {
    const cli = dockerCli(t);
    const gateway = await cli.start(["--sandbox", "docker", "--image", "sallyport-agent:nosuch"]);
    assert.match(await cli.said("list\n"), /The image sallyport-agent:nosuch is not there/);
    await gateway.stop();
    await cli.start([...inDocker, "--mount", cli.state]);
    assert.match(await cli.said("list\n"), /sallyport doctor/);
  },
);

it("lets a read-only workspace be read and not written", withDocker, async (t) => {
  const cli = dockerCli(t);
  await cli.start([
    ...inDocker,
    "--read-only",
    "--env",
    "GREETING=hello there",
    "--env",
    "HTTP_PROXY=x",
  ]);
  const out = await cli.said("run echo $GREETING $HTTP_PROXY; touch made\nallow 1\n");
  assert.match(out, /hello there http:\/\/127\.0\.0\.1:3128/);
  assert.match(out, /Read-only file system/);
  assert.equal(existsSync(join(cli.workspace, "made")), false);
});

it("takes the workspace as DIR:ro as well", withDocker, async (t) => {
  const cli = dockerCli(t);
  await cli.start([...inDocker, "--workspace", `${cli.workspace}:ro`]);
  assert.match(await cli.said("run touch made\nallow 1\n"), /Read-only file system/);
});

it("asks an owner for a host, once, and says what allows it for good", withDocker, async (t) => {
  const cli = dockerCli(t);
  await cli.start(inDocker);
  const curl = "for i in 1 2; do curl -sS -m 50 http://nobody.invalid/; echo; done";
  const out = await cli.said(`run ${curl}\nallow 1\ndeny 2\n`);
  assert.match(out, /Reach nobody\.invalid\? \(2\)/);
  assert.match(out, /sallyport config add egress\.allow nobody\.invalid/);
  assert.match(out, /\[1\] Allow for this task {2}\[2\] Deny/);
  assert.equal(out.match(/nobody\.invalid is not allowed here\. An owner was asked/g)?.length, 2);
  const again = await cli.said(`run ${curl}\nallow 3\nallow 4\n`);

  assert.equal(again.match(/nobody\.invalid could not be reached/g)?.length, 2);
  assert.equal((await cli.run(["config", "add", "egress.allow", "nobody.invalid"])).code, 0);
  const allowed = await cli.said(`run ${curl}\nallow 5\n`);
  assert.match(allowed, /could not be reached/);
  assert.doesNotMatch(allowed, /Reach/);
});

it("says which program an image does not have", withDocker, async (t) => {
  const cli = dockerCli(t);
  await cli.start([...inDocker, "--command", "no-such-agent --acp"]);
  assert.match(
    await cli.said("hello\n"),
    /the image sallyport-test\S+ has no program no-such-agent; the owner should choose another/,
  );
});

it("says of a setting that a running gateway goes on as it was started", async (t) => {
  const cli = dockerCli(t);
  const before = await cli.run(["config", "set", "docker.memoryMB", "512"]);
  assert.equal(before.out, "docker.memoryMB is 512.\n");
  await cli.start(inDocker);
  const during = await cli.run(["config", "add", "docker.mounts", "/opt:ro"]);
  assert.match(during.out, /^docker\.mounts is \/opt:ro\. It counts from the next start/);
  const never = await cli.run(["config", "set", "model.url", "http://169.254.169.254"]);
  assert.equal(never.code, 1);
  const atOnce = await cli.run(["config", "add", "egress.allow", "example.org"]);
  assert.equal(atOnce.out, "egress.allow is example.org.\n");
});

it("has this machine's npm in the image that it makes", withDocker, async (t) => {
  const cli = dockerCli(t);
  await cli.start(["--sandbox", "docker"]);
  const out = await cli.said("run npm --version && npx --version && node --version\nallow 1\n");
  assert.match(out, /\d+\.\d+\.\d+\n\d+\.\d+\.\d+\nv\d+/);
});
