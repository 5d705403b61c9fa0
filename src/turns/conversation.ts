// Which conversation belongs to what somebody says.
import type { InboundMessage } from "../core/events.ts";
import type { Caller, ListenerId } from "../core/words.ts";
import { isSharedChat } from "../store/chats.ts";
import { type Conversation, ensureConversation, everybody } from "../store/conversations.ts";
import type { Op } from "../store/query.ts";
import { addressOf } from "./admission.ts";
import type { TurnPorts } from "./ports.ts";

export interface Speaking {
  readonly caller: Caller;
  readonly listener: ListenerId;
  readonly event: Pick<InboundMessage, "chat">;
}

/** Their own, or where an owner said /share the one of all who are paired there. */
export function* conversationFor(
  { clock, token }: Pick<TurnPorts, "clock" | "token">,
  { caller, listener, event }: Speaking,
): Op<Conversation> {
  const { id, kind } = event.chat;
  const shared = kind === "group" && caller.pairing !== null && (yield* isSharedChat(listener, id));
  const place = {
    address: addressOf(listener, event),
    kind,
    caller: shared ? everybody : caller.id,
  };
  return yield* ensureConversation(place, token(), clock.now());
}
