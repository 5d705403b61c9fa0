// Agents that fail, and messages that come at every moment of a turn: each gets an answer, or is told that it was dropped.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { eventually, type Rig, scripted, startRig } from "./telegram-rig.ts";

const record = "prompts.jsonl";

/** The fake agent's session ids hold its pid. */
function pidOfAgent({ workspace }: Rig): number {
  const found = /"sessionId":"s(\d+)-/.exec(readFileSync(join(workspace, record), "utf8"));
  return Number(found?.[1]);
}

it("tells that its agent died while it was asking, ends the question, and works again", async (t) => {
  const rig = await startRig(t, { flags: scripted({ record }) });
  const ana = await rig.member("ana");
  const path = join(rig.workspace, "n.txt");
  ana.says(`do ${path}`);
  await rig.until(ana.chat, /Create n\.txt/);
  process.kill(pidOfAgent(rig), "SIGKILL");
  const card = await rig.until(ana.chat, /⌛ The agent is gone: nothing was run/);
  assert.deepEqual(card.buttons, []);
  await rig.until(ana.chat, /⚠️ I could not finish: .*SIGKILL/);
  ana.says("echo alive again");
  await rig.until(ana.chat, /alive again/);
  assert.equal(existsSync(path), false);
});

it("says why an agent does not start, in the chat, each time", async (t) => {
  const rig = await startRig(t, { flags: scripted({ initialize: "exit" }) });
  const ana = await rig.member("ana");
  for (const text of ["one", "two"]) {
    const before = rig.said(ana.chat).length;
    ana.says(text);
    await rig.fake.waitFor(() => rig.said(ana.chat).length > before);
  }
  const [, ...answers] = rig.said(ana.chat).map(({ text }) => text);
  for (const answer of answers) {
    assert.match(answer, /^⚠️ I could not finish: /);
    assert.doesNotMatch(answer, /sk-live/);
  }
});

it("survives junk, floods and a crash in the middle of the text, and keeps what was said", async (t) => {
  const rig = await startRig(t, { flags: scripted({ noise: 3, stderrBytes: 500_000 }) });
  const ana = await rig.member("ana");
  ana.says("echo first words\nstderr 300000\njunk 3\ncrash 3");
  const cut = await rig.until(ana.chat, /first words[\s\S]*could not finish/);
  assert.match(cut.text, /^first words\n\n⚠️ I could not finish: /);
  ana.says("junk 12\necho never");
  await rig.until(ana.chat, /^⚠️ I could not finish/);
  ana.says("echo and on");
  await rig.until(ana.chat, /and on/);
});

it("answers every message, whenever it comes: before the agent is up, at work, asking, at the end", async (t) => {
  const rig = await startRig(t, {
    flags: scripted(),
    settings: { "conversations.merge": ["false"] },
  });
  const ana = await rig.member("ana");
  const [gate, path] = [join(rig.workspace, "gate"), join(rig.workspace, "n.txt")];
  ana.says(`echo answer 1\nstall ${gate}\ndo ${path}\necho late 1`);
  ana.says("echo answer 2");
  await rig.until(ana.chat, /answer 1/);
  ana.says("echo answer 3");
  writeFileSync(gate, "");
  await rig.until(ana.chat, /Create n\.txt/);
  ana.says("echo answer 4");
  rig.press(ana, "Allow once");
  await rig.until(ana.chat, /late 1/);
  ana.says("echo answer 5");
  await rig.until(ana.chat, /answer 5/);
  ana.says("echo answer 6");
  await rig.until(ana.chat, /answer 6/);
  const answers = rig.said(ana.chat).flatMap(({ text }) => text.match(/answer \d/g) ?? []);
  assert.deepEqual(
    answers,
    [1, 2, 3, 4, 5, 6].map((n) => `answer ${n}`),
  );
});

it("says once in the first answer that an agent was not seen to ask, and never again when it did", async (t) => {
  const rig = await startRig(t, { flags: scripted() });
  const ana = await rig.member("ana");
  ana.says("echo one");
  const first = await rig.until(ana.chat, /one/);
  assert.match(first.text, /has not been seen to ask before it acts/);
  ana.says("echo two");
  assert.equal((await rig.until(ana.chat, /two/)).text, "two");
  ana.says(`do ${join(rig.workspace, "n.txt")}`);
  await rig.until(ana.chat, /Create n\.txt/);
  rig.press(ana, "Deny");
  await rig.until(ana.chat, /answer: no/);
  ana.says("/new");
  ana.says("echo three");
  assert.equal((await rig.until(ana.chat, /three/)).text, "three");
});

it("shows in /status, /tasks and /approvals what is going on, in words a person knows again", async (t) => {
  const rig = await startRig(t);
  const ana = await rig.member("ana");
  ana.says("write notes/todo.md\n# Todo");
  await rig.until(ana.chat, /Create todo\.md/);
  ana.says("/status");
  const status = await rig.until(ana.chat, /Agent: workspace/);
  assert.match(
    status.text,
    /^• write notes\/todo\.md: waits for an answer, see \/approvals \([\w-]{8}, \d+ s\)\n\nAgent: workspace\.$/,
  );
  ana.says("/approvals");
  await rig.until(ana.chat, /Asked again below/);
  const open = await rig.until(ana.chat, /Create todo\.md\? \(1\)/);
  assert.match(open.text, /# Todo\n\nButtons, or allow 1 \/ deny 1 because …$/);
  assert.equal(open.id, rig.said(ana.chat).at(-1)?.id);
  ana.says("/stop");
  await rig.until(ana.chat, /⌛ Stopped: nothing was run/);
  await rig.until(ana.chat, /^⏹ Stopped\.$/);
  await rig.until(ana.chat, /Stopped: nothing was changed/);
  await untilTask(rig, "canceled");
  ana.says("/tasks");
  const tasks = await rig.until(ana.chat, /canceled/);
  assert.equal(tasks.text, "• canceled · write notes/todo.md");
  assert.equal(rig.said(ana.chat).filter(({ text }) => text.includes("⏹")).length, 1);
});

function untilTask({ admin }: Rig, state: string): Promise<boolean> {
  return eventually(`a task that is ${state}`, async () => {
    const tasks = (await admin("task.list")) as { state: string }[];
    return tasks.some((task) => task.state === state);
  });
}
