// Claude Code, by its ACP adapter.
import { type AgentPart, homeInside, modelKey, modelUrl, toolServerName } from "./preset.ts";

const quiet = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: "false",
  // Work that would start by itself, with nobody there to ask.
  CLAUDE_CODE_DISABLE_CRON: "1",
  CLAUDE_CODE_DISABLE_AGENT_VIEW: "1",
  DISABLE_AUTOUPDATER: "1",
  DISABLE_TELEMETRY: "1",
  DISABLE_ERROR_REPORTING: "1",
};

/** What goes before all that lies in project and home: rules, hooks, servers and plugins of theirs count for nothing. */
const policy = {
  permissions: {
    disableBypassPermissionsMode: "disable",
    disableAutoMode: "disable",
    allow: [`mcp__${toolServerName}`],
  },
  allowManagedPermissionRulesOnly: true,
  allowManagedHooksOnly: true,
  allowManagedMcpServersOnly: true,
  allowedMcpServers: [{ serverName: toolServerName }],
  strictKnownMarketplaces: [],
  strictPluginOnlyCustomization: ["hooks", "mcp", "agents"],
  disableSkillShellExecution: true,
  disableRemoteControl: true,
};

const options = {
  managedSettings: policy,
  // Not all of it may come from a policy.
  settings: { disableSkillShellExecution: true, disableAllHooks: true },
  strictMcpConfig: true,
  allowDangerouslySkipPermissions: false,
};

export const claude: AgentPart = {
  args: [],
  env: quiet,
  mode: "default",
  model: { api: "anthropic", apis: ["anthropic"] },
  inSandbox: ({ modelName, login }) => ({
    args: [],
    env: {
      ...quiet,
      ...(login ? {} : { ANTHROPIC_BASE_URL: modelUrl, ANTHROPIC_API_KEY: modelKey }),
      CLAUDE_CONFIG_DIR: `${homeInside}/.claude`,
      ...(modelName === undefined
        ? {}
        : { ANTHROPIC_MODEL: modelName, ANTHROPIC_DEFAULT_HAIKU_MODEL: modelName }),
    },
    sessionMeta: { claudeCode: { options } },
  }),
};
