// The ACP client on real processes of the fake agent in the local sandbox, with everything cleaned up after a test.
import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { createAgent } from "../../src/agent/agent.ts";
import type { AgentLimits } from "../../src/agent/limits.ts";
import { type Preset, presetOfCommand } from "../../src/agent/presets.ts";
import type { Agent, AgentEvent, PromptBlock } from "../../src/core/agent.ts";
import type { Log, LogFields } from "../../src/core/log.ts";
import type { AgentProcess, SandboxScope } from "../../src/core/sandbox.ts";
import { createLocalSandbox } from "../../src/sandbox/local/sandbox.ts";
import type { FakeAgentOptions } from "./acp-agent.ts";

const fakeAgent = fileURLToPath(new URL("./acp-agent.ts", import.meta.url));

export function fakePreset(options: FakeAgentOptions | "echo", more: Partial<Preset> = {}): Preset {
  const preset = presetOfCommand(process.execPath);
  assert.ok(preset);
  const argument = options === "echo" ? options : JSON.stringify(options);
  return { ...preset, args: [fakeAgent, argument], ...more };
}

export function memoryLog(): Log & { readonly lines: string[] } {
  const lines: string[] = [];
  const add = (fields: LogFields, message: string) =>
    void lines.push(`${message} ${JSON.stringify(fields)}`);
  return { lines, debug: add, info: add, warn: add, error: add };
}

export function temporaryFolder(t: TestContext): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "sallyport-test-")));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

interface RigOptions {
  readonly fake?: FakeAgentOptions | "echo";
  readonly preset?: Preset;
  readonly limits?: Partial<AgentLimits>;
}

export interface PromptOptions {
  readonly session?: string | null;
  readonly scope?: string;
  readonly signal?: AbortSignal;
  readonly content?: readonly PromptBlock[];
}

export interface Rig {
  readonly agent: Agent;
  readonly folder: string;
  readonly log: ReturnType<typeof memoryLog>;
  /** Every process that was started, oldest first. */
  readonly processes: AgentProcess[];
  scope(key?: string): SandboxScope;
  prompt(text: string, options?: PromptOptions): AsyncIterable<AgentEvent>;
}

export function agentRig(t: TestContext, options: RigOptions = {}): Rig {
  const ends: (() => Promise<void>)[] = [];
  // Before its folder goes: what still runs would write into it.
  t.after(async () => {
    for (const end of ends) await end();
  });
  const folder = temporaryFolder(t);
  const log = memoryLog();
  const sandbox = createLocalSandbox({
    stateDir: folder,
    stateHash: folder,
    log,
    environment: process.env,
  });
  const processes: AgentProcess[] = [];
  const agent = createAgent({
    preset: options.preset ?? fakePreset(options.fake ?? {}),
    async spawn(scope, command) {
      const started = await sandbox.spawn(scope, command);
      processes.push(started);
      return started;
    },
    inside: sandbox.inside,
    log,
    ...(options.limits === undefined ? {} : { limits: options.limits }),
  });
  ends.push(agent.stop, sandbox.stop);
  const scope = (key = "p-ana"): SandboxScope => ({
    key,
    pairing: null,
    workspace: folder,
    workspaceMode: "rw",
    home: join(folder, "homes", key),
  });
  const prompt = (text: string, more: PromptOptions = {}) =>
    agent.prompt({
      conversation: "c1",
      scope: scope(more.scope),
      session: more.session ?? null,
      content: more.content ?? [{ type: "text", text }],
      signal: more.signal ?? new AbortController().signal,
    });
  return { agent, folder, log, processes, scope, prompt };
}

/** Reads a turn to its end; questions are answered by `answer`, at once. */
export async function readTurn(
  turn: AsyncIterable<AgentEvent>,
  answer: (event: AgentEvent) => void = () => {},
): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of turn) {
    events.push(event);
    answer(event);
  }
  return events;
}

export function textOf(events: readonly AgentEvent[]): string {
  return events.map((event) => (event.type === "text" ? event.text : "")).join("");
}

export function sessionOf(events: readonly AgentEvent[]): { id: string; resumed: boolean } {
  const event = events.find((e) => e.type === "session");
  assert.ok(event?.type === "session");
  return { id: event.id, resumed: event.resumed };
}

/** Allows every question by the option of this id. */
export function choose(optionId: string): (event: AgentEvent) => void {
  return (event) => {
    if (event.type === "permission") event.answer({ optionId });
  };
}
