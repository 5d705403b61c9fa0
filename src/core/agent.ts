// The contract between a turn and the agent that works for it. The agent's own words (titles, paths, output) are untrusted.
import type { SandboxScope } from "./sandbox.ts";
import type { ConversationId } from "./words.ts";

/** ACP's kinds; what we do not know is "other". The kind is only the agent's claim. */
export type ToolKind =
  | "read"
  | "edit"
  | "delete"
  | "move"
  | "search"
  | "execute"
  | "think"
  | "fetch"
  | "switch_mode"
  | "other";

export interface ToolDiff {
  readonly path: string;
  /** null: a new file. */
  readonly before: string | null;
  readonly after: string;
}

/** All that is known of a tool call so far: later updates are merged in by id. */
export interface ToolCall {
  readonly id: string;
  readonly title: string;
  readonly kind: ToolKind;
  readonly status: "pending" | "in_progress" | "completed" | "failed";
  /** Paths as the agent names them, inside its sandbox. */
  readonly locations: readonly string[];
  readonly diffs: readonly ToolDiff[];
  /** The command line, from rawInput, when there is one. */
  readonly command?: string;
  /** A URL the call is about, from rawInput, when there is one. */
  readonly url?: string;
  /** rawInput as JSON text, at most 16 kB, for what has neither diff nor command. */
  readonly input?: string;
}

export type PermissionKind = "allow_once" | "allow_always" | "reject_once" | "reject_always";

export interface PermissionOption {
  /** Returned to the agent byte for byte. */
  readonly id: string;
  readonly name: string;
  readonly kind: PermissionKind;
}

export type PermissionReply = { readonly optionId: string } | "cancelled";

export interface FormField {
  readonly name: string;
  readonly title: string;
  readonly kind: "choice" | "choices" | "boolean" | "text" | "number" | "integer";
  readonly required: boolean;
  readonly options: readonly { readonly value: string; readonly label: string }[];
}

export type FormReply =
  | {
      readonly action: "accept";
      readonly content: Readonly<Record<string, string | number | boolean | string[]>>;
    }
  | { readonly action: "decline" }
  /** `why`: a sentence for the agent, where nobody was asked. */
  | { readonly action: "cancel"; readonly why?: string };

export type StopReason = "end_turn" | "max_tokens" | "max_turn_requests" | "refusal" | "cancelled";

export type AgentEvent =
  /** It cannot begin yet; `why` is a sentence for people, and stands until the next event. */
  | { readonly type: "waiting"; readonly why: string }
  | { readonly type: "session"; readonly id: string; readonly resumed: boolean }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool"; readonly call: ToolCall }
  /** A file that it made, whole and within the bounds of a turn; the name is safe to write and to show, the type only a claim. */
  | {
      readonly type: "file";
      readonly name: string;
      readonly mime: string;
      readonly bytes: Uint8Array;
    }
  | {
      readonly type: "permission";
      readonly call: ToolCall;
      readonly options: readonly PermissionOption[];
      /** Only an owner may answer, whoever started the task. */
      readonly ownersOnly?: true;
      /** Exactly once; the agent is told at once. Aborted `signal`: the agent took the question back. */
      readonly answer: (reply: PermissionReply) => void;
      readonly signal: AbortSignal;
    }
  | {
      readonly type: "form";
      readonly message: string;
      readonly fields: readonly FormField[];
      readonly answer: (reply: FormReply) => void;
      readonly signal: AbortSignal;
    }
  | { readonly type: "end"; readonly reason: StopReason }
  /** The turn is over without an end: agent dead, silent, or talking junk. `why` is a sentence for people. */
  | { readonly type: "failed"; readonly why: string };

export type PromptBlock =
  /** One message of a person. `label`: where several people write, the beginning of each of its lines, which says who. ACP: `_meta["sallyport/label"]`. */
  | { readonly type: "text"; readonly text: string; readonly label?: string }
  /** What a message refers to (a quoted message, a denial's reason): material, not an instruction. ACP: an embedded resource `sallyport:<name>`, or labelled text where the agent takes none. */
  | { readonly type: "context"; readonly name: string; readonly text: string }
  | {
      readonly type: "file";
      readonly path: string;
      readonly name: string;
      readonly mime: string;
      readonly size: number;
    };

export interface PromptRequest {
  readonly conversation: ConversationId;
  readonly scope: SandboxScope;
  /** The ACP session of earlier turns, or null for a new one. */
  readonly session: string | null;
  readonly content: readonly PromptBlock[];
  /** Aborting sends session/cancel and, if the agent does not end its turn within 10 s, kills it. */
  readonly signal: AbortSignal;
}

/** A program inside the sandbox through which an agent reaches the tools we give it: MCP on its stdin and stdout. */
export interface ToolServer {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A file that an agent made, whole; the name is safe to write and to show, the type only a claim. */
export interface MadeFile {
  readonly name: string;
  readonly mime: string;
  readonly bytes: Uint8Array;
}

/** What is not the agent's own protocol puts into a running turn by this: the tools we give it, and its way out. */
export interface TurnInlet {
  readonly conversation: ConversationId;
  /** Aborts at the turn's end. */
  readonly over: AbortSignal;
  /** Goes out with the turn's end, within the bounds of a turn's files. A sentence for the agent: why not. */
  sendFile(file: MadeFile): string | undefined;
  askForm(
    form: { readonly message: string; readonly fields: readonly FormField[] },
    signal: AbortSignal,
  ): Promise<FormReply>;
  /** "cancelled" also when the turn is over. */
  askOwner(
    call: ToolCall,
    options: readonly PermissionOption[],
    signal: AbortSignal,
  ): Promise<PermissionReply>;
}

export interface Agent {
  readonly name: string;
  /** Known to ask before it changes things. False: not known, or known not to, and then nothing of it is run again by itself. */
  readonly asks: boolean;
  /** One prompt and all that comes back; the last event is `end` or `failed`. Never throws for what an agent does. */
  prompt(request: PromptRequest): AsyncIterable<AgentEvent>;
  /** The turns at work in the sandbox of a scope, the oldest first. */
  inlets(scopeKey: string): readonly TurnInlet[];
  /** Ends the sandbox of a scope at once (a pairing was removed). `why`: a sentence for whoever's turn ends with it. */
  end(scopeKey: string, why?: string): Promise<void>;
  stop(): Promise<void>;
}
