// The local sandbox ends an agent with all it started, also after its gateway was killed, and nothing else.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import type { AgentProcess, SandboxScope } from "../../src/core/sandbox.ts";
import { type ProcessRow, procTable, psTable } from "../../src/sandbox/local/processes.ts";
import { createLocalSandbox } from "../../src/sandbox/local/sandbox.ts";
import { memoryLog, temporaryFolder } from "../fakes/agent-rig.ts";

const gateway = fileURLToPath(new URL("../fakes/marked-gateway.ts", import.meta.url));

function sandboxIn(t: TestContext, stateDir: string, graceMs?: number) {
  const log = memoryLog();
  const environment = { ...process.env, SALLYPORT_SECRET: "hunter2" };
  const options = { stateDir, stateHash: stateDir, log, environment };
  const sandbox = createLocalSandbox(graceMs === undefined ? options : { ...options, graceMs });
  t.after(() => sandbox.stop());
  return sandbox;
}

function scopeIn(folder: string): SandboxScope {
  return {
    key: "p-ana",
    pairing: null,
    workspace: folder,
    workspaceMode: "rw",
    home: join(folder, "homes", "p-ana"),
  };
}

function shell(script: string) {
  return { program: "sh", args: ["-c", script], env: {} };
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    text += decoder.decode(chunk);
    if (text.includes("\n")) break;
  }
  return text.trim();
}

function lives(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2));
  } catch {
    return false;
  }
}

async function pidsOf(process: AgentProcess): Promise<number[]> {
  return (await firstLine(process.stdout)).split(" ").map(Number);
}

const onLinux = { skip: process.platform === "linux" ? false : "needs /proc" };

it("gives an agent its home and a small environment, with nothing of ours in it", async (t) => {
  const folder = temporaryFolder(t);
  const sandbox = sandboxIn(t, folder);
  const scope = scopeIn(folder);
  const agent = await sandbox.spawn(scope, {
    ...shell('echo "$HOME $(env | cut -d= -f1 | sort | xargs)"'),
    env: { EXTRA: "1" },
  });
  const [home, ...names] = (await firstLine(agent.stdout)).split(" ");
  assert.equal(home, scope.home);
  assert.equal(statSync(scope.home).mode & 0o777, 0o700);
  const allowed =
    /^(PATH|HOME|LANG|LC_ALL|LC_CTYPE|TZ|TERM|USER|LOGNAME|TMPDIR|EXTRA|SALLYPORT_(STATE|RUN)|PWD|OLDPWD|SHLVL|_)$/;
  assert.deepEqual(
    names.filter((name) => !allowed.test(name)),
    [],
  );
  assert.ok(names.includes("EXTRA") && names.includes("PATH"));
  assert.deepEqual(await agent.ended, { code: 0, signal: null });
});

it("keeps the end of stderr only", async (t) => {
  const folder = temporaryFolder(t);
  const agent = await sandboxIn(t, folder).spawn(
    scopeIn(folder),
    shell("head -c 3000000 /dev/zero | tr '\\0' x >&2; echo the end >&2"),
  );
  await agent.ended;
  assert.ok(agent.stderrTail().endsWith("xxthe end\n"));
  assert.ok(agent.stderrTail().length <= 64 * 1024);
});

it("loses nothing that a process said which ended before anybody listened", async (t) => {
  const folder = temporaryFolder(t);
  const script = shell("echo hi; echo why >&2; exit 4");
  const starting = sandboxIn(t, folder).spawn(scopeIn(folder), script);
  // We are busy until it is long over.
  setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300));
  const agent = await starting;
  assert.equal(await firstLine(agent.stdout), "hi");
  assert.deepEqual(await agent.ended, { code: 4, signal: null });
  assert.equal(agent.stderrTail(), "why\n");
});

it("rejects a program that is not there and a workspace that is no folder", async (t) => {
  const folder = temporaryFolder(t);
  const sandbox = sandboxIn(t, folder);
  const command = { program: "no-such-program", args: [], env: {} };
  await assert.rejects(sandbox.spawn(scopeIn(folder), command), { code: "ENOENT" });
  const scope = { ...scopeIn(folder), workspace: join(folder, "nowhere") };
  await assert.rejects(sandbox.spawn(scope, shell("true")), /is not a folder/);
});

it(
  "kills what ignores SIGTERM, and what left the group, and is safe to call twice",
  onLinux,
  async (t) => {
    const folder = temporaryFolder(t);
    const agent = await sandboxIn(t, folder, 200).spawn(
      scopeIn(folder),
      shell(
        "trap '' TERM; setsid sleep 600 & a=$!; sleep 600 & echo $$ $a $!; wait; wait; sleep 600",
      ),
    );
    const pids = await pidsOf(agent);
    assert.equal(pids.length, 3);
    assert.deepEqual(pids.map(lives), [true, true, true]);
    await Promise.all([agent.kill(), agent.kill()]);
    assert.deepEqual(pids.map(lives), [false, false, false]);
    assert.equal((await agent.ended).signal, "SIGKILL");
    await agent.kill();
    assert.deepEqual(readdirSync(join(folder, "run")), []);
  },
);

it("ends what an agent leaves behind when it ends by itself", onLinux, async (t) => {
  const folder = temporaryFolder(t);
  const agent = await sandboxIn(t, folder).spawn(
    scopeIn(folder),
    shell("setsid sleep 600 & echo $!; exit 7"),
  );
  const [left = 0] = await pidsOf(agent);
  assert.equal((await agent.ended).code, 7);
  assert.equal(lives(left), false);
});

async function killedGateway(t: TestContext, stateDir: string, script: string) {
  const started = spawn(process.execPath, [gateway, stateDir, stateDir, "sh", "-c", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => started.kill("SIGKILL"));
  const [line]: Buffer[] = await once(started.stdout, "data");
  return { started, pids: String(line).trim().split(" ").map(Number) };
}

async function killHard(child: ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await once(child, "exit");
}

it(
  "sweeps what a killed gateway left running, also what left the group or cleared its environment",
  onLinux,
  async (t) => {
    const folder = temporaryFolder(t);
    const script =
      "trap '' TERM; setsid sleep 600 & a=$!; env -i sleep 600 & b=$!; echo $$ $a $b; sleep 600";
    const { started, pids } = await killedGateway(t, folder, script);
    assert.equal(pids.length, 3);
    await killHard(started);
    assert.deepEqual(pids.map(lives), [true, true, true]);
    assert.equal(await sandboxIn(t, folder).sweep(), "clean");
    assert.deepEqual(pids.map(lives), [false, false, false]);
    assert.deepEqual(readdirSync(join(folder, "run")), []);
  },
);

it(
  "leaves alone what another state directory runs, and what it runs itself",
  onLinux,
  async (t) => {
    const [ours, theirs] = [temporaryFolder(t), temporaryFolder(t)];
    const other = await killedGateway(t, theirs, "echo $$; sleep 600");
    await killHard(other.started);
    const sandbox = sandboxIn(t, ours);
    const agent = await sandbox.spawn(scopeIn(ours), shell("echo $$; sleep 600"));
    const [own = 0] = await pidsOf(agent);
    assert.equal(await sandbox.sweep(), "clean");
    assert.deepEqual([...other.pids, own].map(lives), [true, true]);
    assert.equal(await sandboxIn(t, theirs).sweep(), "clean");
    assert.deepEqual(other.pids.map(lives), [false]);
  },
);

it("does not take a process for a left-over because it has the pid of one", onLinux, async (t) => {
  const folder = temporaryFolder(t);
  const bystander = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
  t.after(() => bystander.kill("SIGKILL"));
  await once(bystander, "spawn");
  const sandbox = sandboxIn(t, folder);

  const note = { id: "old", group: bystander.pid, started: "another-boot/1" };
  writeFileSync(join(folder, "run", "old.json"), JSON.stringify(note));
  assert.equal(await sandbox.sweep(), "clean");
  assert.equal(lives(bystander.pid ?? 0), true);
});

it(
  "is not sure when a group outlived its leader and nothing tells whose it is",
  onLinux,
  async (t) => {
    const folder = temporaryFolder(t);
    const script = "env -i sleep 600 & echo $$ $!; exec sleep 600";
    const { started, pids } = await killedGateway(t, folder, script);
    await killHard(started);
    const [leader = 0, member = 0] = pids;
    process.kill(leader, "SIGKILL");
    t.after(() => process.kill(member, "SIGKILL"));
    while (lives(leader)) await new Promise(setImmediate);
    assert.equal(await sandboxIn(t, folder).sweep(), "unconfirmed");
    assert.equal(lives(member), true);
  },
);

it("reads the same from ps as from /proc", onLinux, async () => {
  const self = (rows: readonly ProcessRow[]) => {
    const row = rows.find(({ pid }) => pid === process.pid);
    return [row?.pid, row?.parent, row?.group];
  };
  assert.deepEqual(self(await psTable().list()), self(await procTable().list()));
  const [once, again] = [await psTable().find(process.pid), await psTable().find(process.pid)];
  assert.equal(once?.started, again?.started);
});
