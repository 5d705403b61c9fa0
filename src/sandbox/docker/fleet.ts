// The containers of one gateway: each started on its own ground, known by name, and looked for when in doubt.
import type { AgentCommand, AgentProcess, SandboxScope } from "../../core/sandbox.ts";
import { containerOf, defaultContainerLimits, scopeLabel, stateLabel } from "./container.ts";
import { inWords, isFullDisk, isMissing, isOfDocker } from "./engine.ts";
import { type Ground, inside, prepareGround } from "./ground.ts";
import { createLedger } from "./ledger.ts";
import { createMasks } from "./masks.ts";
import type { DockerSandboxOptions } from "./options.ts";
import { launch } from "./process.ts";

export interface Running {
  readonly scope: SandboxScope;
  readonly ground: Ground;
  readonly agent: AgentProcess;
  /** Settles when its slot is free. */
  readonly gone: Promise<void>;
}

const baseEnv = { PATH: "/usr/local/bin:/usr/bin:/bin", LANG: "C.UTF-8" };

/** What is shown in the chat. */
function explained(error: unknown, { image }: DockerSandboxOptions): Error {
  if (isMissing(error))
    return new Error(
      `The image ${image} is not there. The owner should make it with: sallyport image build --from-host`,
    );
  // What does not come from Docker is in words already.
  if (!isOfDocker(error) && !isFullDisk(error) && error instanceof Error) return error;
  return new Error(inWords(error, "start the sandbox"), { cause: error });
}

function containerFor(
  options: DockerSandboxOptions,
  command: AgentCommand,
  { scope, ground }: Omit<Running, "agent" | "gone">,
) {
  const { image, stateHash, runtime, env, limits } = options;
  return containerOf({
    ...ground,
    image,
    command,
    env: { ...baseEnv, ...env, ...ground.env },
    limits: { ...defaultContainerLimits, ...limits },
    labels: { [stateLabel]: stateHash, [scopeLabel]: scope.key },
    workingDir: inside.workspace,
    runtime,
  });
}

/** Whoever sees it end also finds its folders as they were. */
function untilLeft(agent: AgentProcess, gone: Promise<void>): AgentProcess {
  return {
    ...agent,
    ended: gone.then(() => agent.ended),
    async kill() {
      await agent.kill().finally(() => gone);
    },
  };
}

export function createFleet(options: DockerSandboxOptions) {
  const { docker, log, graceMs = 2000, awayMs = 10_000 } = options;
  const { memoryMB } = { ...defaultContainerLimits, ...options.limits };
  const masks = createMasks(options.stateDir);
  const ledger = createLedger(options, masks);

  async function start(scope: SandboxScope, command: AgentCommand): Promise<Running> {
    const ground = await prepareGround(options, scope, masks);
    const name = ledger.open();
    const container = { name, ...containerFor(options, command, { scope, ground }) };
    const launched = await launch({ docker, container, memoryMB, log, graceMs, awayMs });
    if (!launched.ok) {
      await ledger.close(name, ground, launched.isGone);
      throw launched.error;
    }
    const gone = launched.gone.then((isGone) => ledger.close(name, ground, isGone));
    const agent = untilLeft(launched.agent, gone);
    if (await ground.masks.hold()) return { scope, ground, agent, gone };
    await agent.kill();
    throw new Error("Something changed in the workspace while the sandbox started. Try again.");
  }

  return {
    sweep: ledger.sweep,
    async launch(scope: SandboxScope, command: AgentCommand): Promise<Running> {
      try {
        await docker.ping();
        if (await ledger.settled()) return await start(scope, command);
        throw new Error(
          "An earlier container could not be removed. The owner should look at: docker ps",
        );
      } catch (error) {
        throw explained(error, options);
      }
    },
  };
}
