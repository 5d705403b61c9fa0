// Log-ins of agents by their own programs: how each is done, what it leaves in a home, and where it lies.
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { KnownAgentName } from "../core/known-agents.ts";
import type { AgentCommand } from "../core/sandbox.ts";

export interface Login {
  /** Inside a container: nothing there can open a browser, or be reached by one. */
  readonly command: AgentCommand;
  /** What a person does where agents run as they themselves. */
  readonly own: string;
  /** What a log-in leaves, by path in the home. */
  readonly files: readonly string[];
  /** Where it is used: hosts that the agent has to reach then. */
  readonly hosts: readonly string[];
}

const quietClaude = { DISABLE_AUTOUPDATER: "1", CLAUDE_CONFIG_DIR: "/home/agent/.claude" };

export const logins: Readonly<Record<KnownAgentName, Login>> = {
  claude: {
    command: { program: "claude", args: ["auth", "login"], env: quietClaude },
    own: "claude auth login",
    files: [".claude/.credentials.json"],
    hosts: ["api.anthropic.com", "platform.claude.com"],
  },
  codex: {
    command: { program: "codex", args: ["login", "--device-auth"], env: {} },
    own: "codex login",
    files: [".codex/auth.json"],
    hosts: ["chatgpt.com", "auth.openai.com"],
  },
  gemini: {
    command: {
      program: "gemini",
      args: [],
      env: { NO_BROWSER: "true", GEMINI_CLI_NO_RELAUNCH: "1" },
    },
    own: "gemini",
    files: [".gemini/oauth_creds.json", ".gemini/gemini-credentials.json"],
    hosts: ["oauth2.googleapis.com", "cloudcode-pa.googleapis.com"],
  },
  opencode: {
    command: {
      program: "opencode",
      args: ["auth", "login"],
      env: { OPENCODE_DISABLE_AUTOUPDATE: "1" },
    },
    own: "opencode auth login",
    files: [".local/share/opencode/auth.json"],
    hosts: [],
  },
};

/** Which of the files of an agent's log-in lie in a home; links count as what they are, and are not followed. */
export async function loginIn(home: string, agent: KnownAgentName): Promise<readonly string[]> {
  const found: string[] = [];
  for (const file of logins[agent].files)
    if (await lstat(join(home, file)).catch(() => undefined)) found.push(file);
  return found;
}
