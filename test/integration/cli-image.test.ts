// Images as an operator has them: made, listed and removed, with a gateway and without one.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { agentUser } from "../../src/sandbox/docker/user.ts";
import { imageFromHost } from "../../src/sandbox/image/from-host.ts";
import { temporaryFolder } from "../fakes/agent-rig.ts";
import { cliRig } from "../fakes/cli-rig.ts";
import { docker, withDocker } from "../fakes/docker-rig.ts";

interface Built {
  readonly image: string;
  readonly isNew: boolean;
}

it(
  "makes the image of our own agent of this machine's files, and finds the same one again",
  withDocker,
  async (t) => {
    const cli = cliRig(t);
    const first = (await cli.json(["image", "build", "--from-host"])) as Built;
    assert.match(first.image, /^sallyport-agent:[0-9a-f]{12}$/);
    await cli.start();
    const again = await cli.run(["image", "build", "--from-host"]);
    assert.equal(
      again.out,
      `${first.image} is there already: nothing has changed.\nA gateway that starts now uses it.\n`,
    );
    const names = ((await cli.json(["image", "list"])) as { name: string }[]).map(
      ({ name }) => name,
    );
    assert.ok(names.includes(first.image));
    const table = await cli.run(["image", "list"]);
    assert.match(table.out, /^NAME +MB +MADE\n/);
    await cli.json(["config", "set", "agent", "claude"]);
    await cli.json(["config", "set", "docker.image", "other"]);
    const next = await cli.run(["image", "build", "--from-host", "--preset", "workspace"]);
    assert.match(
      next.out,
      /with: sallyport config set agent workspace && sallyport config unset docker\.image\n$/,
    );
  },
);

/** One of its own, which nobody else uses. */
async function ownImage(t: TestContext): Promise<string> {
  const from = join(temporaryFolder(t), "own");
  mkdirSync(from);
  writeFileSync(join(from, "when"), `${Date.now()} ${Math.random()}`);
  const folders = [{ from, to: "/opt/own" }];
  const user = await agentUser("/");
  const made = await imageFromHost({ docker, repository: "sallyport-test-cli", user, folders });
  assert.ok(made.ok, made.ok ? "" : made.problem);
  return made.image;
}

it("removes only what it made and nothing uses, and says why not", withDocker, async (t) => {
  const cli = cliRig(t);
  const image = await ownImage(t);
  const container = await docker.createContainer({ Image: image, Entrypoint: ["true"] });
  t.after(() => container.remove({ force: true }).catch(() => {}));
  const used = await cli.run(["image", "rm", image]);
  assert.equal(used.code, 1);
  assert.match(used.err, /is in use by a container/);
  await container.remove();
  assert.equal((await cli.run(["image", "rm", image])).out, `${image} is removed.\n`);
  assert.match(
    (await cli.run(["image", "rm", image])).err,
    /There is no image .* See: sallyport image list/,
  );
});

it("says that Docker is away, or on another machine, and which presets there are", async (t) => {
  const cli = cliRig(t);
  const away = { env: { DOCKER_HOST: `unix://${join(cli.state, "no.sock")}` } };
  const remote = { env: { DOCKER_HOST: "tcp://192.0.2.1:2375" } };
  for (const args of [["build", "--from-host"], ["list"], ["rm", "x"]]) {
    const ran = await cli.run(["image", ...args], "", away);
    assert.deepEqual([ran.code, ran.out], [1, ""]);
    assert.match(ran.err, /Docker does not run on this machine.*start it/);
    assert.match((await cli.run(["image", ...args], "", remote)).err, /Unset DOCKER_HOST/);
  }
  const unknown = await cli.run(["image", "build", "--preset", "nosuch"]);
  assert.equal(unknown.code, 2);
  assert.match(unknown.err, /workspace, claude, codex, opencode, gemini/);
});

/** In place of Docker's own program: says and does what it would. */
function dockerProgram(t: TestContext, script: string) {
  const folder = temporaryFolder(t);
  writeFileSync(
    join(folder, "docker"),
    `#!/bin/sh\nprintf '%s\\n' "$@" > ${folder}/args\n${script}\n`,
    { mode: 0o755 },
  );
  return {
    more: { env: { PATH: `${folder}:/usr/bin:/bin` } },
    args: () => readFileSync(join(folder, "args"), "utf8").trim().split("\n"),
  };
}

it("builds from our Dockerfile with Docker's program, and says what comes next", async (t) => {
  const cli = cliRig(t);
  const program = dockerProgram(t, "echo Step 1 of 2; echo hm >&2");
  const built = await cli.run(["image", "build", "--preset", "codex"], "", program.more);
  const [, image] =
    /^(sallyport-agent-codex:\S+) is made\.\nUse it from the next start with: sallyport config set agent codex && sallyport config set docker\.image \1\n$/.exec(
      built.out,
    ) ?? [];
  assert.ok(image, built.out + built.err);
  assert.match(built.err, /Step 1 of 2[\s\S]*hm/);
  const args = program.args();
  assert.equal(args[0], "build");
  for (const [flag, value] of [
    ["--tag", image],
    ["--build-arg", "AGENT=codex"],
  ] as const)
    assert.equal(args[args.indexOf(flag) + 1], value);
  assert.match(args[args.indexOf("--file") + 1] ?? "", /\/docker\/agent\.Dockerfile$/);
});

it("names --from-host where there is no registry, or no program docker", async (t) => {
  const cli = cliRig(t);
  const lookup = "dial tcp: lookup registry.example on 192.0.2.53:53: no such host";
  const cases = [
    { script: `echo '${lookup}' >&2; exit 1`, says: /The registry could not be reached\./ },
    { script: "echo 'npm error 404' >&2; exit 1", says: /could not be built: npm error 404\./ },
  ];
  for (const { script, says } of cases) {
    const ran = await cli.run(["image", "build"], "", dockerProgram(t, script).more);
    assert.equal(ran.code, 1);
    assert.match(ran.err, says);
    assert.match(ran.err, /sallyport image build --from-host\n$/);
  }
  const full = dockerProgram(t, "echo 'write /x: no space left on device' >&2; exit 1");
  assert.match((await cli.run(["image", "build"], "", full.more)).err, /The disk is full\./);
  const missing = await cli.run(["image", "build"], "", { env: { PATH: cli.state } });
  assert.match(missing.err, /The program docker was not found.*image build --from-host\n$/);
});
