// An agent logs in with its own program, at a real terminal, in a real container; the program is a stand-in.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { it, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { agentUser } from "../../src/sandbox/docker/user.ts";
import { imageFromHost } from "../../src/sandbox/image/from-host.ts";
import { temporaryFolder } from "../fakes/agent-rig.ts";
import { type CliRig, cliRig } from "../fakes/cli-rig.ts";
import { docker, withDocker } from "../fakes/docker-rig.ts";
import { atPty } from "../fakes/pty.ts";

const main = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));

/** What a program of an agent does: asks at a terminal, and leaves what it was given. */
const standIn = `#!/bin/sh
test -t 0 && test -t 1 || { echo "no terminal"; exit 3; }
echo "args: $* in $(pwd), $(ls -A | wc -l) files, $(grep -c : /proc/net/dev) networks, caps $(grep CapEff /proc/self/status | tr -d '[:space:]')"
printf 'Paste the code: '
read -r code
test "$code" = none && exit 0
mkdir -p "$CLAUDE_CONFIG_DIR"
umask 077
echo "token of $code" > "$CLAUDE_CONFIG_DIR/.credentials.json"
echo '{ "theme": "dark" }' > "$HOME/.claude.json"
echo "Welcome, on $(stty size)."
`;

async function standInImage(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-test-"));
  const from = join(folder, "tool");
  mkdirSync(from);
  writeFileSync(join(from, "claude"), standIn, { mode: 0o755 });
  const made = await imageFromHost({
    docker,
    repository: "sallyport-test-login",
    user: await agentUser("/"),
    folders: [{ from, to: "/opt/tool" }],
    links: { claude: "/opt/tool/claude" },
    programs: ["/usr/bin/stty"],
  });
  rmSync(folder, { recursive: true });
  assert.ok(made.ok, made.ok ? "" : made.problem);
  return made.image;
}

const image = withDocker.skip === false ? await standInImage() : "";

/** A state with a local owner, whose sandbox is made of an image with the stand-in. */
async function rig(t: TestContext) {
  const cli = cliRig(t);
  await (await cli.start()).stop();
  await cli.json(["config", "set", "docker.image", image]);
  return cli;
}

function login(t: TestContext, cli: CliRig, ...more: string[]) {
  const argv = [process.execPath, main, "--state", cli.state, "agent", "login", "claude", ...more];
  return atPty(t, argv, cli.workspace);
}

function homeOf({ state }: CliRig): string {
  const homes = join(state, "homes");
  mkdirSync(homes, { recursive: true });
  const [name] = readdirSync(homes);
  return join(homes, name ?? "");
}

async function leftOf({ state }: CliRig) {
  const all = await docker.listContainers({
    all: true,
    filters: { label: ["sallyport.scope=login"] },
  });
  const folders = readdirSync(state).filter((name) => name.startsWith("login-"));
  return {
    folders,
    containers: all.filter(({ Mounts }) => Mounts.some((one) => one.Source.startsWith(state))),
  };
}

it(
  "leaves in the caller's home what the agent's program wrote, as the agent's own user",
  withDocker,
  async (t) => {
    const cli = await rig(t);
    const pty = login(t, cli);
    const asked = await pty.see(/Paste the code: /);
    assert.match(asked, /It has the internet, by Docker's default bridge, and none of your files/);
    // Its own loopback and the bridge; nothing of anybody in its home; no power; the person's terminal.
    assert.match(
      asked,
      /args: auth login in \/home\/agent, 0 files, 2 networks, caps CapEff:0{16}/,
    );
    pty.type("K7Q2\r");
    const { code, text } = await pty.ended;
    assert.equal(code, 0, text);
    assert.match(text, /Welcome, on 30 100\./);
    assert.match(text, /claude is logged in for local: \.claude\/\.credentials\.json in/);
    assert.match(text, /It may reach where that is used/);
    const file = join(homeOf(cli), ".claude", ".credentials.json");
    assert.equal(readFileSync(file, "utf8"), "token of K7Q2\n");
    const { uid, gid } = await agentUser(cli.workspace);
    const info = lstatSync(file);
    assert.deepEqual([info.uid, info.gid, info.mode & 0o777], [uid, gid, 0o600]);
    const rows = (await cli.json(["audit", "list"])) as Record<string, unknown>[];
    const row = rows.find(({ action }) => action === "agent.login");
    assert.deepEqual([row?.who, row?.target, row?.why], ["operator", "local", "claude"]);
    assert.deepEqual(await leftOf(cli), { folders: [], containers: [] });
  },
);

it(
  "runs nothing of what lies in the home, keeps it, and follows no link out of it",
  withDocker,
  async (t) => {
    const cli = await rig(t);
    const first = login(t, cli);
    await first.see(/Paste the code: /);
    first.type("one\r");
    assert.equal((await first.ended).code, 0);
    const home = homeOf(cli);
    const outside = join(temporaryFolder(t), "theirs");
    writeFileSync(outside, "theirs");
    writeFileSync(join(home, "notes"), "kept");
    writeFileSync(join(home, ".claude.json"), "planted");
    const second = login(t, cli);
    const asked = await second.see(/Paste the code: /);
    assert.match(asked, /, 0 files,/);
    rmSync(join(home, ".claude.json"));
    symlinkSync(outside, join(home, ".claude.json"));
    second.type("two\r");
    await second.ended;
    assert.equal(readFileSync(outside, "utf8"), "theirs");
    assert.equal(readFileSync(join(home, "notes"), "utf8"), "kept");
  },
);

it(
  "is not held up by a pipe that an agent has put where the log-in goes",
  withDocker,
  async (t) => {
    const cli = await rig(t);
    const first = login(t, cli);
    await first.see(/Paste the code: /);
    first.type("one\r");
    assert.equal((await first.ended).code, 0);
    const file = join(homeOf(cli), ".claude", ".credentials.json");
    rmSync(file);
    execFileSync("mkfifo", ["-m", "666", file]);
    const second = login(t, cli);
    await second.see(/Paste the code: /);
    second.type("two\r");
    const { code, text } = await second.ended;
    assert.equal(code, 0, text);
    assert.equal(lstatSync(file).isFile() && readFileSync(file, "utf8"), "token of two\n");
  },
);

it("gives somebody an empty home, and keeps the last one beside it", withDocker, async (t) => {
  const cli = await rig(t);
  assert.match((await cli.run(["agent", "reset", "local"])).err, /local has no home yet/);
  const first = login(t, cli);
  await first.see(/Paste the code: /);
  first.type("one\r");
  assert.equal((await first.ended).code, 0);
  const home = homeOf(cli);
  const deep = `cd "$1" && n=${"d".repeat(200)} && for i in $(seq 40); do mkdir $n && cd -P $n || exit 1; done`;
  execFileSync("sh", ["-c", deep, "sh", home]);
  const { aside } = (await cli.json(["agent", "reset", "local"])) as { aside: string };
  assert.equal(existsSync(home), false);
  assert.ok(existsSync(join(aside, ".claude", ".credentials.json")));
  mkdirSync(home);
  const again = (await cli.json(["agent", "reset", "local"])) as Record<string, unknown>;
  assert.equal(again.earlierRemoved, true);
  assert.deepEqual(readdirSync(join(cli.state, "homes")), [basename(String(again.aside))]);
  assert.match((await cli.run(["agent", "reset", "nobody"])).err, /no pairing "nobody"/);
});

it("changes nothing when there was no log-in, and says so", withDocker, async (t) => {
  const cli = await rig(t);
  const pty = login(t, cli);
  await pty.see(/Paste the code: /);
  pty.type("none\r");
  const { code, text } = await pty.ended;
  assert.equal(code, 1);
  assert.match(text, /Nothing has changed: it left no log-in \(\.claude\/\.credentials\.json\)/);
  assert.equal(existsSync(join(homeOf(cli), ".claude")), false);
  assert.deepEqual(await leftOf(cli), { folders: [], containers: [] });
});

it("leaves nothing when its terminal goes away", withDocker, async (t) => {
  const cli = await rig(t);
  const pty = login(t, cli);
  await pty.see(/Paste the code: /);
  pty.hangUp();
  await pty.ended;
  const until = performance.now() + 20_000;
  for (;;) {
    const { folders, containers } = await leftOf(cli);
    if (folders.length + containers.length === 0) break;
    assert.ok(performance.now() < until, "it is gone in time");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
});

it(
  "says what is missing: a terminal, a pairing, a program in the image, another sandbox",
  withDocker,
  async (t) => {
    const cli = await rig(t);
    const args = ["agent", "login", "claude"];
    assert.match((await cli.run(args)).err, /A log-in needs a terminal/);
    assert.match(
      (await cli.run([...args, "--as", "nobody"])).err,
      /no pairing "nobody".*pair list/,
    );
    assert.equal((await cli.run(["agent", "login", "nosuch"])).code, 2);
    const argv = [process.execPath, main, "--state", cli.state, "agent", "login", "codex"];
    const { code, text } = await atPty(t, argv, cli.workspace).ended;
    assert.equal(code, 1);
    assert.match(
      text,
      /has no program codex\. Make one that has: .*build --from-host --preset codex/,
    );
    await cli.json(["config", "set", "sandbox", "local"]);
    assert.match(
      (await cli.run(args)).err,
      /runs as you.*Make the log-in with: HOME=\S+ claude auth login/,
    );
    const fresh = cliRig(t);
    assert.match((await fresh.run(args)).err, /Start the gateway once: sallyport start/);
  },
);
