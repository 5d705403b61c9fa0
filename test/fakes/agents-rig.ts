// The real agents under our presets with a scripted model: in the local sandbox, or each in a container of its own.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { createAgent } from "../../src/agent/agent.ts";
import { homeInside, modelKey, modelUrl } from "../../src/agent/presets/preset.ts";
import { inSandbox, type ModelWish, type Preset, presetNamed } from "../../src/agent/presets.ts";
import type { AgentEvent } from "../../src/core/agent.ts";
import { type KnownAgentName, knownAgents } from "../../src/core/known-agents.ts";
import type { SandboxScope } from "../../src/core/sandbox.ts";
import { masksFor } from "../../src/sandbox/docker/mask-list.ts";
import { createLocalSandbox } from "../../src/sandbox/local/sandbox.ts";
import { memoryLog, temporaryFolder } from "./agent-rig.ts";
import { type ApiStep, type ModelApiServer, startModelApi } from "./model-api.ts";

export const agentsFolder =
  process.env.SALLYPORT_AGENTS ?? join(homedir(), ".cache", "sallyport-agents");

export function programOf(name: KnownAgentName): string {
  return join(agentsFolder, name, "node_modules", ".bin", knownAgents[name].program);
}

/** Why a test of this agent cannot run here; false: it can. In CI it always runs, and fails where the agent is missing. */
export function without(name: KnownAgentName): string | false {
  return existsSync(programOf(name)) || process.env.CI
    ? false
    : `${name} is not installed: run scripts/agents.sh`;
}

/** What each agent's model says to have a command run. */
export const commandStep: Readonly<Record<KnownAgentName, (command: string) => ApiStep>> = {
  claude: (command) => ({ tool: "Bash", input: { command, description: "Run it" } }),
  codex: (command) => ({
    tool: "exec_command",
    input: { cmd: command, sandbox_permissions: "require_escalated", justification: "May I?" },
  }),
  opencode: (command) => ({ tool: "bash", input: { command, description: "Run it" } }),
  gemini: (command) => ({ tool: "run_shell_command", input: { command } }),
};

type OwnTool = "send_file" | "ask_user" | "ask_person" | "list_tasks";

/** Before the name of each of our tools, among those that the agent's model is told of. */
const ownTools: Readonly<Record<KnownAgentName, string>> = {
  claude: "mcp__sallyport__",
  codex: "mcp__sallyport__",
  opencode: "sallyport_",
  gemini: "mcp_sallyport_",
};

/** What its model says to have a tool of ours called. */
export function ownToolStep(name: KnownAgentName) {
  return (tool: OwnTool, input: Readonly<Record<string, unknown>>): ApiStep => ({
    tool: `${ownTools[name]}${tool}`,
    input,
  });
}

export const fakeModelName = "fake-model";
export const realKey = "sk-real-key-of-the-operator";

/** Allows or refuses every question by the first option of that kind. */
export function decide(kind: "allow_once" | "reject_once", seen?: (event: AgentEvent) => void) {
  return (event: AgentEvent) => {
    if (event.type !== "permission") return;
    seen?.(event);
    const option = event.options.find((o) => o.kind === kind);
    event.answer(option === undefined ? "cancelled" : { optionId: option.id });
  };
}

export function permissionsIn(events: readonly AgentEvent[]) {
  return events.flatMap((event) => (event.type === "permission" ? [event] : []));
}

export interface AgentsRig {
  readonly model: ModelApiServer;
  readonly workspace: string;
  readonly home: string;
  readonly log: ReturnType<typeof memoryLog>;
  prompt(text: string, session?: string | null): AsyncIterable<AgentEvent>;
  /** Ends its process; the next prompt starts another. */
  end(): Promise<void>;
}

/** What in a container covers up parts of the home, for a preset that counts on it. */
function writeMasks(name: KnownAgentName, home: string): void {
  for (const { root, path, content } of masksFor(name)) {
    if (root !== "home" || content === null) continue;
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), content);
  }
}

/** Our own preset as it is in a sandbox that isolates, with the model and the home of this test. */
function filledPreset(
  name: KnownAgentName,
  wish: ModelWish,
  places: Record<string, string>,
): Preset {
  const preset = presetNamed(name);
  assert.ok(preset);
  const filled = Object.entries(places).reduce(
    (text, [from, to]) => text.replaceAll(from, to),
    JSON.stringify(inSandbox(preset, wish)),
  );
  return { ...preset, ...(JSON.parse(filled) as object), program: programOf(name) };
}

export async function localAgent(
  t: TestContext,
  name: KnownAgentName,
  wish: ModelWish = { modelName: fakeModelName },
): Promise<AgentsRig> {
  assert.equal(existsSync(programOf(name)), true, `${name} is missing: run scripts/agents.sh`);
  const ends: (() => Promise<void>)[] = [];
  // Before its folders go: what still runs would write into them.
  t.after(async () => {
    for (const end of ends) await end();
  });
  const folder = temporaryFolder(t);
  const workspace = temporaryFolder(t);
  const home = join(folder, "home");
  writeMasks(name, home);
  const model = await startModelApi(t);
  const log = memoryLog();
  const state = { stateDir: folder, stateHash: folder };
  const sandbox = createLocalSandbox({ ...state, log, environment: process.env });
  const places = { [modelUrl]: model.url, [modelKey]: realKey, [homeInside]: home };
  const agent = createAgent({
    preset: filledPreset(name, wish, places),
    spawn: sandbox.spawn,
    inside: sandbox.inside,
    log,
  });
  ends.push(agent.stop, sandbox.stop);
  const scope: SandboxScope = { key: "p-ana", pairing: null, workspace, workspaceMode: "rw", home };
  return {
    model,
    workspace,
    home,
    log,
    prompt: (text, session = null) =>
      agent.prompt({
        conversation: "c1",
        scope,
        session,
        content: [{ type: "text", text }],
        signal: new AbortController().signal,
      }),
    end: () => agent.end(scope.key),
  };
}
