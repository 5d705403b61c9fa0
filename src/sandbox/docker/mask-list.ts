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

const ofAgents: Readonly<Record<string, readonly Mask[]>> = {
  workspace: [],
  claude: [
    inWorkspace(".claude/settings.json", "{}\n"),
    inWorkspace(".claude/settings.local.json", "{}\n"),
    inHome(".claude/settings.json", "{}\n"),
  ],
  codex: [
    inWorkspace(".codex", null),
    inHome(".codex/config.toml", ""),
    inHome(".codex/rules", null),
  ],
  opencode: [
    inWorkspace("opencode.json", "{}\n"),
    inWorkspace("opencode.jsonc", "{}\n"),
    inWorkspace(".opencode", null),
    inHome(".config/opencode/opencode.json", "{}\n"),
    inHome(".config/opencode/opencode.jsonc", "{}\n"),
    inHome(".config/opencode/config.json", "{}\n"),
    inHome(".config/opencode/plugin", null),
    inHome(".config/opencode/plugins", null),
  ],
  gemini: [
    inWorkspace(".gemini", null),
    inHome(".gemini/settings.json", "{}\n"),
    inHome(".gemini/policies", null),
  ],
};

/** Of an agent we do not know everything is masked that any agent may read. */
export function masksFor(agent: string): readonly Mask[] {
  const own = Object.hasOwn(ofAgents, agent) ? ofAgents[agent] : undefined;
  return [...always, ...(own ?? Object.values(ofAgents).flat())];
}
