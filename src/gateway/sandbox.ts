// The sandbox as the config says it, and what an agent needs to be started in it.
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Preset } from "../agent/presets.ts";
import type { Config } from "../config/config.ts";
import type { DockerChoice } from "../config/sandbox.ts";
import { stateMark } from "../config/secrets.ts";
import { type Sandbox, SandboxTrouble } from "../core/sandbox.ts";
import type { DockerSandboxOptions } from "../sandbox/docker/options.ts";
import { createLocalSandbox } from "../sandbox/local/sandbox.ts";

export interface Opening {
  readonly config: Config;
  readonly preset: Preset;
  /** What belongs to one container beside its folders. */
  readonly companion?: DockerSandboxOptions["companion"];
  /** Somebody waits for a place: an agent without work may go. */
  makeRoom(): void;
}

/** Or what is wrong with the choice. Docker itself may be away: it is needed with the first message only. */
export async function openSandbox(opening: Opening): Promise<Sandbox | string> {
  const { config } = opening;
  const { dir } = config.paths;
  const choice = config.sandbox;
  const docker = choice.is === "docker";
  const chosen = choice.is === "docker" ? await openDocker(opening, choice) : openLocal(config);
  if (typeof chosen === "string") return chosen;
  // The gateway before this one may have had the other.
  if (docker && existsSync(join(dir, "run"))) return alsoSweeping(chosen, openLocal(config));
  if (docker || !existsSync(join(dir, "docker"))) return chosen;
  const other = await bareDocker(config);
  return other ? alsoSweeping(chosen, other) : chosen;
}

function openLocal(config: Config): Sandbox {
  const { environment, paths, log } = config;
  const state = { stateDir: paths.dir, stateHash: paths.hash };
  return createLocalSandbox({ ...state, log, environment: environment.variables });
}

function alsoSweeping(chosen: Sandbox, other: Sandbox): Sandbox {
  return {
    ...chosen,
    async sweep() {
      const [first, second] = await Promise.all([chosen.sweep(), other.sweep()]);
      return first === "clean" ? second : first;
    },
  };
}

/** Starts nothing; undefined where this machine's Docker cannot be meant. */
async function bareDocker(config: Config): Promise<Sandbox | undefined> {
  const options = await dockerOptions(config);
  if (typeof options === "string") return undefined;
  const { createDockerSandbox } = await import("../sandbox/docker/sandbox.ts");
  return createDockerSandbox({ ...options, image: "", masks: [] });
}

function stateOf({ paths, log }: Config) {
  return { stateDir: paths.dir, stateHash: stateMark(paths), log };
}

async function openDocker(opening: Opening, choice: DockerChoice): Promise<Sandbox | string> {
  const { config, preset, companion, makeRoom } = opening;
  const options = await dockerOptions(config);
  if (typeof options === "string") return options;
  const { createDockerSandbox } = await import("../sandbox/docker/sandbox.ts");
  const { masksFor } = await import("../sandbox/docker/mask-list.ts");
  const { runtime, env: _, ...chosen } = choice;
  const image = choice.image ?? imageOf(options.docker, opening);
  const docker = createDockerSandbox({
    ...options,
    ...chosen,
    ...(runtime === undefined ? {} : { runtime }),
    ...(companion ? { companion } : {}),
    image,
    masks: masksFor(preset.name),
    makeRoom,
  });
  // Whoever writes first should not wait for it; what is wrong with it they are told then.
  const prepare = async () => {
    if (typeof image === "function") await image().catch(() => {});
  };
  return { ...docker, prepare };
}

async function dockerOptions(config: Config) {
  const { connectDocker } = await import("../sandbox/docker/engine.ts");
  const connected = connectDocker(config.environment.variables);
  if (!connected.ok)
    return `${connected.problem} Or start with --sandbox local, which isolates nothing.`;
  const { docker, socket } = connected;
  const { createHostPaths } = await import("../sandbox/docker/host-paths.ts");
  const hostPath = createHostPaths(docker);
  return { ...stateOf(config), docker, socket, userHome: homedir(), hostPath };
}

/** Made of this machine's own files, and again when it is gone. */
function imageOf(docker: DockerSandboxOptions["docker"], opening: Opening) {
  let made: Promise<string> | undefined;
  return async () => {
    const { imageExists } = await import("../sandbox/image/images.ts");
    const known = await made?.catch(() => undefined);
    if (known !== undefined && (await imageExists(docker, known))) return known;
    made = hostImageOf(docker, opening);
    return await made;
  };
}

async function hostImageOf(
  docker: DockerSandboxOptions["docker"],
  { config, preset }: Pick<Opening, "config" | "preset">,
): Promise<string> {
  const { hostImage } = await import("../sandbox/image/host-image.ts");
  const { workspace, log } = config;
  const image = await hostImage({ docker, agentName: preset.name, workspace });
  if (!image.ok) throw troubleOf(image.problem);
  if (image.isNew) log.info({ image: image.image }, "Made the image of the sandbox");
  return image.image;
}

/** What Docker itself says may name places of this machine. */
function troubleOf(problem: string): SandboxTrouble {
  if (!problem.startsWith("Docker could not")) return new SandboxTrouble(problem);
  const why = "The image of the sandbox could not be made; the log of the gateway says why.";
  return new SandboxTrouble(why, { detail: problem });
}
