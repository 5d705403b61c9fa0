// The contract every channel fulfils: it translates, and knows no roles, approvals, budgets or commands.
import type { FileRef, InboundEvent, MessageRef, PressRef } from "./events.ts";
import type { Log } from "./log.ts";
import type { AccountId, Address, ChannelName, ListenerId, Markdown } from "./words.ts";

export interface Limits {
  /** Text of one message, counted as the platform counts it (Telegram: UTF-16 units after entities). */
  readonly text: number;
  readonly caption: number;
  /** Buttons on one message. */
  readonly buttons: number;
  /** Bytes of one file, each way. */
  readonly file: number;
  /** Least ms between two edits of a growing reply in one chat; 0 = as fast as they come. */
  readonly editPace: number;
}

/** How fast a platform may be written to; sends and edits count alike. */
export interface Rate {
  readonly calls: number;
  /** The window in ms. */
  readonly per: number;
}

export interface Pace {
  readonly chat: Rate;
  /** All chats of the listener together. */
  readonly all: Rate;
  /** Least ms between two edits of a growing reply. */
  readonly editEvery: number;
}

export interface Button {
  readonly label: string;
  /** Opaque, at most 64 bytes. */
  readonly data: string;
}

/** A file of ours on its way out; `path` is on this machine, already inside a folder we own or checked. */
export interface OutFile {
  readonly path: string;
  readonly name: string;
  readonly mime: string;
  readonly size: number;
}

/** One message: within the limits and valid by itself. */
export interface Part {
  /** In the channel's own dialect (Telegram: HTML). Absent: `plain` goes out, without any formatting mode. */
  readonly body?: string;
  /** The same without formatting: goes out when the platform refuses the body. */
  readonly plain: string;
  readonly buttons?: readonly Button[];
  readonly file?: OutFile;
  /** Further files of the same message, where the channel sends one message per task. */
  readonly along?: readonly OutFile[];
  readonly replyTo?: MessageRef;
}

/** The one account of a group that is shown something. */
export interface Only {
  readonly account: AccountId;
  /** What it answers, where the platform shows something to one person only as an answer (Discord). */
  readonly press?: PressRef;
}

/** The platform's own duplicate filter, where it has one: the same key is the same message. */
export type SendKey = string;

export type SendErrorKind =
  | "rate-limited" // wait `retryAfter` ms, then the same call again
  | "rejected" // the platform will never take this part as it is; `format` says that plain text may pass
  | "unauthorised" // the listener's token no longer counts
  | "gone" // chat, message or person no longer there, or we were blocked; `movedTo` when it has a new id
  | "not-sent" // the platform certainly does not have it: try again
  | "unknown"; // the platform may have it

export class SendError extends Error {
  readonly kind: SendErrorKind;
  readonly detail: {
    readonly retryAfter?: number;
    readonly format?: boolean;
    readonly movedTo?: string;
  };
  constructor(kind: SendErrorKind, message: string, detail: SendError["detail"] = {}) {
    super(message);
    this.name = "SendError";
    this.kind = kind;
    this.detail = detail;
  }
}

/** Resolves once the events are durable: only then may the platform be told that they were taken. */
export type Accept = (events: readonly InboundEvent[]) => Promise<void>;

export interface ListenerHealth {
  /** Events can arrive now. Connected but deaf is `deaf`. */
  readonly state: "starting" | "connected" | "deaf" | "reconnecting" | "unauthorised" | "stopped";
  /** Last sign of life from the platform (an empty poll counts), ms since 1970. */
  readonly lastContact?: number;
  readonly lastEvent?: number;
  /** Without secrets; says what to do where something can be done. */
  readonly lastError?: string;
}

export interface MenuEntry {
  readonly command: string;
  readonly description: string;
  /** Of no use in a direct chat. */
  readonly groupsOnly?: true;
}

export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

/** What a listener keeps over restarts, e.g. where it stopped reading; short texts. A note may be older than what was accepted last. */
export interface Notes {
  read(name: string): Promise<string | undefined>;
  /** Undefined forgets it. */
  write(name: string, value: string | undefined): Promise<void>;
  /** All whose name begins so. */
  list(prefix: string): Promise<readonly { readonly name: string; readonly value: string }[]>;
}

export interface ChannelContext {
  readonly listener: ListenerId;
  readonly log: Log;
  readonly notes: Notes;
  /** The guarded client: redirects off, sizes and times bounded, reaches only the class of address of `root`. */
  fetchFrom(root: string): Fetch;
  /** The way out is a proxy that only `fetchFrom` knows: the platform's API is to be called through it as well. */
  readonly proxied?: boolean;
}

/** web-standard handlers that a channel wants mounted; the gateway decides where and behind which guard. */
export interface Route {
  readonly method: "GET" | "POST";
  /** A listener's own are mounted below `/in/<listener id>`; `/` is that address itself. */
  readonly path: string;
  handle(request: Request): Promise<Response>;
}

/** One per kind; pure. */
export interface Channel {
  readonly name: ChannelName;
  readonly limits: Limits;
  /** People cannot answer one message in particular: `quote` never names one. */
  readonly noReplies?: true;
  /** A task is answered with one message, files and all: no previews, no words on its place in the queue, every answer says what it answers. */
  readonly oneMessage?: true;
  /** People write letters: commands and codes are read from the first line they wrote. A decision counts only with the word that its card gave here; a bare yes never does. */
  readonly decidesByWord?: true;
  /** How long a question waits that was asked here, ms; absent: an hour. */
  readonly patience?: number;
  /** More answers than this to one thread within an hour, or six times as many to one person, are a loop. */
  readonly answersPerHour?: number;
  /** How people type a command here, given as `resume 2`; absent: `/resume 2`. */
  writeCommand?(words: string): string;
  /** A promise when the text needs more than this channel has loaded so far. */
  render(text: Markdown): Part[] | Promise<Part[]>;
  /** Throws with a message for the operator when the config is wrong; starts nothing yet. */
  open(config: unknown, context: ChannelContext): Listener;
}

/** One per bot, app or mailbox. A method that is present is an ability. */
export interface Listener {
  readonly id: ListenerId;
  /** Resolves when it listens or has scheduled its reconnects; rejects only for what no retry can mend. */
  start(accept: Accept): Promise<void>;
  /** Rejects with SendError. */
  send(to: Address, part: Part, key: SendKey): Promise<MessageRef>;
  /** Finish what is in flight, lose nothing. */
  stop(): Promise<void>;
  health(): ListenerHealth;
  /** What the platform allows in this chat; absent: as fast as it goes. The gateway keeps to it, the listener never waits. */
  pace?(to: Address): Pace;
  /** "Not modified" is success. Rejects with SendError. */
  edit?(ref: MessageRef, part: Part): Promise<void>;
  remove?(ref: MessageRef): Promise<void>;
  /** What a press is answered stays as a message of its own, so what the card shows by itself is not said. */
  readonly noticesStay?: true;
  /** At once, private to the presser; never throws for a press that is too old. */
  answerPress?(press: PressRef, notice?: string): Promise<void>;
  /**
   * Shows a part in a group to one account alone. Rejects with SendError; `gone` when the platform cannot (any more): then
   * a direct chat is tried.
   */
  whisper?(to: Address, only: Only, part: Part): Promise<void>;
  /** `whisper` works as an answer to a press or slash command only (Discord): whoever wrote a message is told in their direct chat. */
  readonly whispersToPressesOnly?: true;
  /** After so long at work, ms, one message says that it goes on; absent: none does. */
  readonly progressAfter?: number;
  /** Best effort; must never take a send slot from an answer. */
  showTyping?(to: Address): Promise<void>;
  openDirect?(account: AccountId): Promise<Address>;
  fetchFile?(file: FileRef, into: WritableStream<Uint8Array>): Promise<void>;
  /** Fills the page that the platform keeps for each person (Slack: App Home), after a HomeOpened. */
  showHome?(account: AccountId, parts: readonly Part[]): Promise<void>;
  setMenu?(commands: readonly MenuEntry[]): Promise<void>;
  /** What a person is sent to come in with a code (Telegram: the t.me start link). */
  joinLink?(code: string): string | undefined;
  routes?(): Route[];
}
