// What comes in from a channel, already translated and still untrusted.
import type { AccountId, ChatRef } from "./words.ts";

/** A message on its platform; plain data that survives a restart. */
export interface MessageRef {
  readonly chat: string;
  /** Empty where there is no message that could be answered or removed (a slash command). */
  readonly id: string;
  readonly thread?: string;
  /** What an answer to it says again, in the channel's own words (a mail's subject and references). */
  readonly echo?: string;
}

/** Handle of a button press, or of a slash command, that the platform wants answered (Telegram: the callback query's id). */
export interface PressRef {
  readonly id: string;
}

/** A file on its platform, not downloaded yet. */
export interface FileRef {
  readonly id: string;
  readonly name: string;
  readonly mime: string;
  /** Bytes, when the platform says so. */
  readonly size?: number;
}

export interface EventSender {
  readonly account: AccountId;
  readonly name: string;
  /** Where the platform vouches for nobody (mail): what proved here who it is from. */
  readonly proof?: Proof;
}

/** Whom a message is from, found out by the channel itself. */
export interface Proof {
  /** The address that is proved, as ASCII; the account is the same in lower case. */
  readonly address: string;
  /** How, in one line, for the audit and `task show`. */
  readonly reason: string;
}

interface EventBase {
  /** What the platform promises never to repeat, unique within the listener (bot id + chat + message id, callback id). */
  readonly key: string;
  /** When it happened by the platform's clock, in ms since 1970. */
  readonly at: number;
  readonly chat: ChatRef;
  readonly sender: EventSender;
  /** What else tells that it is the same (a mail's Message-ID, its signature): whoever repeats one within 30 days is not heard. */
  readonly marks?: readonly string[];
}

export interface InboundMessage extends EventBase {
  readonly kind: "message";
  readonly message: MessageRef;
  readonly text: string;
  /**
   * Why nobody is to be answered: it is not proved whom it is from, a machine wrote it, it was not meant for us. Nothing
   * else of it is looked at or kept.
   */
  readonly silent?: string;
  /** What the sender calls the matter (a mail's subject), where the text does not say it. */
  readonly subject?: string;
  /** What the group is called, where the platform says so along with a message. */
  readonly title?: string;
  /** In a group: mentions us, replies to us, or is a command with our name. Always true in a direct chat. */
  readonly addressed: boolean;
  /** The message this one replies to; `ours` when the agent wrote it. `message`: where the platform says which it is. */
  readonly quote?: {
    readonly text: string;
    readonly author: string;
    readonly ours: boolean;
    readonly message?: MessageRef;
  };
  readonly files: readonly FileRef[];
  /** Messages with the same album id were sent as one. */
  readonly album?: string;
  /** What the channel cannot read, in words that fit "I cannot read …" (`a sticker`, `a voice message`). */
  readonly unreadable?: string;
  /** It was a command that nobody else saw: the platform waits for an answer to it that only the sender sees. */
  readonly press?: PressRef;
  /** The person changed an earlier message, the one that came in under `key`: never run, at most answered with a note. */
  readonly edited?: { readonly key: string };
}

export interface ButtonPress extends EventBase {
  readonly kind: "press";
  readonly press: PressRef;
  /** The opaque token of the button. */
  readonly data: string;
  /** Absent when the platform no longer shows the message. */
  readonly message?: MessageRef;
}

export interface ChatChange extends EventBase {
  readonly kind: "chat";
  readonly change: "added" | "removed" | "migrated" | "blocked" | "unblocked";
  /** The new id of a migrated chat. */
  readonly to?: string;
  readonly title?: string;
}

/** A person looks at the page that the platform keeps for them (Slack: App Home). */
export interface HomeOpened extends EventBase {
  readonly kind: "home";
}

export type InboundEvent = InboundMessage | ButtonPress | ChatChange | HomeOpened;
