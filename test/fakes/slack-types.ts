// The shapes that the fake Slack passes around: narrow, hand-written, open to raw fields.
import type { Call, Params } from "./telegram-types.ts";

export interface SlackCall extends Call {
  /** Slack says no with status 200 and this. */
  error?: string;
}

export interface FakeMember {
  readonly id: string;
  readonly name: string;
  /** The workspace of the account; another than the app's for strangers of Slack Connect. */
  readonly team: string;
  readonly guest: boolean;
  /** Set for accounts of other apps. */
  readonly botId?: string;
  readonly appId?: string;
  deleted?: boolean;
}

export type RoomKind = "im" | "mpim" | "channel" | "group";

export interface Room {
  readonly id: string;
  readonly name: string;
  readonly kind: RoomKind;
  readonly shared: boolean;
  readonly members: Set<string>;
  archived: boolean;
  messages: StoredMessage[];
}

export interface Button {
  readonly type: "button";
  readonly action_id?: string;
  readonly text: { readonly type: string; readonly text: string };
  readonly value?: string;
  readonly url?: string;
}

export interface Block {
  readonly type: string;
  readonly block_id?: string;
  readonly [field: string]: unknown;
}

/** A message as the Web API and the events show it. */
export interface SlackMessage {
  type: "message";
  ts: string;
  text: string;
  user?: string;
  bot_id?: string;
  subtype?: string;
  thread_ts?: string;
  blocks?: Block[];
  files?: Record<string, unknown>[];
  edited?: { user: string; ts: string };
  [field: string]: unknown;
}

export interface StoredMessage {
  message: SlackMessage;
  readonly byBot: boolean;
  edits: number;
  /** The only one who sees it. */
  readonly onlyFor?: string;
  /** Slack would fetch the pages that it links to. */
  readonly preview: boolean;
  /** It was deleted while it had replies. */
  gone?: boolean;
}

export interface StoredFile {
  readonly id: string;
  readonly name: string;
  readonly mime: string;
  readonly owner: string;
  bytes: Uint8Array;
  /** Where it is to be uploaded, while it is not. */
  secret?: string;
  title?: string;
  /** Channel and ts of the messages that it is in. */
  readonly shares: { channel: string; ts: string; public: boolean }[];
}

export interface Upload {
  readonly name: string;
  readonly content: string | Uint8Array;
  readonly mime?: string;
  /** The event tells only its id, as for files of other workspaces: files.info tells the rest. */
  readonly unknown?: boolean;
}

export interface Failure {
  /** More fields of the answer. */
  readonly more?: Params;
  readonly status?: number;
  readonly retryAfter?: number;
}

/** An answer of the Web API that is not ok. Thrown by methods, written to the wire by the server. */
export class SlackFailure extends Error {
  readonly failure: Failure;
  constructor(error: string, failure: Failure = {}) {
    super(error);
    this.failure = failure;
  }
}
