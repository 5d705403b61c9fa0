// What is covered up in workspace and home: files by which an agent could approve itself, or a project start programs.

export interface Mask {
  readonly root: "workspace" | "home";
  /** Relative to the root; its parents are pinned, so that no rename lifts it. */
  readonly path: string;
  /** What is seen there instead, read-only; null: an empty folder. */
  readonly content: string | null;
}

const inWorkspace = (path: string, content: string | null): Mask => ({
  root: "workspace",
  path,
  content,
});
const inHome = (path: string, content: string | null): Mask => ({ root: "home", path, content });

const always: readonly Mask[] = [
  inWorkspace(".sallyport", null),
  inWorkspace(".mcp.json", '{ "mcpServers": {} }\n'),
];

/** Read by every shell that is started as people start theirs: it would run along with what was allowed. */
const shellFiles: readonly Mask[] = [
  ...[".bashrc", ".bash_profile", ".bash_login", ".profile", ".zshrc", ".zshenv", ".zprofile"],
].map((path) => inHome(path, ""));

/** Gemini CLI is told by its preset that these two go before all that it finds elsewhere. */
const geminiSettings = {
  general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
  security: { disableYoloMode: true, enablePermanentToolApproval: false, blockGitExtensions: true },
  admin: { extensions: { enabled: false } },
  hooksConfig: { enabled: false },
  mcp: { allowed: ["sallyport"] },
  advanced: { ignoreLocalEnv: true },
};
const geminiAsks = `[[rule]]
toolName = ["run_shell_command", "write_file", "replace", "web_fetch", "activate_skill", "discovered_tool_*"]
decision = "ask_user"
priority = 999
`;

/** It must be able to write to the folder itself. */
function opencodeFolder(folder: string): readonly Mask[] {
  const kinds = ["agent", "command", "mode", "plugin", "tool"];
  return [
    ...["opencode.json", "opencode.jsonc"].map((name) => inHome(`${folder}/${name}`, "{}\n")),
    ...kinds.flatMap((kind) => [kind, `${kind}s`]).map((name) => inHome(`${folder}/${name}`, null)),
  ];
}

const ofAgents: Readonly<Record<string, readonly Mask[]>> = {
  workspace: [],
  claude: [
    ...shellFiles,
    inWorkspace(".claude/settings.json", "{}\n"),
    inWorkspace(".claude/settings.local.json", "{}\n"),
    inHome(".claude/settings.json", "{}\n"),
    inHome(".claude/settings.local.json", "{}\n"),
    inHome(".claude/remote-settings.json", "{}\n"),
  ],
  codex: [
    ...shellFiles,
    inWorkspace(".codex", null),
    ...[".env", "managed_config.toml"].map((name) => inHome(`.codex/${name}`, "")),
    // It fetches a list of plugins at its start, before it is told anything else.
    inHome(".codex/config.toml", "[features]\nplugins = false\n"),
    inHome(".codex/hooks.json", "{}\n"),
    inHome(".codex/rules", null),
    inHome(".codex/plugins", null),
  ],
  opencode: [
    ...shellFiles,
    inWorkspace("opencode.json", "{}\n"),
    inWorkspace("opencode.jsonc", "{}\n"),
    inWorkspace(".opencode", null),
    ...opencodeFolder(".config/opencode"),
    inHome(".config/opencode/config.json", "{}\n"),
    ...opencodeFolder(".opencode"),
  ],
  gemini: [
    ...shellFiles,
    inWorkspace(".gemini", null),
    inHome(".env", ""),
    inHome(".gemini/.env", ""),
    inHome(".gemini/settings.json", `${JSON.stringify(geminiSettings, null, 2)}\n`),
    inHome(".gemini/asks.toml", geminiAsks),
    inHome(".gemini/policies", null),
    inHome(".gemini/extensions", null),
    inHome(".gemini/agents", null),
  ],
};

/** Of an agent we do not know everything is masked that any agent may read. */
export function masksFor(agent: string): readonly Mask[] {
  const own = Object.hasOwn(ofAgents, agent) ? ofAgents[agent] : undefined;
  return [...always, ...(own ?? new Set(Object.values(ofAgents).flat()))];
}
