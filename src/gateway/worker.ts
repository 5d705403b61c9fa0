// The agent that works and the sandbox it runs in, as the config says.
import { createAgent, type RunningAgent } from "../agent/agent.ts";
import { type Preset, presetNamed, presetNames, presetOfCommand } from "../agent/presets.ts";
import type { Config } from "../config/config.ts";
import type { Agent } from "../core/agent.ts";
import type { Sandbox } from "../core/sandbox.ts";
import { hasAsked, markAsked } from "../store/meta.ts";
import type { Store } from "../store/store.ts";
import type { Meter } from "../turns/usage.ts";
import { type Beside, openBeside } from "./beside.ts";
import { openSandbox } from "./sandbox.ts";
import { createStarted, type Started } from "./started.ts";
import type { Live } from "./wiring.ts";

export interface Worker {
  readonly agent: Agent;
  readonly sandbox: Sandbox;
  agentAsked(): void;
}

export interface WorkerParts {
  readonly config: Config;
  readonly live: Live;
  readonly preset: Preset;
  readonly store: Store;
  readonly meter: () => Meter;
}

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

/** Or what is wrong with the choice. */
export async function createWorker(parts: WorkerParts): Promise<Worker | string> {
  const { config, preset, store } = parts;
  const { log } = config;
  const late: { agent?: RunningAgent; sandbox?: Sandbox } = {};
  const running = () => {
    if (!late.agent) throw new Error("The agent was needed before it was there.");
    return late.agent;
  };
  const started = createStarted(parts);
  const { hostsOf } = started;
  const sandboxThen = () => late.sandbox;
  const beside = await openBeside({ ...parts, agent: running, sandbox: sandboxThen, hostsOf });
  const makeRoom = () => running().endIdle();
  const opened = await openSandbox({ config, preset, ...beside, makeRoom });
  if (typeof opened === "string") return opened;
  const sandbox: Sandbox = {
    ...opened,
    async stop() {
      await opened.stop();
      await beside.close?.();
    },
  };
  late.sandbox = sandbox;
  late.agent = createAgent({
    preset: sandbox.isolates ? started.preset : preset,
    ...agentPorts(sandbox, { beside, started }),
    log,
  });
  const command = [preset.program, ...preset.args].join(" ");
  const known = { asks: preset.asks || (await store.run(() => hasAsked(command))) };
  const agent: Agent = {
    ...late.agent,
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

function agentPorts(
  { isolates, inside, intact, ...sandbox }: Sandbox,
  { beside, started }: { beside: Beside; started: Started },
) {
  const spawn: Sandbox["spawn"] = async (scope, command, options) =>
    sandbox.spawn(scope, isolates ? await started.command(scope) : command, options);
  const { toolsFor } = beside;
  return { spawn, inside, ...(intact ? { intact } : {}), ...(toolsFor ? { toolsFor } : {}) };
}
