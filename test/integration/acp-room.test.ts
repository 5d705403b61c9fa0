// Agents that wait for a place, make room, lie in an opened sandbox or cannot have one: what is told, and that the next prompt works.
import assert from "node:assert/strict";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { type AgentOptions, createAgent } from "../../src/agent/agent.ts";
import { deferred } from "../../src/agent/deferred.ts";
import type { AgentEvent } from "../../src/core/agent.ts";
import { type SandboxScope, SandboxTrouble, type SpawnOptions } from "../../src/core/sandbox.ts";
import { createLocalSandbox } from "../../src/sandbox/local/sandbox.ts";
import type { FakeAgentOptions } from "../fakes/acp-agent.ts";
import { fakePreset, memoryLog, readTurn, temporaryFolder, textOf } from "../fakes/agent-rig.ts";
import { startSpine } from "../fakes/spine.ts";

interface More extends Partial<AgentOptions> {
  readonly fake?: FakeAgentOptions;
  /** Before each process is started. */
  readonly before?: (options: SpawnOptions, scope: SandboxScope) => Promise<void>;
  /** When it runs, and nobody has been given it. */
  readonly after?: (options: SpawnOptions) => Promise<void>;
}

function room(t: TestContext, { fake = {}, before, after, ...more }: More = {}) {
  const folder = temporaryFolder(t);
  const log = memoryLog();
  const sandbox = createLocalSandbox({
    stateDir: folder,
    stateHash: folder,
    log,
    environment: process.env,
  });
  const started: string[] = [];
  const agent = createAgent({
    preset: fakePreset(fake),
    async spawn(scope, command, options = {}) {
      await before?.(options, scope);
      started.push(scope.key);
      const process = await sandbox.spawn(scope, command);
      await after?.(options);
      return process;
    },
    inside: sandbox.inside,
    log,
    ...more,
  });
  t.after(async () => {
    await agent.stop();
    await sandbox.stop();
  });
  const prompt = (
    text: string,
    key = "p-ana",
    more: { session?: string; signal?: AbortSignal } = {},
  ) =>
    agent.prompt({
      conversation: `c-${key}`,
      scope: {
        key,
        pairing: null,
        workspace: folder,
        workspaceMode: "rw",
        home: join(folder, "homes", key),
      },
      session: more.session ?? null,
      content: [{ type: "text", text }],
      signal: more.signal ?? new AbortController().signal,
    });
  return { agent, prompt, started, log };
}

function waitsOf(events: readonly AgentEvent[]): string[] {
  return events.flatMap((event) => (event.type === "waiting" ? [event.why] : []));
}

function failureOf(events: readonly AgentEvent[]): string {
  const last = events.at(-1);
  return last?.type === "failed" ? last.why : JSON.stringify(last);
}

it("tells each place in the line, and does not take the time for the agent's", async (t) => {
  const { prompt } = room(t, {
    limits: { startMs: 1000 },
    // So that the time of the machine to start it is not what is measured.
    async after({ onPlace }) {
      for (const place of [3, 2, 1, "image"] as const) {
        onPlace?.(place);
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
      onPlace?.(0);
    },
  });
  const events = await readTurn(prompt("hello"));
  assert.deepEqual(waitsOf(events), [
    "All sandboxes are in use; 2 are before you.",
    "All sandboxes are in use; 1 is before you.",
    "All sandboxes are in use; yours is next.",
    "The image of the sandbox is being made, which is done once.",
    "Your sandbox is being started.",
  ]);
  assert.deepEqual([textOf(events), events.at(-1)?.type], ["hello", "end"]);
});

it("holds an agent to its time again once it has its place", async (t) => {
  const { prompt } = room(t, {
    fake: { initialize: "hang" },
    limits: { startMs: 300 },
    async before({ onPlace }) {
      onPlace?.(1);
      onPlace?.(0);
    },
  });
  assert.equal(
    failureOf(await readTurn(prompt("hi"))),
    "The agent did not get ready within 300 ms.",
  );
});

/** Waits in line for ever; resolves with how it left. */
function endless() {
  const left = deferred<string>();
  return {
    left: left.promise,
    before: ({ signal, onPlace }: SpawnOptions) =>
      new Promise<void>((_, reject) => {
        onPlace?.(1);
        signal?.addEventListener("abort", () => {
          left.resolve("left");
          reject(signal.reason);
        });
      }),
  };
}

it("leaves the line when nobody waits any more, and when it stops", async (t) => {
  for (const how of ["cancel", "stop", "end"]) {
    const { left, before } = endless();
    const { agent, prompt, started } = room(t, { before });
    const stop = new AbortController();
    const events = await readTurn(prompt("hi", "p-ana", { signal: stop.signal }), (event) => {
      if (event.type !== "waiting") return;
      if (how === "cancel") stop.abort();
      else if (how === "stop") void agent.stop();
      else void agent.end("p-ana", "It was closed.");
    });
    assert.equal(await left, "left");
    const expected = {
      cancel: '{"type":"end","reason":"cancelled"}',
      stop: "The gateway is stopping.",
      end: "It was closed.",
    }[how];
    assert.equal(failureOf(events), expected);
    assert.deepEqual(started, []);
  }
});

it("makes room by the agent that nobody has used for longest, and never by one at work", async (t) => {
  const { agent, prompt, started } = room(t);
  await readTurn(prompt("one", "p-1"));
  await readTurn(prompt("two", "p-2"));
  const stop = new AbortController();
  await readTurn(prompt("hang", "p-3", { signal: stop.signal }), (event) => {
    if (event.type !== "session") return;
    agent.endIdle();
    agent.endIdle();
    agent.endIdle();
    stop.abort();
  });
  for (const key of ["p-1", "p-2", "p-3"]) await readTurn(prompt("again", key));
  assert.deepEqual(started, ["p-1", "p-2", "p-3", "p-1", "p-2"]);
});

it("makes room by whoever becomes idle while somebody waits", async (t) => {
  const gone = deferred<void>();
  const { prompt, log, started } = room(t, {
    async before({ onPlace }, { key }) {
      if (key !== "p-2") return;
      onPlace?.(1);
      await gone.promise;
      onPlace?.(0);
    },
  });
  const stop = new AbortController();
  let second: Promise<AgentEvent[]> | undefined;
  await readTurn(prompt("hang", "p-1", { signal: stop.signal }), (event) => {
    if (event.type !== "session") return;
    second = readTurn(prompt("hello", "p-2"), ({ type }) => {
      if (type === "waiting") stop.abort();
    });
  });
  const until = performance.now() + 10_000;
  while (!log.lines.some((line) => line.includes("made room"))) {
    assert.ok(performance.now() < until, "nobody made room");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  gone.resolve();
  assert.equal(textOf((await second) ?? []), "hello");
  assert.deepEqual(started, ["p-1", "p-2"]);
});

it("starts anew, in the same session, where a sandbox was opened from outside or cannot be looked at", async (t) => {
  const answers: (boolean | Error)[] = [];
  const { prompt, started, log } = room(t, {
    fake: { load: "replay" },
    async intact(key) {
      assert.equal(key, "p-ana");
      const answer = answers.shift() ?? true;
      if (answer instanceof Error) throw answer;
      return answer;
    },
  });
  const first = await readTurn(prompt("one"));
  const session = first.find((event) => event.type === "session")?.id ?? "";
  for (const answer of [true, false, true, new Error("no sight")]) {
    answers.push(answer);
    const events = await readTurn(prompt("more", "p-ana", { session }));
    assert.equal(textOf(events), "more");
    assert.deepEqual(
      events.find((event) => event.type === "session"),
      { type: "session", id: session, resumed: true },
    );
  }
  assert.equal(started.length, 3);
  assert.equal(log.lines.filter((line) => line.includes("opened from outside")).length, 2);
});

it("shows whole what the sandbox says for people, and cuts what anything else says", async (t) => {
  const words = `${"The owner should do this and that. ".repeat(20)}sk-live-4f9a8b7c6d5e4f3a2b1c`;
  const troubles = [new SandboxTrouble(words, { detail: "chown /host/path" }), new Error(words)];
  const { prompt, log } = room(t, {
    async before() {
      const trouble = troubles.shift();
      if (trouble) throw trouble;
    },
  });
  assert.equal(failureOf(await readTurn(prompt("hi"))), words);
  assert.ok(log.lines.some((line) => line.includes("chown /host/path")));
  const cut = failureOf(await readTurn(prompt("hi")));
  assert.match(cut, /^The agent could not be started: The owner should/);
  assert.ok(cut.length < 300);
  assert.equal(textOf(await readTurn(prompt("third"))), "third");
});

it("shows the place in the chat while it waits, and nothing of it in the answer", async (t) => {
  const folder = temporaryFolder(t);
  const sandbox = createLocalSandbox({
    stateDir: folder,
    stateHash: folder,
    log: memoryLog(),
    environment: process.env,
  });
  const free = deferred<void>();
  const { desk, join: pair } = await startSpine(t, {
    agent: {
      async spawn(scope, command, options) {
        options?.onPlace?.(1);
        await free.promise;
        options?.onPlace?.(0);
        return await sandbox.spawn(scope, command);
      },
    },
  });
  await pair("1", "ana");
  await desk.say("1", "hello agent");
  const shown = await desk.until(/⏳ `All sandboxes are in use; yours is next\.`/);
  free.resolve();
  await desk.until(/^hello agent$/);
  assert.equal(shown.text, "hello agent");
  assert.equal(desk.messages().filter(({ text }) => /sandbox/.test(text)).length, 0);
});
