// What leaves a sandbox that has no network: requests to hosts, and requests to the model with a key added on the way.
import type { SandboxScope } from "./sandbox.ts";

/** How a model's API is spoken; how its key is sent and which of its paths an agent needs follow from it. */
export type ModelApi = "anthropic" | "openai" | "gemini";

export interface ModelEndpoint {
  readonly api: ModelApi;
  /** Base URL of the API, without a slash at the end: https://api.anthropic.com */
  readonly url: string;
  /** Undefined: none is set, so the request goes out without. */
  readonly key: string | undefined;
  /** The name of the secret that holds the key, for messages: ANTHROPIC_API_KEY. */
  readonly secret: string;
}

/** A request to a host that the settings do not allow. */
export interface EgressRequest {
  readonly scope: SandboxScope;
  readonly host: string;
  readonly port: number;
}

/** A yes counts until its signal aborts. "not-asked": nobody was asked, or nobody has said anything. */
export type EgressReply = { readonly until: AbortSignal } | "denied" | "not-asked";

/** Asked at each such request; whoever answers remembers for how long an answer counts. Aborted: nobody waits any more. */
export type OnEgress = (request: EgressRequest, signal: AbortSignal) => Promise<EgressReply>;

/** Of one request to the model. */
export interface ModelUse {
  readonly scope: SandboxScope;
  /** Of the request: what went into the model. */
  readonly bytesIn: number;
  /** Of the answer. */
  readonly bytesOut: number;
  /** As the API reported them; absent where it did not. */
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** The answer was passed on to its end; else what the API reported is not the last word. */
  readonly complete: boolean;
}
