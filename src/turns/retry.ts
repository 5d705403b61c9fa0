// Retry: a prompt that a crash cut off is put into its lane once more, because its person says so.
import { may } from "../access/authorise.ts";
import type { Caller } from "../core/words.ts";
import { takeRetry } from "../store/cards.ts";
import { findListed, isShared } from "../store/conversations.ts";
import { addEntry, findEntry } from "../store/inbox.ts";
import type { InboxEntry } from "../store/inbox-row.ts";
import type { Op } from "../store/query.ts";
import type { TurnPorts } from "./ports.ts";

/** The conversation to wake, or a sentence that says why not. Each offer counts once. */
export async function retryEntry(
  ports: TurnPorts,
  by: Caller,
  inbox: number,
): Promise<{ conversation: string } | string> {
  return ports.store.run(() => again(ports, by, inbox));
}

function* again(
  ports: TurnPorts,
  by: Caller,
  inbox: number,
): Op<{ conversation: string } | string> {
  const entry = yield* findEntry(inbox);
  const conversation = entry?.conversation ? yield* findListed(entry.conversation) : undefined;
  const over = !conversation || (isShared(conversation) && !conversation.current);
  if (!entry?.conversation || over) return "There is nothing to retry any more.";
  if (!may(by, "answer", { starter: entry.caller }))
    return "Only the person who asked, or an owner, can retry this.";
  if (!(yield* takeRetry(inbox))) return "This was retried already.";
  yield* addEntry({ ...copyOf(entry), receivedAt: ports.clock.now() });
  return { conversation: entry.conversation };
}

function copyOf(entry: InboxEntry) {
  const { listener, caller, role, conversation, event } = entry;
  return {
    listener,
    key: `${event.key} retry of ${entry.id}`,
    kind: "prompt",
    state: "accepted" as const,
    outcome: null,
    caller,
    role,
    conversation,
    turn: null,
    album: null,
    body: event,
    at: event.at,
  };
}
