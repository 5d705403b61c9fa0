// The contract of what an agent runs in.
import type { PairingId } from "./words.ts";

/** Whose sandbox: one per authenticated caller, one for all anonymous callers, one per shared conversation. */
export interface SandboxScope {
  /** `p-<pairing>`, `anonymous` or `c-<conversation>`; safe as a file name. */
  readonly key: string;
  readonly pairing: PairingId | null;
  readonly workspace: string;
  readonly workspaceMode: "rw" | "ro";
  /** The scope's own folder on this machine: inbox/ and whatever the agent keeps. */
  readonly home: string;
}

export interface AgentCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** Added to the sandbox's own small environment; never secrets in a sandbox that isolates. */
  readonly env: Readonly<Record<string, string>>;
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

export interface Sandbox {
  readonly name: "local" | "docker" | "microvm";
  /** True when what runs inside cannot reach this machine. */
  readonly isolates: boolean;
  spawn(scope: SandboxScope, command: AgentCommand): Promise<AgentProcess>;
  /** Where `scope.workspace` and `scope.home` are inside. */
  inside(scope: SandboxScope): { readonly workspace: string; readonly home: string };
  /** Ends what a dead gateway of this state left running. `unconfirmed`: something may still run, so nothing is run again. */
  sweep(): Promise<"clean" | "unconfirmed">;
  stop(): Promise<void>;
}
