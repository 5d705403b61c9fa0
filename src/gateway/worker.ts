// The agent that works and the sandbox it runs in, as the config says.
import { createAgent } from "../agent/agent.ts";
import { type Preset, presetNamed, presetNames, presetOfCommand } from "../agent/presets.ts";
import type { Config } from "../config/config.ts";
import type { Agent } from "../core/agent.ts";
import { createLocalSandbox } from "../sandbox/local/sandbox.ts";
import { hasAsked, markAsked } from "../store/meta.ts";
import type { Store } from "../store/store.ts";

/** Or what is wrong with the choice. */
export function presetOf({ agent }: Config): Preset | string {
  if (agent.is === "command")
    return (
      presetOfCommand(agent.line) ??
      "The command line of the agent cannot be read: check its quotes. Set it with: sallyport config set command 'PROGRAM ARGS'"
    );
  return (
    presetNamed(agent.name) ??
    `There is no agent ${JSON.stringify(agent.name)}. Known ones: ${presetNames.join(", ")}. Choose one with: sallyport config set agent NAME. Any other: --command "PROGRAM ARGS"`
  );
}

export async function createWorker(config: Config, preset: Preset, store: Store) {
  const { paths, log, environment } = config;
  const sandbox = createLocalSandbox({
    stateDir: paths.dir,
    stateHash: paths.hash,
    log,
    environment: environment.variables,
  });
  const worker = createAgent({ preset, spawn: sandbox.spawn, inside: sandbox.inside, log });
  const command = [preset.program, ...preset.args].join(" ");
  const known = { asks: preset.asks || (await store.run(() => hasAsked(command))) };
  const agent: Agent = {
    ...worker,
    get asks() {
      return known.asks;
    },
  };
  const agentAsked = () => {
    if (known.asks) return;
    known.asks = true;
    store
      .run(() => markAsked(command))
      .catch((error) => log.error({ error }, "Could not note that the agent asks"));
  };
  return { agent, sandbox, agentAsked };
}
