// The ACP client on the real opencode with a scripted model, in the local sandbox, with all that goes over the wire kept.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { createAgent } from "../../src/agent/agent.ts";
import { type Preset, presetNamed } from "../../src/agent/presets.ts";
import type { AgentEvent } from "../../src/core/agent.ts";
import type { AgentProcess } from "../../src/core/sandbox.ts";
import { createRuns } from "../../src/sandbox/local/runs.ts";
import { createLocalSandbox } from "../../src/sandbox/local/sandbox.ts";
import { memoryLog, type PromptOptions, temporaryFolder } from "./agent-rig.ts";
import { type ModelServer, startModel } from "./model-server.ts";

const agents = process.env.SALLYPORT_AGENTS ?? join(homedir(), ".cache", "sallyport-agents");
const program = join(agents, "opencode", "node_modules", ".bin", "opencode");

/** Why a test of the real opencode cannot run here; false: it can. In CI it always runs, and fails where opencode is missing. */
export const noOpencode: string | false =
  existsSync(program) || process.env.CI
    ? false
    : "opencode is not installed: run scripts/agents.sh";

/** Our own preset, as people get it, but for the model. */
export function opencodePreset(model: ModelServer): Preset {
  const preset = presetNamed("opencode");
  assert.ok(preset);
  const ours: unknown = JSON.parse(preset.env.OPENCODE_CONFIG_CONTENT ?? "{}");
  const fake = {
    npm: "@ai-sdk/openai-compatible",
    options: { baseURL: `${model.url}/v1`, apiKey: "none" },
    models: { one: { tool_call: true, limit: { context: 100_000, output: 8000 } } },
  };
  const more = { model: "fake/one", small_model: "fake/one", provider: { fake } };
  const config = JSON.stringify({ ...(ours as object), ...more });
  const offline = { OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_CONFIG_CONTENT: config };
  return { ...preset, program, env: { ...preset.env, ...offline } };
}

export interface WireMessage {
  readonly from: "us" | "agent";
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly update?: WireUpdate };
}

export interface WireUpdate {
  readonly sessionUpdate: string;
  readonly content?: unknown;
  readonly toolCallId?: string;
  readonly status?: string;
}

/** Copies every line of both directions, in the order in which they pass. */
function tapped(process: AgentProcess, wire: WireMessage[]): AgentProcess {
  const copy = (from: WireMessage["from"]) => {
    const decoder = new TextDecoder();
    let rest = "";
    return new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines)
          if (line.startsWith("{")) wire.push({ ...(JSON.parse(line) as object), from });
        controller.enqueue(chunk);
      },
    });
  };
  const toAgent = copy("us");
  toAgent.readable.pipeTo(process.stdin).catch(() => {});
  return { ...process, stdin: toAgent.writable, stdout: process.stdout.pipeThrough(copy("agent")) };
}

export interface OpencodeRig {
  readonly model: ModelServer;
  readonly workspace: string;
  /** What went over the wire, of each process that was started. */
  readonly wires: readonly WireMessage[][];
  prompt(text: string, options?: PromptOptions): AsyncIterable<AgentEvent>;
  /** SIGKILL to the agent's whole process group; returns its number. */
  kill(): number;
}

export async function opencodeRig(t: TestContext): Promise<OpencodeRig> {
  assert.ok(existsSync(program), `opencode is missing at ${program}: run scripts/agents.sh`);
  const ends: (() => Promise<void>)[] = [];
  // Before its folders go: what still runs would write into them.
  t.after(async () => {
    for (const end of ends) await end();
  });
  const folder = temporaryFolder(t);
  const model = await startModel(t);
  const log = memoryLog();
  const state = { stateDir: folder, stateHash: folder };
  const sandbox = createLocalSandbox({ ...state, log, environment: process.env });
  const wires: WireMessage[][] = [];
  const agent = createAgent({
    preset: opencodePreset(model),
    async spawn(scope, command) {
      const wire: WireMessage[] = [];
      wires.push(wire);
      return tapped(await sandbox.spawn(scope, command), wire);
    },
    inside: sandbox.inside,
    log,
  });
  ends.push(agent.stop, sandbox.stop);
  const workspace = temporaryFolder(t);
  const home = join(folder, "home");
  const scope = { key: "p-ana", pairing: null, workspace, workspaceMode: "rw", home } as const;
  return {
    model,
    workspace,
    wires,
    prompt: (text, { session = null, signal = new AbortController().signal } = {}) => {
      const content = [{ type: "text", text }] as const;
      return agent.prompt({ conversation: "c1", scope, session, content, signal });
    },
    kill() {
      const [run, ...more] = createRuns(folder).list();
      assert.ok(run !== undefined && more.length === 0, "one agent runs");
      process.kill(-run.group, "SIGKILL");
      return run.group;
    },
  };
}
