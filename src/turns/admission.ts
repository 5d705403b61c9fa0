// The shapes of an admission: ignored, or answered with a sentence.
import type { Admission } from "../bus/accept.ts";
import type { InboundEvent, InboundMessage } from "../core/events.ts";
import type { Address, Caller, ListenerId } from "../core/words.ts";
import type { After } from "./after.ts";

export type Admitted = Admission<After>;

export interface Incoming {
  readonly listener: ListenerId;
  readonly event: InboundMessage;
}

export function addressOf(listener: ListenerId, event: Pick<InboundEvent, "chat">): Address {
  const { id, thread } = event.chat;
  return { listener, chat: id, ...(thread === undefined ? {} : { thread }) };
}

export function nothing(caller: Caller): Admitted {
  const { id, role } = caller;
  const after: After = { do: "nothing" };
  return { kind: "none", state: "done", outcome: "ignored", caller: id, role, body: null, after };
}

/** Answered with a sentence; the event itself starts nothing. */
export function say(
  caller: Caller,
  event: InboundMessage,
  text: string,
  body: unknown = event,
): Admitted {
  const after: After = { do: "say", event, text };
  const { id, role } = caller;
  return { kind: "none", state: "done", outcome: "refused", caller: id, role, body, after };
}
