// The contract of what an agent runs in.
import type { PairingId } from "./words.ts";

/** Whose sandbox: one per authenticated caller, one for all anonymous callers, one per shared conversation. */
export interface SandboxScope {
  /** `p-<pairing>`, `anonymous` or `s-<conversation>`; safe as a file name. */
  readonly key: string;
  /** Null: of several people. */
  readonly pairing: PairingId | null;
  /** Those several are known to us, and continue one conversation. Absent without a pairing: people we do not know. */
  readonly shared?: true;
  readonly workspace: string;
  readonly workspaceMode: "rw" | "ro";
  /** The scope's own folder on this machine: inbox/ and whatever the agent keeps. */
  readonly home: string;
}

/** They change nothing, and get no secrets and no tools. */
export function isOfStrangers({ pairing, shared }: Pick<SandboxScope, "pairing" | "shared">) {
  return pairing === null && shared !== true;
}

/** As an audit row has it. */
export function ownerOfScope({ key, pairing }: Pick<SandboxScope, "key" | "pairing">): string {
  return pairing === null ? key : `p:${pairing}`;
}

export interface AgentCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** Added to the sandbox's own small environment; never secrets in a sandbox that isolates. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * Written into the agent's home before it starts, by path inside it; only where the sandbox isolates, and never
   * secrets. What is there is replaced, except for the keys of a JSON file that ours does not name.
   */
  readonly files?: Readonly<Record<string, string>>;
}

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: string | null;
  /** For people: "it was killed for using too much memory". */
  readonly reason?: string;
}

export interface AgentProcess {
  readonly stdin: WritableStream<Uint8Array>;
  readonly stdout: ReadableStream<Uint8Array>;
  /** Settles once nothing of it runs any more. */
  readonly ended: Promise<ProcessEnd>;
  /** The last lines of stderr, bounded, for error messages and logs. */
  stderrTail(): string;
  /** Ends it and everything it started; resolves when that is seen. Safe to call twice. */
  kill(): Promise<void>;
}

/** What an agent waits for before it can start: its place in the line (1 is next), or the image, which is made once. 0: it goes on. */
export type SandboxPlace = number | "image";

export interface SpawnOptions {
  /** Ends the wait for a free place. */
  readonly signal?: AbortSignal;
  /** Called while it waits for one; 1 is next, and 0 says that it has one. */
  readonly onPlace?: (place: SandboxPlace) => void;
}

interface TroubleOptions extends ErrorOptions {
  readonly detail?: string;
}

/**
 * Its message is written by us for people, says what the owner should do, and is shown whole in the chat: so it names
 * places as they are inside.
 */
export class SandboxTrouble extends Error {
  /** For the log alone: paths of this machine, the whole command that helps, what Docker said. */
  readonly detail: string | undefined;

  constructor(message: string, { detail, ...options }: TroubleOptions = {}) {
    super(message, options);
    this.detail = detail;
  }
}

export interface Sandbox {
  readonly name: "local" | "docker" | "microvm";
  /** True when what runs inside cannot reach this machine. */
  readonly isolates: boolean;
  /** Rejects with SandboxTrouble where the sandbox, and not the agent, is in the way. */
  spawn(scope: SandboxScope, command: AgentCommand, options?: SpawnOptions): Promise<AgentProcess>;
  /** Where `scope.workspace` and `scope.home` are inside. */
  inside(scope: SandboxScope): { readonly workspace: string; readonly home: string };
  /** Called once the gateway is open to people: what takes long may be begun. Never rejects. */
  prepare?(): Promise<void>;
  /** Asked before each prompt. False: the agent of this scope has to be ended, the next one has a whole sandbox again. */
  intact?(scopeKey: string): Promise<boolean>;
  /** A file as the agent itself may read it, by its path inside; a sentence when it cannot be had. */
  readFile?(scopeKey: string, path: string, mostBytes: number): Promise<Uint8Array | string>;
  /** Ends what a dead gateway of this state left running. `unconfirmed`: something may still run, so nothing is run again. */
  sweep(): Promise<"clean" | "unconfirmed">;
  stop(): Promise<void>;
}
