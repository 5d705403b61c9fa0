// What is left to do with an event once it is on disk.
import type { ButtonPress, ChatChange, HomeOpened, InboundMessage } from "../core/events.ts";
import type { Caller, Markdown } from "../core/words.ts";
import type { Conversation } from "../store/conversations.ts";
import type { Work } from "./claim.ts";
import type { StopEffect } from "./stop.ts";
import type { Command } from "./words.ts";

export type After =
  | { readonly do: "nothing" }
  | { readonly do: "run"; readonly work: Work }
  | {
      readonly do: "wait";
      readonly conversation: string;
      readonly event: InboundMessage;
      readonly crowded: boolean;
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
      readonly conversation: Conversation;
    }
  | {
      readonly do: "code";
      readonly event: Pick<InboundMessage, "chat" | "message" | "sender">;
      readonly hmac: string;
      /** We may speak there: in a group that nobody opened we stay silent. */
      readonly heard: boolean;
    }
  | { readonly do: "press"; readonly caller: Caller; readonly event: ButtonPress }
  | { readonly do: "home"; readonly caller: Caller; readonly event: HomeOpened }
  | { readonly do: "chat"; readonly caller: Caller; readonly event: ChatChange };
