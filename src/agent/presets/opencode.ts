// opencode, which speaks to the models of many makers.
import type { ToolCall, ToolKind } from "../../core/agent.ts";
import type { ModelApi } from "../../core/egress.ts";
import { type AgentPart, type ModelWish, modelKey, modelUrl, toolServerName } from "./preset.ts";

/** What a task of its own asks never reaches us: it would wait for an answer for ever. */
const asks = { edit: "ask", bash: "ask", webfetch: "ask", task: "deny" };

/** In a sandbox of ours what is not known to be harmless asks too; the later rule counts. */
const strict = {
  "*": "ask",
  read: { "*": "allow", "*.env": "ask", "*.env.*": "ask", "*.env.example": "allow" },
  glob: "allow",
  grep: "allow",
  list: "allow",
  todowrite: "allow",
  todoread: "allow",
  skill: "allow",
  // All that there is inside; what changes something there asks by itself, and once is enough.
  external_directory: "allow",
  [`${toolServerName}_*`]: "allow",
  ...asks,
};

const ours = {
  share: "disabled",
  autoupdate: false,
  // Its own default allows everything without a question. The agent that runs is pinned as well: what a
  // configuration says of one agent goes before what ours says of all.
  permission: asks,
  default_agent: "build",
  agent: { build: { permission: asks } },
};

const sandboxed = { ...ours, permission: strict, agent: { build: { permission: strict } } };

const quiet = {
  // A project's own configuration could lift the asking, and its plugins and MCP servers would run at the start, unasked.
  OPENCODE_DISABLE_PROJECT_CONFIG: "1",
  OPENCODE_PURE: "1",
  OPENCODE_DISABLE_AUTOUPDATE: "1",
  OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
};

/** All three are in its program: nothing is fetched. */
const packages: Readonly<Record<ModelApi, { readonly npm: string; readonly path: string }>> = {
  anthropic: { npm: "@ai-sdk/anthropic", path: "/v1" },
  openai: { npm: "@ai-sdk/openai-compatible", path: "/v1" },
  gemini: { npm: "@ai-sdk/google", path: "/v1beta" },
};

const usualModels: Readonly<Record<ModelApi, string>> = {
  anthropic: "claude-sonnet-5",
  openai: "gpt-5.5",
  gemini: "gemini-3.5-flash",
};

function modelConfig({ modelName, api = "anthropic", login }: ModelWish) {
  if (login) return modelName === undefined ? {} : { model: modelName };
  const { npm, path } = packages[api];
  const name = modelName ?? usualModels[api];
  const model = { tool_call: true, limit: { context: 128_000, output: 8192 } };
  return {
    model: `sallyport/${name}`,
    small_model: `sallyport/${name}`,
    enabled_providers: ["sallyport"],
    provider: {
      sallyport: {
        npm,
        options: { baseURL: `${modelUrl}${path}`, apiKey: modelKey },
        models: { [name]: model },
      },
    },
  };
}

/** Of what our rules let it do unasked. Its own tasks are "think". */
const free: ReadonlySet<ToolKind> = new Set(["read", "search", "other"]);

/**
 * Its sessions keep rules of their own in the home, which go before ours and which a command that was once allowed can
 * write. And it never asks about a line without a command in it, such as `> file`; only `cd` is harmless there.
 */
function mustAsk({ kind, command }: ToolCall): boolean {
  return !free.has(kind) && !/^cd [\w./-]+$/.test(command ?? "");
}

export const opencode: AgentPart = {
  args: ["acp"],
  mustAsk,
  env: { ...quiet, OPENCODE_CONFIG_CONTENT: JSON.stringify(ours) },
  mode: null,
  model: { api: "anthropic", apis: ["anthropic", "openai", "gemini"] },
  inSandbox: (wish) => ({
    args: ["acp"],
    env: {
      ...quiet,
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      // Goes before every configuration there is.
      OPENCODE_PERMISSION: JSON.stringify(strict),
      OPENCODE_CONFIG_CONTENT: JSON.stringify({ ...sandboxed, ...modelConfig(wish) }),
      // A log-in may name a place that a configuration is fetched from.
      ...(wish.login ? {} : { OPENCODE_AUTH_CONTENT: "{}" }),
    },
  }),
};
