// The agents we know: how each is started, which of its modes asks before it changes things, and how one gets it.
import {
  installLine,
  isKnownAgent,
  type KnownAgentName,
  knownAgents,
} from "../core/known-agents.ts";
import { claude } from "./presets/claude.ts";
import { codex } from "./presets/codex.ts";
import { gemini } from "./presets/gemini.ts";
import { opencode } from "./presets/opencode.ts";
import type { AgentPart, ModelWish, Preset, Sandboxed } from "./presets/preset.ts";
import { workspace, workspaceInSandbox } from "./presets/workspace.ts";
import { shellWords } from "./shell-words.ts";

export type { ModelWish, Preset } from "./presets/preset.ts";

const probeForModels =
  "Create a file named sallyport-probe.txt in the current folder with the one word probe in it, using your tools. Do nothing else.";

const parts: Readonly<Record<KnownAgentName, AgentPart>> = { claude, codex, opencode, gemini };

export const presetNames: readonly string[] = ["workspace", ...Object.keys(parts)];

/** undefined: there is no preset of that name. */
export function presetNamed(name: string): Preset | undefined {
  if (name === "workspace") return workspace();
  if (!isKnownAgent(name)) return undefined;
  const { inSandbox: _, ...part } = parts[name];
  return {
    ...knownAgents[name],
    ...part,
    name,
    asks: true,
    install: `Install it with: ${installLine(name)}`,
    probe: probeForModels,
  };
}

/**
 * How it is started in a sandbox that isolates: nothing of the user is there, and its model is at the placeholders of
 * preset.ts. A wish for an API that the agent does not speak is passed over: see `preset.model.apis`.
 */
export function inSandbox(preset: Preset, wish: ModelWish = {}): Sandboxed {
  if (preset.name === "workspace") return workspaceInSandbox();
  const { name, program, args, env } = preset;
  if (!isKnownAgent(name)) return { program, args, env };
  const { model, inSandbox: started } = parts[name];
  const { api } = wish;
  const spoken = api !== undefined && model.apis.includes(api) ? api : model.api;
  return { program, ...started({ ...wish, api: spoken }) };
}

/** Any program that speaks ACP. Whether it asks is not known until it is tried. Null: the command line cannot be read. */
export function presetOfCommand(command: string): Preset | null {
  const [program, ...args] = shellWords(command) ?? [];
  if (program === undefined) return null;
  return {
    name: "command",
    program,
    args,
    env: {},
    mode: null,
    asks: false,
    install: "Check the command and its path.",
    probe: probeForModels,
  };
}
