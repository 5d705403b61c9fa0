// What the docker sandbox is given, and what it offers beyond the contract of every sandbox.
import type { Log } from "../../core/log.ts";
import type { AgentCommand, AgentProcess, Sandbox, SandboxScope } from "../../core/sandbox.ts";
import type { ContainerLimits } from "./container.ts";
import type { Docker } from "./engine.ts";
import type { Mask } from "./mask-list.ts";
import type { Bind } from "./masks.ts";
import type { ExtraMount } from "./mount-rules.ts";

/** What belongs to one container beside its folders: a socket of ours, for example. */
export interface Companion {
  readonly binds: readonly Bind[];
  readonly env: Readonly<Record<string, string>>;
  /** Called once, when the container is gone or did not start. */
  close(): Promise<void>;
}

export interface DockerSandboxOptions {
  readonly docker: Docker;
  /** Docker's socket, which no mount may show. */
  readonly socket: string;
  readonly image: string;
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
  readonly companion?: (scope: SandboxScope) => Promise<Companion>;
  /** From SIGTERM to SIGKILL. */
  readonly graceMs?: number;
  /** How long Docker may be away before an agent counts as lost. */
  readonly awayMs?: number;
}

export interface SpawnOptions {
  /** Ends the wait for a free container. */
  readonly signal?: AbortSignal;
  /** Called while it waits; 1 is next. */
  readonly onPlace?: (place: number) => void;
}

export interface DockerSandbox extends Sandbox {
  spawn(scope: SandboxScope, command: AgentCommand, options?: SpawnOptions): Promise<AgentProcess>;
  /** To be asked before each turn. False: end the agent of this scope, the next one has its masks again. */
  masksHold(scopeKey: string): Promise<boolean>;
}
