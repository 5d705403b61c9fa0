// The ACP client with agents that crash, hang, flood and lie: an honest sentence, and the next prompt works.
import assert from "node:assert/strict";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import type { AgentEvent, ToolCall } from "../../src/core/agent.ts";
import type { FakeAgentOptions } from "../fakes/acp-agent.ts";
import {
  agentRig,
  choose,
  fakePreset,
  type Rig,
  readTurn,
  sessionOf,
  temporaryFolder,
  textOf,
} from "../fakes/agent-rig.ts";

function whyOf(events: readonly AgentEvent[]): string {
  const last = events.at(-1);
  assert.equal(last?.type, "failed", JSON.stringify(last));
  return last.type === "failed" ? last.why : "";
}

async function expectNextPromptToWork(rig: Rig): Promise<void> {
  const events = await readTurn(rig.prompt("still there"));
  assert.equal(textOf(events), "still there");
}

async function expectTrouble(rig: Rig, prompt: string, sentence: RegExp): Promise<void> {
  assert.match(whyOf(await readTurn(rig.prompt(prompt))), sentence);
  await expectNextPromptToWork(rig);
}

it("says so when the program is not there, and how to get it", async (t) => {
  const preset = fakePreset({}, { program: "no-such-agent", install: "Install it with: x" });
  const rig = agentRig(t, { preset });
  const events = await readTurn(rig.prompt("hi"));
  assert.equal(
    whyOf(events),
    "The agent's program no-such-agent was not found. Install it with: x",
  );
});

it("tells a crash before initialize with the agent's last words, but no key from them", async (t) => {
  const rig = agentRig(t, { fake: { initialize: "exit" } });
  const why = whyOf(await readTurn(rig.prompt("hi")));
  assert.match(why, /^The agent ended before it was ready \(exit code 3\)\. It last said: Error: /);
  assert.doesNotMatch(why, /4f9a8b7c/);
});

it("ends an agent that hangs in initialize or opens no session", async (t) => {
  const limits = { startMs: 400 };
  for (const fake of [{ initialize: "hang" }, { session: "hang" }] satisfies FakeAgentOptions[]) {
    const rig = agentRig(t, { fake, limits });
    const why = whyOf(await readTurn(rig.prompt("hi")));
    assert.match(why, /^The agent did not (get ready|open the conversation) within 400 ms\.$/);
    assert.equal((await rig.processes[0]?.ended)?.signal, "SIGTERM");
  }
});

it("passes on why an agent refuses a session", async (t) => {
  const rig = agentRig(t, { fake: { session: "refuse" } });
  const why = whyOf(await readTurn(rig.prompt("hi")));
  assert.equal(why, "The agent answered with an error: Authentication required");
});

it("survives an error as the answer to a prompt, in the same process", async (t) => {
  const rig = agentRig(t);
  await expectTrouble(rig, "error out of tokens", /answered with an error: out of tokens$/);
  assert.equal(rig.processes.length, 1);
});

it("tells a crash in the middle of a prompt, takes the open question back and starts anew", async (t) => {
  const rig = agentRig(t);
  const signals: AbortSignal[] = [];
  const turn = rig.prompt(`do ${join(rig.folder, "effects")}`);
  const events = await readTurn(turn, (event) => {
    if (event.type !== "permission") return;
    signals.push(event.signal);
    void rig.processes[0]?.kill();
  });
  assert.match(whyOf(events), /^The agent ended in the middle of its work \(killed by SIGTERM\)/);
  assert.equal(signals[0]?.aborted, true);
  await expectNextPromptToWork(rig);
  assert.equal(rig.processes.length, 2);
});

it("keeps the text that came before a crash", async (t) => {
  const rig = agentRig(t);
  const events = await readTurn(rig.prompt("before\ncrash 9"));
  assert.equal(textOf(events), "before");
  assert.match(
    whyOf(events),
    /exit code 9\)\. It last said: Error: the fake agent was told to crash/,
  );
  await expectNextPromptToWork(rig);
});

it("takes the last line without its newline before it tells that the agent is gone", async (t) => {
  const rig = agentRig(t);
  const events = await readTurn(rig.prompt("lastwords good bye"));
  assert.equal(textOf(events), "good bye");
  assert.match(whyOf(events), /^The agent ended in the middle of its work \(exit code 0\)/);
});

it("skips noise before and between messages", async (t) => {
  const rig = agentRig(t, { fake: { noise: 9 } });
  const events = await readTurn(rig.prompt('junk 9\nfine\njunk 8\nraw {"level":"info"}'));
  assert.equal(textOf(events), "fine");
  assert.equal(events.at(-1)?.type, "end");
  assert.ok(rig.log.lines.some((line) => line.includes("Loaded cached credentials (0).")));
  assert.ok(rig.log.lines.filter((line) => line.includes("no message")).length <= 20);
});

it("fails fast after ten lines of junk in a row", async (t) => {
  const rig = agentRig(t);
  await expectTrouble(
    rig,
    "junk 10\nhang",
    /wrote 10 lines in a row that are not messages.*not a message 9$/,
  );
});

it("takes a line of 8 MB and refuses one of 20 MB", async (t) => {
  const rig = agentRig(t);
  const events = await readTurn(rig.prompt("big 8"));
  assert.ok(textOf(events).startsWith("y".repeat(8 * 1024 * 1024)));
  await expectTrouble(rig, "big 20\nhang", /^The agent sent a single message over 16 MB\.$/);
});

it("puts a character together that arrives in two pieces", async (t) => {
  const rig = agentRig(t);
  assert.equal(textOf(await readTurn(rig.prompt("split naïve 😀"))), "naïve 😀");
});

it("is not held up by a flood on stderr", async (t) => {
  const rig = agentRig(t, { fake: { stderrBytes: 4 * 1024 * 1024 } });
  assert.equal(textOf(await readTurn(rig.prompt("dry"))), "dry");
  assert.ok((rig.processes[0]?.stderrTail().length ?? 0) <= 64 * 1024);
});

it("cuts an answer that is too long, with a note, and stops one that never ends", async (t) => {
  const rig = agentRig(t, { limits: { textChars: 100_000 } });
  const cut = await readTurn(rig.prompt("text 300000"));
  assert.match(textOf(cut), /^x{100000}\n\n\(The rest of this answer was cut: it is too long\.\)$/);
  assert.equal(cut.at(-1)?.type, "end");
  await expectTrouble(rig, "text 900000\nhang", /^The agent would not stop writing\.$/);
});

it("waits for a slow reader without holding more than the text", async (t) => {
  const rig = agentRig(t);
  let joined = 0;
  for await (const event of rig.prompt("stream 500\nhello")) {
    if (event.type === "session") await readTurn(rig.prompt("another turn"));
    if (event.type === "text") joined++;
  }
  assert.ok(joined < 50, `${joined} text events`);
});

it("replays nothing of a loaded session", async (t) => {
  const record = join(temporaryFolder(t), "record");
  const rig = agentRig(t, { fake: { load: "replay", record } });
  const events = await readTurn(rig.prompt("new question", { session: "s-old" }));
  assert.deepEqual(sessionOf(events), { id: "s-old", resumed: true });
  assert.equal(textOf(events), "new question");
});

it("starts anew where a session cannot be loaded", async (t) => {
  for (const fake of [{ load: "refuse" }, {}] satisfies FakeAgentOptions[]) {
    const rig = agentRig(t, { fake });
    const events = await readTurn(rig.prompt("hi", { session: "s-old" }));
    assert.equal(sessionOf(events).resumed, false);
    assert.equal(textOf(events), "hi");
  }
});

it("does not try a session again over which the agent hung", async (t) => {
  const rig = agentRig(t, { fake: { load: "hang" }, limits: { startMs: 500 } });
  const why = whyOf(await readTurn(rig.prompt("hi", { session: "s-old" })));
  assert.equal(why, "The agent did not open the conversation within 500 ms.");
  const events = await readTurn(rig.prompt("hi", { session: "s-old" }));
  assert.equal(sessionOf(events).resumed, false);
  assert.equal(textOf(events), "hi");
});

it("stops a turn whose agent gives no sign, but not while a question is open or a tool runs", async (t) => {
  const limits = { silentMs: 300, toolMs: 900, cancelMs: 2000 };
  const rig = agentRig(t, { limits });
  await expectTrouble(rig, "hang", /^The agent gave no sign for 300 ms\.$/);
  const file = join(rig.folder, "effects");
  const events = await readTurn(rig.prompt(`do ${file}`), (event) => {
    if (event.type === "permission") setTimeout(() => event.answer({ optionId: "once" }), 700);
  });
  assert.equal(events.at(-1)?.type, "end");
  const busy = `tool {"toolCallId":"t","status":"in_progress"}\nhang`;
  await expectTrouble(rig, busy, /^A tool call of the agent did not end within 900 ms\.$/);
});

it("ends an idle process and starts another for the next prompt", async (t) => {
  const rig = agentRig(t, { limits: { idleMs: 200 } });
  await readTurn(rig.prompt("one"));
  assert.equal((await rig.processes[0]?.ended)?.signal, "SIGTERM");
  await expectNextPromptToWork(rig);
});

it("ends a scope at once, and everything on stop", async (t) => {
  const rig = agentRig(t);
  const other = readTurn(rig.prompt("hang", { scope: "p-bob" }));
  const events = await readTurn(rig.prompt("hang"), (event) => {
    if (event.type === "session") void rig.agent.end("p-ana");
  });
  assert.equal(whyOf(events), "The agent was ended, as its sandbox was closed.");
  await rig.agent.stop();
  assert.equal(whyOf(await other), "The gateway is stopping.");
  assert.equal(whyOf(await readTurn(rig.prompt("hi"))), "The gateway is stopping.");
});

/** Must ask about what it runs; each step after that is what it tells of one call. */
function asking(t: TestContext): Rig {
  const mustAsk = ({ kind }: ToolCall) => kind === "execute";
  return agentRig(t, { preset: fakePreset({ load: "replay" }, { mustAsk }) });
}

const tells = (status: string, kind = "execute") =>
  `tool ${JSON.stringify({ toolCallId: "t", title: "rm *", kind, status })}`;

it("ends an agent that ran what it had to ask about, and does not use its session again", async (t) => {
  for (const steps of [[tells("completed")], [tells("in_progress"), tells("in_progress")]]) {
    const rig = asking(t);
    const events = await readTurn(rig.prompt([...steps, "hang"].join("\n"), { session: "s-old" }));
    assert.equal(sessionOf(events).resumed, true);
    assert.match(whyOf(events), /^The agent ran "rm \*" without asking, so it was ended/);
    const next = await readTurn(rig.prompt("still there", { session: "s-old" }));
    assert.deepEqual([sessionOf(next).resumed, textOf(next)], [false, "still there"]);
    assert.equal((await rig.processes[0]?.ended)?.signal, "SIGTERM");
  }
});

it("lets pass what was allowed, what need not be asked about, and what fails before it asks", async (t) => {
  const rig = asking(t);
  const steps = [
    tells("in_progress", "read"),
    tells("in_progress", "read"),
    tells("failed"),
    "fine",
  ];
  assert.equal(textOf(await readTurn(rig.prompt(steps.join("\n")))), "fine");
  const preset = fakePreset({}, { mustAsk: () => true });
  const strict = agentRig(t, { preset });
  const file = join(strict.folder, "effects");
  const allowed = await readTurn(strict.prompt(`do ${file}`), choose("once"));
  assert.equal(allowed.at(-1)?.type, "end");
  const refused = await readTurn(strict.prompt(`do ${file}`), choose("no"));
  assert.equal(refused.at(-1)?.type, "end");
});
