// The agents we know: how each is started, which of its modes asks before it changes things, and how one gets it.
import { fileURLToPath } from "node:url";
import { shellWords } from "./shell-words.ts";

export interface Preset {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The session mode that asks; null: the agent asks by itself or by `env`. */
  readonly mode: string | null;
  readonly asks: boolean;
  /** What to do when the program is not there. */
  readonly install: string;
  /** A prompt after which an agent that asks must ask: it changes the (empty) workspace. */
  readonly probe: string;
}

const probeForModels =
  "Create a file named sallyport-probe.txt in the current folder with the one word probe in it, using your tools. Do nothing else.";

// This file is presets.ts in a checkout and presets.js in the published package; the agent's main is beside it either way.
function workspaceMain(): string {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  return fileURLToPath(new URL(`./workspace/main.${extension}`, import.meta.url));
}

function workspace(): Preset {
  return {
    name: "workspace",
    program: process.execPath,
    args: [workspaceMain()],
    env: {},
    mode: null,
    asks: true,
    install: "It comes with Sallyport: reinstall Sallyport.",
    probe: "write sallyport-probe.txt\nprobe",
  };
}

const opencodeAsks = { edit: "ask", bash: "ask", webfetch: "ask" };

const known: Readonly<Record<string, Omit<Preset, "name" | "asks" | "probe">>> = {
  claude: {
    program: "claude-agent-acp",
    args: [],
    env: { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_AUTOUPDATER: "1" },
    mode: "default",
    install: "Install it with: npm install -g @agentclientprotocol/claude-agent-acp",
  },
  codex: {
    program: "codex-acp",
    args: [],
    env: {},
    mode: "read-only",
    install: "Install it with: npm install -g @agentclientprotocol/codex-acp",
  },
  opencode: {
    program: "opencode",
    args: ["acp"],
    env: {
      // Its own default allows everything without a question. The agent that runs is pinned as well: what a
      // configuration says of one agent goes before what ours says of all.
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        share: "disabled",
        autoupdate: false,
        permission: opencodeAsks,
        default_agent: "build",
        agent: { build: { permission: opencodeAsks } },
      }),
      // A project's own configuration could lift the asking, and its plugins and MCP servers would run at the start, unasked.
      OPENCODE_DISABLE_PROJECT_CONFIG: "1",
      OPENCODE_PURE: "1",
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    },
    mode: null,
    install: "Install it with: npm install -g opencode-ai",
  },
  gemini: {
    program: "gemini",
    args: ["--acp"],
    env: { GEMINI_CLI_NO_RELAUNCH: "1" },
    mode: "default",
    install: "Install it with: npm install -g @google/gemini-cli",
  },
};

export const presetNames: readonly string[] = ["workspace", ...Object.keys(known)];

/** undefined: there is no preset of that name. */
export function presetNamed(name: string): Preset | undefined {
  if (name === "workspace") return workspace();
  const preset = Object.hasOwn(known, name) ? known[name] : undefined;
  return preset && { ...preset, name, asks: true, probe: probeForModels };
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
