// The workspace agent runs command lines in bounds, and leaves nothing running.
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdir, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { heardText, startWorkspace } from "./workspace-agent-client.ts";

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // Killed, but not yet noticed by its parent, is not running.
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch (error) {
    return error instanceof Error && "path" in error && process.platform !== "linux";
  }
}

async function isGone(pid: number): Promise<void> {
  assert.ok(pid > 1);
  for (const deadline = Date.now() + 5000; isRunning(pid); await delay(10)) {
    assert.ok(Date.now() < deadline, `${pid} still runs`);
  }
}

it("asks with the whole command line, runs it in the workspace, and says its exit code", async (t) => {
  const workspace = await startWorkspace(t);
  const reply = await workspace.say('run pwd; echo "it\'s" >&2; echo $((1+1)); exit 3');
  const command = 'pwd; echo "it\'s" >&2; echo $((1+1)); exit 3';
  assert.deepEqual(reply.questions[0]?.toolCall.rawInput, { command, cwd: workspace.root });
  assert.equal(reply.questions[0]?.toolCall.kind, "execute");
  assert.equal(reply.text, `\`\`\`\n${workspace.root}\nit's\n2\n\`\`\`\n\nExit code 3.`);
  assert.equal(reply.calls[0]?.status, "failed");
});

it("runs several lines as one script, and says when there is no output", async (t) => {
  const workspace = await startWorkspace(t);
  const reply = await workspace.say("run x=1\nif [ $x = 1 ]; then\n  touch made\nfi");
  assert.equal(reply.text, "No output. Exit code 0.");
  assert.equal(reply.calls[0]?.status, "completed");
  assert.equal(await workspace.text("made"), "");
});

it("shows output while the command still runs", async (t) => {
  const workspace = await startWorkspace(t);
  const first = heardText(workspace, /started/);
  const turn = workspace.say("run echo started; until [ -e go ]; do sleep 0.02; done; echo over");
  await first;
  await workspace.say("write go\n");
  assert.equal((await turn).text, "```\nstarted\nover\n```\n\nExit code 0.");
});

it("bounds huge output, with its beginning, its end and a line that says so", async (t) => {
  const workspace = await startWorkspace(t);
  const { text, chunks } = await workspace.say("run echo begin; yes | head -c 5000000; echo end");
  assert.match(text, /^```\nbegin\ny\n/);
  assert.match(text, /\n```\n\n\*Truncated: 4\.9 MB of the output are left out here\.\*\n\n```\n/);
  assert.match(text, /\nend\n```\n\nExit code 0\.$/);
  assert.ok(text.length < 65_000);
  assert.ok(chunks.every((chunk) => chunk.length <= 4000));
});

it("keeps characters whole, however the output is cut", async (t) => {
  const workspace = await startWorkspace(t);
  const split = await workspace.say("run printf 'a\\303'; sleep 0.3; printf '\\251b\\n'");
  assert.match(split.text, /^```\naéb\n```/);
  await workspace.say(`write owls\n${"🦉".repeat(14_000)}`);
  const whole = await workspace.say("run cat owls; printf x; cat owls");
  const cut = await workspace.say("run printf x; for i in 1 2 3; do cat owls; done; printf yy");
  const [, , beginning = ""] = /^(```\n)(x🦉+)/u.exec(cut.text) ?? [];
  assert.ok(beginning.length > 20_000);
  for (const { text, chunks } of [whole, cut]) {
    assert.doesNotMatch(text, /\uFFFD/);
    assert.ok(chunks.every((chunk) => !/\p{Cs}/u.test(chunk)));
  }
  const seam = await workspace.say("run printf x; cat owls");
  assert.equal(seam.text, `\`\`\`\nx${"🦉".repeat(14_000)}\n\`\`\`\n\nExit code 0.`);
});

it("goes on in a longer fence when the output has fences of its own", async (t) => {
  const workspace = await startWorkspace(t);
  const first = heardText(workspace, /one/);
  const script =
    "echo one; until [ -e go ]; do sleep 0.02; done; printf '``'; sleep 0.3; echo '``'";
  const turn = workspace.say(`run ${script}`);
  await first;
  await workspace.say("write go\n");
  assert.equal((await turn).text, "```\none\n```\n\n`````\n````\n`````\n\nExit code 0.");
});

it("stops a command and all it started when the turn is cancelled", async (t) => {
  const workspace = await startWorkspace(t);
  const session = await workspace.open();
  const started = heardText(workspace, /pids (\d+) (\d+)\n/);
  const script = "trap '' TERM; sleep 600 & echo pids $$ $!; wait";
  const turn = workspace.prompt(session, `run ${script}`);
  const [, shell, sleeper] = await started;
  await workspace.cancel(session);
  const reply = await turn;
  assert.equal(reply.stopReason, "cancelled");
  assert.match(reply.text, /Stopped: the command was killed\.$/);
  assert.equal(reply.calls[0]?.status, "failed");
  await Promise.all([isGone(Number(shell)), isGone(Number(sleeper))]);
  assert.equal((await workspace.prompt(session, "say on we go")).text, "on we go");
});

it("kills what runs too long", async (t) => {
  const workspace = await startWorkspace(t, ["--run-seconds", "0.3"]);
  const { text, stopReason } = await workspace.say("run echo $$; sleep 600");
  assert.match(text, /Killed: it ran longer than 0\.3 seconds\.$/);
  assert.equal(stopReason, "end_turn");
  await isGone(Number(/\d+/.exec(text)?.[0]));
});

it("kills what writes without end", async (t) => {
  const workspace = await startWorkspace(t);
  const { text, stopReason } = await workspace.say("run yes");
  assert.match(text, /Killed: it wrote too much\.$/);
  assert.equal(stopReason, "end_turn");
});

it("says it when a command cannot be started, and goes on", async (t) => {
  const workspace = await startWorkspace(t);
  await mkdir(join(workspace.root, "gone"));
  const session = await workspace.open(join(workspace.root, "gone"));
  await rmdir(join(workspace.root, "gone"));
  const reply = await workspace.prompt(session, "run echo hello");
  assert.match(reply.text, /That did not work: `spawn/);
  assert.equal(reply.calls[0]?.status, "failed");
  assert.match((await workspace.say(`run ${"x".repeat(200_000)}`)).text, /That did not work/);
  assert.equal((await workspace.say("say on")).text, "on");
});

it("ends what a command left in the background", async (t) => {
  const workspace = await startWorkspace(t);
  const { text } = await workspace.say("run sleep 600 & echo $!");
  assert.match(text, /Exit code 0\.$/);
  await isGone(Number(/\d+/.exec(text)?.[0]));
});

it("answers although something that left the group holds the output open", async (t) => {
  const workspace = await startWorkspace(t);
  const { text } = await workspace.say("run setsid sleep 600 & echo $!");
  const pid = Number(/\d+/.exec(text)?.[0]);
  t.after(() => process.kill(pid, "SIGKILL"));
  assert.match(text, /Exit code 0\.$/);
});

for (const how of ["stdin ends", "SIGTERM", "SIGKILL"] as const) {
  it(`leaves nothing running when it ends by ${how}`, async (t) => {
    const workspace = await startWorkspace(t);
    const started = heardText(workspace, /pids (\d+) (\d+)\n/);
    const script = "trap '' TERM HUP INT; sleep 600 & echo pids $$ $!; wait";
    const turn = workspace.say(`run ${script}`).catch(() => "connection closed");
    const [, shell, sleeper] = await started;
    const exited = once(workspace.process, "exit");
    if (how === "stdin ends") workspace.process.stdin?.end();
    else workspace.process.kill(how);
    const [code] = await exited;
    assert.equal(code, how === "stdin ends" ? 0 : null);
    await Promise.all([isGone(Number(shell)), isGone(Number(sleeper))]);
    assert.equal(await turn, "connection closed");
  });
}

it("changes nothing when stdin ends while it asks", async (t) => {
  const workspace = await startWorkspace(t);
  workspace.answer = () => {
    workspace.process.stdin?.end();
    return new Promise<string>(() => undefined);
  };
  const exited = once(workspace.process, "exit");
  await assert.rejects(workspace.say("write a.txt\nx"));
  assert.deepEqual(await exited, [0, null]);
  await assert.rejects(workspace.text("a.txt"));
});
