// What a preset says of an agent: how it is started, how it is made to ask, and how it reaches a model.
import type { ToolCall } from "../../core/agent.ts";
import type { ModelApi } from "../../core/egress.ts";
import type { AgentCommand } from "../../core/sandbox.ts";

/** How an agent asks, where it is not as we would have it. */
export interface Asking {
  /** It asks before tools of ours, which need no permission, and this is such a call. Absent: it does not ask there. */
  isOwnTool?(call: ToolCall): boolean;
  /** It is known to ask before each such call: one that runs without ends its process. Absent: nobody can tell. */
  mustAsk?(call: ToolCall): boolean;
}

export interface Preset extends Asking {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** As of `AgentCommand`. */
  readonly files?: Readonly<Record<string, string>>;
  /** Goes with session/new and session/load as `_meta`: what an agent takes only there. */
  readonly sessionMeta?: Readonly<Record<string, unknown>>;
  /** The session mode that asks; null: the agent asks by itself or by `env`. */
  readonly mode: string | null;
  readonly asks: boolean;
  /** What to do when the program is not there. */
  readonly install: string;
  /** A prompt after which an agent that asks must ask: it changes the (empty) workspace. */
  readonly probe: string;
  /** Its name on npm, and the version that is tested; absent: it comes with us, or we do not know it. */
  readonly package?: string;
  readonly version?: string;
  /** Absent: it uses no model, or nobody knows which. */
  readonly model?: ModelChoice;
}

export interface ModelChoice {
  /** What it speaks unless told otherwise. */
  readonly api: ModelApi;
  /** All that it can speak. */
  readonly apis: readonly ModelApi[];
}

/** Of the operator; what is left out is the agent's own default. */
export interface ModelWish {
  readonly modelName?: string | undefined;
  readonly api?: ModelApi | undefined;
  /** The agent is logged in by itself, in its home: it has neither our way to the model nor a key of ours. */
  readonly login?: boolean | undefined;
}

/** An agent as its own file describes it. */
export interface AgentPart extends Asking {
  readonly args: readonly string[];
  /** Where the user's own log-in and settings are used. */
  readonly env: Readonly<Record<string, string>>;
  readonly mode: string | null;
  readonly model: ModelChoice;
  /** Where nothing of the user is: the model is at `modelUrl`, and `modelKey` is the key for it. */
  inSandbox(wish: ModelWish): Omit<Sandboxed, "program">;
}

/** What of a preset is otherwise in a sandbox that isolates. */
export interface Sandboxed extends AgentCommand {
  readonly sessionMeta?: Readonly<Record<string, unknown>>;
}

/** Replaced for each container, in `env` and `files`: the model's base URL, without /v1 at its end. */
export const modelUrl = "{{model.url}}";
/** Worth something only to that container's way out. */
export const modelKey = "{{model.key}}";
/** What our own tools are called among an agent's servers. */
export const toolServerName = "sallyport";
export const toolNames = ["send_file", "ask_user", "list_tasks"] as const;
/** Of the agent, in every sandbox that isolates. */
export const homeInside = "/home/agent";
