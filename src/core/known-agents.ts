// The real agents we know: where each comes from, and the version that our tests are held against.

export interface KnownAgent {
  /** On npm. */
  readonly package: string;
  readonly version: string;
  /** The program of that package that speaks ACP. */
  readonly program: string;
}

export const knownAgents = {
  claude: {
    package: "@agentclientprotocol/claude-agent-acp",
    version: "0.101.0",
    program: "claude-agent-acp",
  },
  codex: { package: "@agentclientprotocol/codex-acp", version: "2.6.0", program: "codex-acp" },
  opencode: { package: "opencode-ai", version: "1.18.33", program: "opencode" },
  gemini: { package: "@google/gemini-cli", version: "0.61.0", program: "gemini" },
} as const satisfies Readonly<Record<string, KnownAgent>>;

export type KnownAgentName = keyof typeof knownAgents;

export function isKnownAgent(name: string): name is KnownAgentName {
  return Object.hasOwn(knownAgents, name);
}

/** What a person types to get it. */
export function installLine(name: KnownAgentName): string {
  const { package: from, version } = knownAgents[name];
  return `npm install -g ${from}@${version}`;
}
