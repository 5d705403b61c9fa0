// Gemini CLI.
import { type AgentPart, homeInside, modelKey, modelUrl } from "./preset.ts";

const quiet = { GEMINI_CLI_NO_RELAUNCH: "1", GEMINI_TELEMETRY_ENABLED: "false" };

/** Our masks lie there, which the agent cannot write: settings that go before all others, and rules likewise. */
const enforced = `${homeInside}/.gemini/settings.json`;
const policy = `${homeInside}/.gemini/asks.toml`;

export const gemini: AgentPart = {
  args: ["--acp"],
  env: quiet,
  mode: "default",
  model: { api: "gemini", apis: ["gemini"] },
  inSandbox: ({ modelName, login }) => ({
    args: [
      ...["--acp", "--admin-policy", policy],
      ...(modelName === undefined ? [] : ["--model", modelName]),
    ],
    env: {
      ...quiet,
      GEMINI_CLI_HOME: homeInside,
      GEMINI_CLI_SYSTEM_SETTINGS_PATH: enforced,
      // Else it would start nothing at all in a folder that nobody has confirmed in its own window.
      GEMINI_CLI_TRUST_WORKSPACE: "true",
      ...(login ? {} : { GOOGLE_GEMINI_BASE_URL: modelUrl, GEMINI_API_KEY: modelKey }),
    },
  }),
};
