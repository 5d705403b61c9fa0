// Retry: a prompt that a crash cut off is put into its lane once more, because its person says so.
import { may } from "../access/authorise.ts";
import { identify } from "../access/identify.ts";
import type { Caller } from "../core/words.ts";
import { takeRetry } from "../store/cards.ts";
import { isEnabled } from "../store/chats.ts";
import { findListed, isShared, type Listed } from "../store/conversations.ts";
import { addEntry, findEntry } from "../store/inbox.ts";
import type { InboxEntry } from "../store/inbox-row.ts";
import type { Op } from "../store/query.ts";
import { starterIn } from "./claim.ts";
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
  const starter = yield* starterNow(ports, entry);
  if (!starter) return "Whoever asked this is not known to me any more, so I do not run it.";
  if (!(yield* isHeard(conversation))) return "That chat is closed to me, so I run nothing in it.";
  if (!(yield* takeRetry(inbox))) return "This was retried already.";
  const { role } = starterIn(conversation, starter);
  yield* addEntry({ ...copyOf(entry), role, receivedAt: ports.clock.now() });
  return { conversation: entry.conversation };
}

/** Its person may have lost their account or right since, and an owner may have pressed. */
function* starterNow({ settings }: TurnPorts, entry: InboxEntry): Op<Caller | undefined> {
  const now = yield* identify({ listener: entry.listener, ...entry.event.sender });
  if (now.id !== entry.caller) return undefined;
  return now.role === "anonymous" && settings().public !== "anyone" ? undefined : now;
}

function* isHeard({ kind, address }: Listed): Op<boolean> {
  return kind === "direct" || (yield* isEnabled(address.listener, address.chat));
}

function copyOf(entry: InboxEntry) {
  const { listener, caller, conversation, event } = entry;
  return {
    listener,
    key: `${event.key} retry of ${entry.id}`,
    kind: "prompt",
    state: "accepted" as const,
    outcome: null,
    caller,
    conversation,
    turn: null,
    album: null,
    body: event,
    at: event.at,
  };
}
