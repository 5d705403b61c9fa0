// The words of docs/architecture.md as types: who speaks, where, and with which right.

/** One place where callers arrive, e.g. `telegram` or `terminal`. Chosen by the operator, stable over restarts. */
export type ListenerId = string;
/** Kind of chat app, e.g. `telegram`. */
export type ChannelName = string;
/** Numeric or opaque id of an account on a platform; never a display name. */
export type AccountId = string;
export type ConversationId = string;
export type TaskId = string;
export type TurnId = string;
export type PairingId = string;

/** Text between core and channels: CommonMark with GFM tables and strike-through. */
export type Markdown = string;

export type Role = "owner" | "authenticated" | "anonymous";
export type PairingKind = "person" | "agent" | "node" | "email" | "local";

/** Who a channel says an event is from. The name is what the platform shows: untrusted, for display only. */
export interface Sender {
  readonly listener: ListenerId;
  readonly account: AccountId;
  readonly name: string;
}

/** A sender after look-up. Without a pairing it is anonymous. */
export interface Caller {
  /** `p:<pairing>` or `a:<listener>:<account>`: one string per caller, the key of budgets, lanes and sandboxes. */
  readonly id: string;
  readonly pairing: PairingId | null;
  readonly role: Role;
  /** The pairing's name, or the platform's for anonymous callers. */
  readonly name: string;
}

/** A room of a platform. Groups may have threads (forum topics). */
export interface ChatRef {
  readonly id: string;
  readonly kind: "direct" | "group";
  readonly thread?: string;
}

/** Where something is sent to. */
export interface Address {
  readonly listener: ListenerId;
  readonly chat: string;
  readonly thread?: string;
}

export type TaskState =
  | "submitted"
  | "working"
  | "input-required"
  | "auth-required"
  | "completed"
  | "failed"
  | "canceled"
  | "rejected";
