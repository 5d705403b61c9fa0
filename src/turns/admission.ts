// The shapes of an admission: ignored, or answered with a sentence.
import { audit } from "../access/audit.ts";
import type { Admission } from "../bus/accept.ts";
import type { InboundEvent, InboundMessage } from "../core/events.ts";
import type { Address, Caller, ListenerId } from "../core/words.ts";
import type { Op } from "../store/query.ts";
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

export function nothing(caller: Caller, { press }: Pick<InboundMessage, "press"> = {}): Admitted {
  const { id, role } = caller;
  const after: After = { do: "nothing", ...(press ? { press } : {}) };
  return { kind: "none", state: "done", outcome: "ignored", caller: id, role, body: null, after };
}

/** The same with an audit row: it was refused, and why. */
export function* refuse(
  refusal: Incoming & { readonly caller: Caller; readonly at: number; readonly why: string },
  text: string,
): Op<Admitted> {
  const { caller, listener, event, at, why } = refusal;
  const place = `${listener} ${event.chat.id}`;
  const name = caller.pairing === null ? "" : caller.name;
  const row = { at, who: caller.id, name, place, action: "message", target: "" };
  yield* audit({ ...row, outcome: "refused", why });
  return say(caller, event, text);
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
