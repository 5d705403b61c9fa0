// What the agent runs in, as flags, settings and the project's confirmed wishes say together.
import { resolve } from "node:path";
import type { ProjectConfig } from "./project.ts";
import type { Settings } from "./settings.ts";

export interface SandboxFlags {
  readonly sandbox?: "docker" | "local" | undefined;
  readonly image?: string | undefined;
  /** `DIR` or `DIR:ro` */
  readonly mount?: readonly string[] | undefined;
  /** `NAME=value` */
  readonly env?: readonly string[] | undefined;
  /** Names of secrets for the agent's environment. */
  readonly secret?: readonly string[] | undefined;
  readonly playground?: boolean | undefined;
  /** The agent may look at the workspace, and change nothing in it. */
  readonly readOnly?: boolean | undefined;
}

export interface Mount {
  readonly path: string;
  readonly mode: "rw" | "ro";
}

export interface DockerChoice {
  readonly is: "docker";
  /** Undefined: one made of this machine's own files. */
  readonly image: string | undefined;
  readonly limits: { readonly memoryMB: number; readonly cpus: number; readonly processes: number };
  readonly containers: number;
  readonly runtime: string | undefined;
  readonly mounts: readonly Mount[];
  readonly env: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  readonly workspaceMode: "rw" | "ro";
}

export type SandboxChoice = { readonly is: "local" } | DockerChoice;

/** A playground is tried without setting anything up, and says so. */
export function sandboxName(flags: SandboxFlags, { sandbox }: Settings): "docker" | "local" {
  return flags.sandbox ?? sandbox ?? (flags.playground ? "local" : "docker");
}

/** Or what is wrong with the choice, in words. */
export function sandboxOf(
  flags: SandboxFlags,
  settings: Settings,
  project: ProjectConfig,
): SandboxChoice | string {
  const { docker } = settings;
  const readOnly =
    flags.readOnly === true || docker.workspace === "ro" || project.workspace === "ro";
  if (sandboxName(flags, settings) === "local")
    return readOnly || flags.image || flags.mount || flags.env || flags.secret
      ? onlyInDocker
      : { is: "local" };
  const env = envOf([...docker.env, ...(flags.env ?? [])]);
  if (typeof env === "string") return env;
  return {
    is: "docker",
    image: flags.image ?? docker.image ?? project.image,
    limits: { memoryMB: docker.memoryMB, cpus: docker.cpus, processes: docker.processes },
    containers: docker.containers,
    runtime: docker.runtime,
    mounts: [...docker.mounts, ...(project.mounts ?? []), ...(flags.mount ?? [])].map(mountOf),
    env,
    secrets: [...new Set([...docker.secrets, ...(flags.secret ?? [])])],
    workspaceMode: readOnly ? "ro" : "rw",
  };
}

const onlyInDocker =
  "A workspace that is read only, --image, --mount, --env and --secret need the sandbox `docker`: `local` isolates nothing. Start with --sandbox docker.";

function mountOf(text: string): Mount {
  const readOnly = text.endsWith(":ro");
  return { path: resolve(readOnly ? text.slice(0, -3) : text), mode: readOnly ? "ro" : "rw" };
}

function envOf(lines: readonly string[]): Readonly<Record<string, string>> | string {
  const wrong = lines.find((line) => !/^[A-Za-z_]\w*=/.test(line));
  if (wrong !== undefined)
    return `--env ${JSON.stringify(wrong)} is not NAME=value. For a secret there is --secret NAME.`;
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );
}
