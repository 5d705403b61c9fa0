// The containers of one gateway: each started on its own ground, known by name, and looked for when in doubt.
import {
  type AgentCommand,
  type AgentProcess,
  type SandboxScope,
  SandboxTrouble,
  type SpawnOptions,
} from "../../core/sandbox.ts";
import { containerOf, defaultContainerLimits, scopeLabel, stateLabel } from "./container.ts";
import { inWords, inWordsForChat, isFullDisk, isMissing, isOfDocker } from "./engine.ts";
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

const quickMs = 1000;
const baseEnv = { PATH: "/usr/local/bin:/usr/bin:/bin", LANG: "C.UTF-8" };

/** What is shown in the chat. */
function explained(error: unknown, image: string): Error {
  if (isMissing(error))
    return new SandboxTrouble(
      `The image ${image} is not there. The owner should make it with: sallyport image build --from-host`,
    );
  if (isOfDocker(error) || isFullDisk(error) || !(error instanceof Error))
    return new SandboxTrouble(inWordsForChat(error, "start the sandbox"), {
      cause: error,
      detail: inWords(error, "start the sandbox"),
    });
  // What the system says, or a mistake of ours, is not written for people.
  if (error instanceof SandboxTrouble || error.name === "AbortError") return error;
  return new SandboxTrouble("The sandbox could not be made; the log of the gateway says why.", {
    cause: error,
    detail: error.stack ?? error.message,
  });
}

function containerFor(
  options: DockerSandboxOptions,
  command: AgentCommand,
  { scope, ground, image }: Pick<Running, "scope" | "ground"> & { readonly image: string },
) {
  const { stateHash, runtime, env, limits } = options;
  return containerOf({
    ...ground,
    image,
    // Its way out is not an operator's or an agent's to change.
    command: { ...command, env: { ...command.env, ...ground.env } },
    env: { ...baseEnv, ...env },
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

/** One that is there is found at once, and nobody needs to hear of it. */
async function whileTold(find: () => Promise<string>, onPlace: SpawnOptions["onPlace"]) {
  let told = false;
  const timer = setTimeout(() => {
    told = true;
    onPlace?.("image");
  }, quickMs);
  try {
    return await find();
  } finally {
    clearTimeout(timer);
    if (told) onPlace?.(0);
  }
}

export function createFleet(options: DockerSandboxOptions) {
  const { docker, log, graceMs = 2000, awayMs = 10_000 } = options;
  const { memoryMB } = { ...defaultContainerLimits, ...options.limits };
  const masks = createMasks(options.stateDir);
  const ledger = createLedger(options, masks);

  async function start(
    scope: SandboxScope,
    command: AgentCommand,
    image: string,
  ): Promise<Running> {
    const ground = await prepareGround(options, scope, masks);
    const wrapped = await ground.wrap(command).catch(async (error: unknown) => {
      await ground.leave();
      throw error;
    });
    const name = ledger.open();
    const container = { name, ...containerFor(options, wrapped, { scope, ground, image }) };
    const launched = await launch({ docker, container, memoryMB, log, graceMs, awayMs });
    if (!launched.ok) {
      await ledger.close(name, ground, launched.isGone);
      throw launched.error;
    }
    const gone = launched.gone.then((isGone) => ledger.close(name, ground, isGone));
    const agent = untilLeft(launched.agent, gone);
    if (await ground.masks.hold()) return { scope, ground, agent, gone };
    await agent.kill();
    throw new SandboxTrouble(
      "Something changed in the workspace while the sandbox started. Try again.",
    );
  }

  return {
    sweep: ledger.sweep,
    async launch(
      scope: SandboxScope,
      command: AgentCommand,
      onPlace?: SpawnOptions["onPlace"],
    ): Promise<Running> {
      const asked = options.image;
      let image = typeof asked === "string" ? asked : "of the sandbox";
      try {
        await docker.ping();
        if (typeof asked === "function") image = await whileTold(asked, onPlace);
        if (await ledger.settled()) return await start(scope, command, image);
        throw new SandboxTrouble(
          "An earlier container could not be removed. The owner should look at: docker ps",
        );
      } catch (error) {
        throw explained(error, image);
      }
    },
  };
}
