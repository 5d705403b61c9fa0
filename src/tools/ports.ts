// What the agent's tools need from outside: the gateway wires it.
import type { TurnInlet } from "../core/agent.ts";
import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import type { SandboxScope } from "../core/sandbox.ts";
import type { ConversationId } from "../core/words.ts";
import type { Store } from "../store/store.ts";

/** How an agent reaches our socket from inside its sandbox. */
export interface SocketInside {
  /** The bridge: a program that speaks MCP on its stdin and stdout, as every agent takes one. */
  readonly program: string;
  readonly args: readonly string[];
  readonly socket: string;
}

export interface ToolPorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** The turn of this conversation that is at work in this sandbox now. */
  inletFor(scopeKey: string, conversation: ConversationId): TurnInlet | undefined;
  /** A file as the agent itself may read it, by its path inside; a sentence when it cannot be had. */
  readFile(scopeKey: string, path: string, mostBytes: number): Promise<Uint8Array | string>;
  /** Undefined: the sandbox of this scope has no socket of ours. */
  socketInside(scope: SandboxScope): SocketInside | undefined;
  /** How long a connection may take to say its secret. */
  readonly secretMs?: number;
}
