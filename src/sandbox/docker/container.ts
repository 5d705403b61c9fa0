// What a container is made of: nothing but the agent, its folders and narrow limits.
import type { ContainerCreateOptions, MountSettings } from "dockerode";
import type { AgentCommand } from "../../core/sandbox.ts";
import type { Bind } from "./masks.ts";
import { contains } from "./mount-table.ts";
import type { User } from "./user.ts";

export interface ContainerLimits {
  readonly memoryMB: number;
  readonly cpus: number;
  readonly processes: number;
  /** Of /tmp, which counts as memory. */
  readonly tmpMB: number;
}

export const defaultContainerLimits: ContainerLimits = {
  memoryMB: 4096,
  cpus: 2,
  processes: 512,
  tmpMB: 256,
};

/** Docker's names for what a container is labelled with. */
export const stateLabel = "sallyport";
export const scopeLabel = "sallyport.scope";

export interface ContainerWish {
  readonly image: string;
  readonly command: AgentCommand;
  readonly env: Readonly<Record<string, string>>;
  readonly user: User;
  readonly binds: readonly Bind[];
  readonly limits: ContainerLimits;
  /** Of this machine: no container gets more than there are. */
  readonly cpusThere: number;
  /** Docker's own folder, where its volumes are; it accepts mounts from there only if they follow its own. */
  readonly dockerRoot?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly workingDir: string;
  readonly runtime: string | undefined;
}

const megabyte = 1024 * 1024;

function mountOf({ source, target, readOnly }: Bind, dockerRoot?: string): MountSettings {
  const follows = dockerRoot !== undefined && contains(dockerRoot, source);
  return {
    Type: "bind",
    Source: source,
    Target: target,
    ReadOnly: readOnly,
    // Not what is mounted below it: read-only would not reach there, and nobody has looked at it.
    BindOptions: {
      Propagation: follows ? "rslave" : "rprivate",
      NonRecursive: true,
    } as MountSettings["BindOptions"],
  };
}

function hostConfigOf(wish: ContainerWish): ContainerCreateOptions["HostConfig"] {
  const { limits, runtime } = wish;
  const memory = limits.memoryMB * megabyte;
  return {
    ...(runtime === undefined ? {} : { Runtime: runtime }),
    Init: true,
    NetworkMode: "none",
    CapDrop: ["ALL"],
    SecurityOpt: ["no-new-privileges"],
    ReadonlyRootfs: true,
    Tmpfs: { "/tmp": `rw,exec,nosuid,nodev,size=${limits.tmpMB}m,mode=1777` },
    Memory: memory,
    MemorySwap: memory,
    NanoCpus: Math.round(Math.min(limits.cpus, wish.cpusThere) * 1e9),
    PidsLimit: limits.processes,
    IpcMode: "private",
    // What crashes leaves no picture of its memory in the project.
    Ulimits: [{ Name: "core", Soft: 0, Hard: 0 }],
    LogConfig: { Type: "none", Config: {} },
    RestartPolicy: { Name: "no" },
    Mounts: wish.binds.map((bind) => mountOf(bind, wish.dockerRoot)),
  };
}

export function containerOf(wish: ContainerWish): ContainerCreateOptions {
  const { image, command, env, user, labels, workingDir } = wish;
  const all = { ...env, ...command.env, HOME: "/home/agent", TMPDIR: "/tmp" };
  return {
    Image: image,
    // What an image would start by itself is not asked for.
    Entrypoint: [command.program, ...command.args],
    Cmd: [],
    Env: Object.entries(all).map(([name, value]) => `${name}=${value}`),
    User: `${user.uid}:${user.gid}`,
    WorkingDir: workingDir,
    Labels: { ...labels },
    Tty: false,
    OpenStdin: true,
    StdinOnce: true,
    StopSignal: "SIGTERM",
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    Healthcheck: { Test: ["NONE"] },
    HostConfig: hostConfigOf(wish),
  };
}
