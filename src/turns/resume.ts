// Commands, presses and answers that a dead gateway had accepted and not handled: handled now, in their order.
import { identify } from "../access/identify.ts";
import type { Accepted } from "../bus/accept.ts";
import type { InboundEvent } from "../core/events.ts";
import { unhandledEntries } from "../store/inbox.ts";
import type { InboxEntry } from "../store/inbox-row.ts";
import type { Op } from "../store/query.ts";
import type { After, Answered, CodeReply } from "./after.ts";
import { readerOf } from "./letter.ts";
import type { TurnPorts } from "./ports.ts";

/** Once its listeners are known: each is read as its channel is. */
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
  readonly tell?: CodeReply;
  readonly event: Answered;
}

function* afterOf({ channel }: TurnPorts, { listener, event, kind }: InboxEntry): Op<After> {
  if (kind === "code") {
    const stored = event as unknown as StoredCode;
    return { do: "code", tell: "nobody", ...stored };
  }
  const inbound: InboundEvent = event;
  const caller = yield* identify({ listener, ...inbound.sender });
  if (inbound.kind === "press") return { do: "press", caller, event: inbound };
  if (inbound.kind === "chat") return { do: "chat", caller, event: inbound };
  if (inbound.kind === "home") return { do: "home", caller, event: inbound };
  const command = readerOf(channel(listener)).command(inbound);
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
  return { do: "answer", caller, event: inbound };
}
