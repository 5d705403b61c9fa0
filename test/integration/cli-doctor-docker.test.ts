// What doctor says where agents run in Docker: each thing an operator can get wrong, and what then to do.
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { type CliRig, cliRig } from "../fakes/cli-rig.ts";
import { image, withDocker } from "../fakes/docker-rig.ts";

interface Finding {
  readonly check: string;
  readonly state: string;
  readonly text: string;
}

async function findings(cli: CliRig, more = {}): Promise<(check: string) => readonly string[]> {
  const { out, err } = await cli.run(["doctor", "--json"], "", more);
  assert.notEqual(out, "", err);
  const all = (JSON.parse(out) as { findings: Finding[] }).findings;
  return (check) =>
    all.filter((one) => one.check === check).map(({ state, text }) => `${state}: ${text}`);
}

it("finds Docker, an image to come and folders that may be shown", withDocker, async (t) => {
  const cli = cliRig(t);
  const found = await findings(cli);
  assert.match(found("docker")[0] ?? "", /^ok: Docker \S+, runtime \w+/);
  assert.match(found("image")[0] ?? "", /^ok: .*made of this machine's own files/);
  assert.deepEqual(found("mounts"), ["ok: the workspace and 0 further folders may be shown"]);
  assert.deepEqual([...found("key"), ...found("secrets"), ...found("homes")], []);
  await cli.json(["config", "set", "docker.image", image]);
  assert.deepEqual((await findings(cli))("image"), [`ok: ${image} is there`]);
});

it("says what keeps the sandbox from working", withDocker, async (t) => {
  const cli = cliRig(t);
  await cli.json(["config", "set", "docker.image", "sallyport-test/nowhere:1"]);
  await cli.json(["config", "add", "docker.mounts", cli.state]);
  const found = await findings(cli);
  assert.match(found("image")[0] ?? "", /^wrong: There is no image .*config unset docker\.image/);
  assert.match(found("mounts")[0] ?? "", /^wrong: .*would show Sallyport's own state/);
  await cli.json(["config", "set", "docker.runtime", "nosuch"]);
  assert.match((await findings(cli))("docker")[0] ?? "", /^wrong: Docker has no runtime nosuch/);
  const remote = { env: { DOCKER_HOST: "tcp://192.0.2.1:2375" } };
  assert.match((await findings(cli, remote))("docker")[0] ?? "", /^wrong: .*Unset DOCKER_HOST/);
  await cli.json(["config", "set", "sandbox", "local"]);
  const local = await findings(cli);
  assert.deepEqual([...local("docker"), ...local("image"), ...local("mounts")], []);
  assert.match(local("settings")[0] ?? "", /^risk: sandbox: local isolates nothing/);
});

it("asks for the key of the agent's model, and says what lies in the sandbox", async (t) => {
  const cli = cliRig(t);
  await cli.json(["config", "set", "agent", "claude"]);
  assert.match(
    (await findings(cli))("key")[0] ?? "",
    /^wrong: .*secret set ANTHROPIC_API_KEY, or log in with: sallyport agent login claude$/,
  );
  await cli.json(["secret", "set", "ANTHROPIC_API_KEY", "--token", "sk-real"]);
  await cli.json(["config", "set", "docker.secrets", "NPM_TOKEN", "OTHER"]);
  await cli.json(["secret", "set", "NPM_TOKEN", "--token", "npm-real"]);
  const found = await findings(cli);
  assert.match(found("key")[0] ?? "", /^ok: ANTHROPIC_API_KEY is set/);
  const [there = "", missing = ""] = found("secrets");
  assert.match(there, /^risk: ! docker\.secrets: NPM_TOKEN lies in the sandbox/);
  assert.match(missing, /^wrong: .*OTHER, which is not set: sallyport secret set OTHER$/);
});

it("names log-ins with whose they are, and homes that are near their limit or above it", async (t) => {
  const cli = cliRig(t);
  await (await cli.start()).stop();
  const rows = (await cli.json(["pair", "list"])) as { id: string; name: string }[];
  const local = rows.find(({ name }) => name === "local")?.id;
  const homes = join(cli.state, "homes");
  const home = join(homes, `p-${local}`);
  mkdirSync(join(home, ".claude"), { recursive: true });
  writeFileSync(join(home, ".claude", ".credentials.json"), "{}");
  mkdirSync(join(homes, "anonymous"));
  // A link that an agent has put there is never looked through.
  symlinkSync("/", join(homes, "anonymous", ".codex"));
  await cli.json(["config", "set", "agent", "claude"]);
  await cli.json(["config", "set", "homes.maxMB", "10"]);
  writeFileSync(join(home, "large"), Buffer.alloc(9 * 1024 * 1024, 1));
  writeFileSync(join(homes, "anonymous", "large"), Buffer.alloc(11 * 1024 * 1024, 1));
  const found = await findings(cli);
  assert.match(
    found("logins").join("\n"),
    /^risk: ! a log-in of claude lies in the sandbox of local \(\.claude\/\.credentials\.json in [^\n]*$/,
  );
  assert.deepEqual(found("key"), ["ok: none is set: claude uses the log-in of local"]);
  const said = found("homes").join("\n");
  assert.match(said, /^risk: the home of local is near its 10 MB: /m);
  assert.match(
    said,
    /^wrong: the home of anonymous is larger than 10 MB\. Empty .*homes\.maxMB N$/m,
  );
  assert.equal(readdirSync(homes).length, 2);
});
