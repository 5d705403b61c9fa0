// The docker sandbox runs an agent in a container of its own, ends it whole, and says what went wrong.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { lstatSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { fileURLToPath } from "node:url";
import type { SandboxPlace } from "../../src/core/sandbox.ts";
import { gatewayUser } from "../../src/sandbox/docker/user.ts";
import {
  containersOf,
  dockerRig,
  firstLine,
  image,
  shell,
  toEnd,
  withDocker,
} from "../fakes/docker-rig.ts";

const gateway = fileURLToPath(new URL("../fakes/docker-gateway.ts", import.meta.url));
const asRoot = gatewayUser().uid === 0;

it(
  "gives an agent its folders, a small environment and its own words back",
  withDocker,
  async (t) => {
    const rig = dockerRig(t, { env: { FROM_OWNER: "1" } });
    const agent = await rig.sandbox.spawn(rig.scope(), {
      ...shell(
        'read line; echo "$line"; pwd; env | cut -d= -f1 | sort | xargs; echo oops >&2; exit 7',
      ),
      env: { OF_AGENT: "1" },
    });
    const writer = agent.stdin.getWriter();
    await writer.write(new TextEncoder().encode("hello\n"));
    const { out, err, code } = await toEnd(agent);
    const [said, folder, names = ""] = out.split("\n");
    assert.deepEqual([said, folder, err, code], ["hello", "/workspace", "oops", 7]);
    const known = "FROM_OWNER HOME HOSTNAME LANG OF_AGENT PATH PWD SSL_CERT_FILE TMPDIR";
    assert.equal(names, known);
    assert.deepEqual(await containersOf(rig), []);
  },
);

it(
  "closes its stdin when ours is closed, and carries much output to a slow reader",
  withDocker,
  async (t) => {
    const rig = dockerRig(t);
    const agent = await rig.sandbox.spawn(
      rig.scope(),
      shell("cat; head -c 8000000 /dev/zero; echo end >&2"),
    );
    const writer = agent.stdin.getWriter();
    await writer.write(new TextEncoder().encode("x"));
    await writer.close();
    let size = 0;
    for await (const chunk of agent.stdout) {
      size += chunk.byteLength;
      await new Promise(setImmediate);
    }
    assert.equal(size, 8_000_001);
    assert.equal((await agent.ended).code, 0);
    assert.equal(agent.stderrTail(), "end\n");
  },
);

it(
  "writes files that belong to the workspace's owner, and keeps the home to the agent",
  withDocker,
  async (t) => {
    const rig = dockerRig(t);
    const { home } = rig.scope();
    mkdirSync(join(home, "inbox"), { recursive: true, mode: 0o700 });
    writeFileSync(join(home, "inbox", "photo.txt"), "from a person", { mode: 0o600 });
    const { out, err } = await rig.run(
      "cat ~/inbox/photo.txt; echo a > file; mkdir -p ~/deep; echo b > ~/deep/note",
    );
    assert.deepEqual([out, err], ["from a person", ""]);
    const { uid } = statSync(rig.workspace);
    const paths = [join(rig.workspace, "file"), join(home, "deep", "note"), home];
    assert.deepEqual(
      paths.map((path) => statSync(path).uid),
      [uid, uid, uid],
    );
    assert.equal(statSync(home).mode & 0o777, 0o700);
  },
);

it("refuses a workspace of root that the agent could not write to, and says how to mend it", {
  ...withDocker,
  skip: withDocker.skip || (asRoot ? false : "needs to be root"),
}, async (t) => {
  const rig = dockerRig(t);
  const workspace = join(rig.folder, "of-root");
  mkdirSync(workspace, { mode: 0o755 });
  writeFileSync(join(workspace, "readme"), "of root");
  const scope = { ...rig.scope(), workspace };
  await assert.rejects(rig.run("true", scope), {
    message:
      "The agent runs as user 10001, who may not write to the workspace. The log of the gateway says the command that the owner should run.",
    detail: `The agent runs as user 10001, who may not write to the workspace. The owner should run: chown -R 10001:10001 ${workspace}`,
  });
  const readOnly = await rig.run("id -u; cat readme", { ...scope, workspaceMode: "ro" });
  assert.equal(readOnly.out, "10001\nof root");
  const empty = join(rig.folder, "empty");
  mkdirSync(empty);
  assert.equal(
    (await rig.run("echo x > file; id -u", { ...scope, workspace: empty })).out,
    "10001",
  );
  assert.equal(statSync(join(empty, "file")).uid, 10_001);
});

it(
  "ends what ignores SIGTERM with all it started, and is safe to call twice",
  withDocker,
  async (t) => {
    const rig = dockerRig(t);
    const agent = await rig.sandbox.spawn(
      rig.scope(),
      shell("trap '' TERM; setsid sleep 600 & echo ready; while :; do sleep 1; done"),
    );
    assert.equal(await firstLine(agent), "ready");
    assert.equal((await containersOf(rig)).length, 1);
    await Promise.all([agent.kill(), agent.kill()]);
    assert.deepEqual(await agent.ended, { code: null, signal: "SIGKILL" });
    assert.deepEqual(await containersOf(rig), []);
  },
);

it(
  "says that a program is not in the image, or that there is no image, and leaves nothing",
  withDocker,
  async (t) => {
    const rig = dockerRig(t);
    const agent = await rig.sandbox.spawn(rig.scope(), { program: "no-such", args: [], env: {} });
    assert.match(
      (await agent.ended).reason ?? "",
      /^the image sallyport-test\S+ has no program no-such; the owner/,
    );
    const missing = dockerRig(t, { image: "sallyport-test:missing" });
    await assert.rejects(missing.run("true"), {
      message:
        "The image sallyport-test:missing is not there. The owner should make it with: sallyport image build --from-host",
    });
    assert.deepEqual([...(await containersOf(rig)), ...(await containersOf(missing))], []);
    assert.deepEqual(readdirSync(missing.workspace), []);
  },
);

it(
  "finds what a killed gateway left by its label, and nothing of another state",
  withDocker,
  async (t) => {
    const [rig, other] = [dockerRig(t), dockerRig(t)];
    const dead = spawn(
      process.execPath,
      [gateway, rig.folder, image, "echo up; trap '' TERM; sleep 600"],
      {
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    t.after(() => dead.kill("SIGKILL"));
    await once(dead.stdout, "data");
    dead.kill("SIGKILL");
    await once(dead, "exit");
    const agent = await other.sandbox.spawn(other.scope(), shell("sleep 600"));
    assert.deepEqual(
      [(await containersOf(rig)).length, (await containersOf(other)).length],
      [1, 1],
    );
    assert.ok(readdirSync(rig.workspace).includes(".mcp.json"));

    assert.equal(await rig.sandbox.sweep(), "clean");
    assert.deepEqual(await containersOf(rig), []);
    assert.deepEqual(readdirSync(rig.workspace), []);
    assert.equal(await other.sandbox.sweep(), "clean");
    assert.equal(
      (await containersOf(other)).length,
      1,
      "what runs for this gateway is no leftover",
    );
    await agent.kill();
  },
);

it(
  "lets so many run at once, makes others wait in line, and lets them leave it",
  withDocker,
  async (t) => {
    const asked: true[] = [];
    const rig = dockerRig(t, { containers: 1, makeRoom: () => void asked.push(true) });
    const first = await rig.sandbox.spawn(rig.scope("p-1"), shell("sleep 600"));
    const places: string[] = [];
    const line = (name: string) => ({
      onPlace: (place: SandboxPlace) => void places.push(`${name}${place}`),
    });
    const leaving = new AbortController();
    const gone = rig.sandbox.spawn(rig.scope("p-2"), shell("true"), {
      ...line("a"),
      signal: leaving.signal,
    });
    const second = rig.sandbox.spawn(rig.scope("p-3"), shell("echo here"), line("b"));
    await new Promise(setImmediate);
    leaving.abort(new Error("no longer wanted"));
    await assert.rejects(gone, /no longer wanted/);
    assert.deepEqual([places, asked.length], [["a1", "b2", "b1"], 2]);
    assert.equal((await containersOf(rig)).length, 1);
    await first.kill();
    assert.equal((await toEnd(await second)).out, "here");
  },
);

it(
  "leaves nothing when it stops, whatever was running, starting or waiting",
  withDocker,
  async (t) => {
    const rig = dockerRig(t, { containers: 2 });
    const running = await rig.sandbox.spawn(rig.scope("p-1"), shell("sleep 600"));
    const starting = rig.sandbox.spawn(rig.scope("p-2"), shell("sleep 600"));
    const waiting = rig.sandbox.spawn(rig.scope("p-3"), shell("sleep 600"));
    const refused = assert.rejects(waiting, /The gateway is stopping/);
    await rig.sandbox.stop();
    await refused;
    await starting;
    assert.equal((await running.ended).signal, "SIGTERM");
    assert.deepEqual(await containersOf(rig), []);
    assert.deepEqual(readdirSync(rig.workspace), []);
    await assert.rejects(rig.run("true"), /The gateway is stopping/);
  },
);

it("keeps an agent from swapping the inbox for a link, or changing it", withDocker, async (t) => {
  const rig = dockerRig(t);
  const { home } = rig.scope();
  mkdirSync(home, { recursive: true });
  symlinkSync("/etc", join(home, "inbox"));
  const said = await rig.run(
    "mv ~/inbox ~/other; rm -rf ~/inbox; ln -s /etc ~/inbox/in; echo x > ~/inbox/new; ls -A ~/inbox; echo end",
  );
  assert.match(said.err, /busy[\s\S]*Read-only/i);
  assert.equal(said.out, "end");
  assert.ok(lstatSync(join(home, "inbox")).isDirectory());
  assert.deepEqual(readdirSync(join(home, "inbox")), []);
});
