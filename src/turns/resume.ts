// Commands, presses and answers that a dead gateway had accepted and not handled: handled now, in their order.
import { identify } from "../access/identify.ts";
import type { Accepted } from "../bus/accept.ts";
import type { InboundEvent, InboundMessage } from "../core/events.ts";
import { ensureConversation } from "../store/conversations.ts";
import { unhandledEntries } from "../store/inbox.ts";
import type { InboxEntry } from "../store/inbox-row.ts";
import type { Op } from "../store/query.ts";
import { addressOf } from "./admission.ts";
import type { After } from "./after.ts";
import type { TurnPorts } from "./ports.ts";
import { commandIn } from "./words.ts";

export async function unhandled(ports: TurnPorts): Promise<Accepted<After>[]> {
  return ports.store.run(function* () {
    const found: Accepted<After>[] = [];
    for (const entry of yield* unhandledEntries()) {
      const { id, listener } = entry;
      found.push({ id, listener, after: yield* afterOf(ports, entry) });
    }
    return found;
  });
}

interface StoredCode {
  readonly hmac: string;
  readonly heard: boolean;
  readonly event: Pick<InboundMessage, "chat" | "message" | "sender">;
}

function* afterOf(ports: TurnPorts, { listener, event, kind }: InboxEntry): Op<After> {
  if (kind === "code") {
    const stored = event as unknown as StoredCode;
    return { do: "code", ...stored };
  }
  const inbound: InboundEvent = event;
  const caller = yield* identify({ listener, ...inbound.sender });
  if (inbound.kind === "press") return { do: "press", caller, event: inbound };
  if (inbound.kind === "chat") return { do: "chat", caller, event: inbound };
  if (inbound.kind === "home") return { do: "home", caller, event: inbound };
  const command = commandIn(inbound);
  // Its stop was committed with it; only the sentence is missing.
  const stop = { turns: ["?"], waiting: 0, expired: [] };
  if (command)
    return {
      do: "command",
      caller,
      event: inbound,
      command,
      ...(command.name === "stop" ? { stop } : {}),
    };
  const place = {
    address: addressOf(listener, inbound),
    kind: inbound.chat.kind,
    caller: caller.id,
  };
  const conversation = yield* ensureConversation(place, ports.token(), ports.clock.now());
  return { do: "answer", caller, event: inbound, conversation };
}
