// How the agent is started in a sandbox where nothing of this machine is: with its model, or with a log-in of its own.
import { inSandbox, type Preset } from "../agent/presets.ts";
import type { Config } from "../config/config.ts";
import { isKnownAgent } from "../core/known-agents.ts";
import { type AgentCommand, isOfStrangers, type SandboxScope } from "../core/sandbox.ts";
import { loginIn, logins } from "../sandbox/logins.ts";
import { apiOf, modelOf } from "./egress.ts";
import type { Live } from "./wiring.ts";

export interface StartedParts {
  readonly config: Config;
  readonly live: Live;
  readonly preset: Preset;
}

export interface Started {
  /** With what the agent is told at the opening of each session. */
  readonly preset: Preset;
  command(scope: SandboxScope): Promise<AgentCommand>;
  /** Hosts that the log-in of the agent that runs there needs; none where it has a key of ours. */
  hostsOf(scope: SandboxScope): readonly string[];
}

export function createStarted(parts: StartedParts): Started {
  const { config, live, preset } = parts;
  const { name } = preset;
  const known = isKnownAgent(name) ? name : undefined;
  const loggedIn = new Set<string>();

  /** A key that the owner has set goes before it: what it costs is then counted. */
  const usesLogin = async (scope: SandboxScope) =>
    known !== undefined &&
    !isOfStrangers(scope) &&
    modelOf(parts)?.key === undefined &&
    (await loginIn(scope.home, known)).length > 0;

  const { sessionMeta } = inSandbox(preset);
  return {
    preset: { ...preset, ...(sessionMeta === undefined ? {} : { sessionMeta }) },
    async command(scope) {
      const login = await usesLogin(scope);
      if (login) loggedIn.add(scope.key);
      else loggedIn.delete(scope.key);
      const { model } = live.settings;
      const api = apiOf(preset, model.api);
      const started = inSandbox(preset, { modelName: model.name, api, login });
      // The operator's variables are there, and ours go before them.
      const env = config.sandbox.is === "docker" ? config.sandbox.env : {};
      return { ...started, env: { ...env, ...started.env } };
    },
    hostsOf: (scope) => (known !== undefined && loggedIn.has(scope.key) ? logins[known].hosts : []),
  };
}
