// What the docker sandbox is given, and what it offers beyond the contract of every sandbox.
import type { Log } from "../../core/log.ts";
import type { AgentCommand, Sandbox, SandboxScope } from "../../core/sandbox.ts";
import type { ContainerLimits } from "./container.ts";
import type { Docker } from "./engine.ts";
import type { HostPath } from "./host-paths.ts";
import type { Mask } from "./mask-list.ts";
import type { Bind } from "./masks.ts";
import type { ExtraMount } from "./mount-rules.ts";

/** What belongs to one container beside its folders: a socket of ours, for example. */
export interface Companion {
  readonly binds: readonly Bind[];
  readonly env: Readonly<Record<string, string>>;
  /** What runs in the container instead, and starts the command. */
  wrap?(command: AgentCommand): Promise<AgentCommand>;
  /** Called once, when the container is gone or did not start. */
  close(): Promise<void>;
}

export interface DockerSandboxOptions {
  readonly docker: Docker;
  /** Docker's socket, which no mount may show. */
  readonly socket: string;
  /** Or what finds it, or makes it, for each container; rejects with words for people. */
  readonly image: string | (() => Promise<string>);
  readonly stateDir: string;
  /** Tells our containers from those of another state directory. */
  readonly stateHash: string;
  /** The home of the gateway's user, which no mount may show. */
  readonly userHome: string;
  readonly log: Log;
  readonly masks: readonly Mask[];
  readonly mounts?: readonly ExtraMount[];
  readonly env?: Readonly<Record<string, string>>;
  readonly limits?: Partial<ContainerLimits>;
  /** Containers at once; further ones wait. */
  readonly containers?: number;
  /** Called when somebody has to wait: an agent without work may be ended. */
  readonly makeRoom?: () => void;
  /** For example `runsc`. */
  readonly runtime?: string;
  /** What a path of ours is for Docker; absent: the same. */
  readonly hostPath?: HostPath;
  readonly companion?: (scope: SandboxScope) => Promise<Companion>;
  /** From SIGTERM to SIGKILL. */
  readonly graceMs?: number;
  /** How long Docker may be away before an agent counts as lost. */
  readonly awayMs?: number;
}

export type DockerSandbox = Sandbox & Required<Pick<Sandbox, "intact" | "readFile">>;
