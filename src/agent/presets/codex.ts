// Codex, by its ACP adapter, which takes its configuration as JSON.
import type { ToolCall } from "../../core/agent.ts";
import { isFields } from "../tool-call.ts";
import { type AgentPart, modelKey, modelUrl, toolNames, toolServerName } from "./preset.ts";

const provider = {
  name: "Sallyport",
  base_url: `${modelUrl}/v1`,
  env_key: "OPENAI_API_KEY",
  wire_api: "responses",
};

/** Its own sandbox needs namespaces, which a container of ours does not have: without asking, every command fails. */
const howToWork =
  'Commands have no sandbox of their own here. Run each one, and each patch, with sandbox_permissions "require_escalated" and a short justification: a person is asked before it runs.';

const asks = {
  approval_policy: "on-request",
  sandbox_mode: "read-only",
  // What lies in the home would run with every command that is allowed.
  allow_login_shell: false,
  // Agents of its own could ask where nobody hears it.
  features: { shell_snapshot: false, hooks: false, plugins: false, multi_agent: false },
  check_for_update_on_startup: false,
  analytics: { enabled: false },
  feedback: { enabled: false },
  developer_instructions: howToWork,
};

const ownTitles: ReadonlySet<string> = new Set(
  toolNames.map((name) => `mcp.${toolServerName}.${name}`),
);

/** All of it is the agent's claim, as with every call; what it does not say as always is asked about. */
function isOwnTool({ title, kind, input, command, url, diffs }: ToolCall): boolean {
  if (kind !== "execute" || command !== undefined || url !== undefined || diffs.length > 0)
    return false;
  return serverIn(input) === toolServerName && ownTitles.has(title);
}

function serverIn(input: string | undefined): unknown {
  try {
    const said: unknown = JSON.parse(input ?? "");
    return isFields(said) ? said.server : undefined;
  } catch {
    // Cut, as it is too long.
    return undefined;
  }
}

export const codex: AgentPart = {
  args: [],
  env: {},
  mode: "read-only",
  isOwnTool,
  model: { api: "openai", apis: ["openai"] },
  inSandbox({ modelName, login }) {
    const model = modelName === undefined ? {} : { model: modelName };
    const config = { ...model, ...asks };
    const quiet = { NO_BROWSER: "1", INITIAL_AGENT_MODE: "read-only" };
    if (login) return { args: [], env: { ...quiet, CODEX_CONFIG: JSON.stringify(config) } };
    const ours = { ...config, model_providers: { sallyport: provider } };
    return {
      args: [],
      env: {
        ...quiet,
        OPENAI_API_KEY: modelKey,
        MODEL_PROVIDER: "sallyport",
        CODEX_CONFIG: JSON.stringify(ours),
      },
    };
  },
};
