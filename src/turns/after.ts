// What is left to do with an event once it is on disk.
import type {
  ButtonPress,
  ChatChange,
  HomeOpened,
  InboundMessage,
  PressRef,
} from "../core/events.ts";
import type { Caller, Markdown } from "../core/words.ts";
import type { OutboxRow } from "../store/outbox-row.ts";
import type { Work } from "./claim.ts";
import type { StopEffect } from "./stop.ts";
import type { Command } from "./words.ts";

/** What is answered: who said it, where, and how the platform wants to hear of it. */
export type Answered = Pick<InboundMessage, "chat" | "message" | "sender" | "press">;

/** Who hears of a code: its sender alone; the group where they cannot be told alone; or nobody. */
export type CodeReply = "sender" | "group" | "nobody";

export type After =
  /** The platform may still wait for an answer to a slash command. */
  | { readonly do: "nothing"; readonly press?: PressRef }
  | { readonly do: "run"; readonly work: Work }
  | {
      readonly do: "wait";
      readonly conversation: string;
      readonly event: InboundMessage;
      readonly crowded: boolean;
      /** What its sender should know meanwhile. */
      readonly told?: Markdown;
    }
  | { readonly do: "say"; readonly event: InboundMessage; readonly text: Markdown }
  | {
      readonly do: "command";
      readonly caller: Caller;
      readonly event: InboundMessage;
      readonly command: Command;
      readonly stop?: StopEffect;
    }
  | {
      readonly do: "answer";
      readonly caller: Caller;
      readonly event: InboundMessage;
      readonly question?: string;
    }
  | {
      readonly do: "code";
      readonly event: Answered;
      readonly hmac: string;
      readonly tell: CodeReply;
    }
  | { readonly do: "press"; readonly caller: Caller; readonly event: ButtonPress }
  | { readonly do: "home"; readonly caller: Caller; readonly event: HomeOpened }
  | {
      readonly do: "chat";
      readonly caller: Caller;
      readonly event: ChatChange;
      readonly moved?: readonly OutboxRow[];
    };
