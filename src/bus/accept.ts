// The front door: a batch becomes durable in one transaction, duplicates end here, then it is handled.
import type { Clock } from "../core/clock.ts";
import type { InboundEvent } from "../core/events.ts";
import type { Log } from "../core/log.ts";
import type { ListenerId, Role } from "../core/words.ts";
import { addEntry, isKnown } from "../store/inbox.ts";
import type { InboxOutcome } from "../store/inbox-row.ts";
import type { Op } from "../store/query.ts";
import type { Store } from "../store/store.ts";

/** What of an event is kept, and what becomes of it. Decided in the transaction that makes it durable. */
export interface Admission<After> {
  readonly kind: "prompt" | "command" | "press" | "chat" | "answer" | "code" | "none";
  readonly state: "accepted" | "started" | "done";
  readonly outcome?: InboxOutcome;
  readonly caller: string | null;
  readonly role: Role | null;
  readonly conversation?: string | null;
  readonly turn?: string | null;
  readonly album?: string | null;
  /** What is stored of it: the event, less, or null for the id alone. */
  readonly body: unknown;
  /** Handed to `handle` after the commit, with the row's id. */
  readonly after: After;
}

export interface Accepted<After> {
  readonly id: number;
  readonly listener: ListenerId;
  readonly after: After;
}

export interface FrontDoor<After> {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** One generator per batch, so that it may remember what it decided for earlier events of the same batch. */
  admit(listener: ListenerId): (event: InboundEvent) => Op<Admission<After>>;
  /** After the commit, in the order of arrival; must not throw and not be waited for. */
  handle(accepted: readonly Accepted<After>[]): void;
}

/** Resolves once the batch is on disk: only then may the platform be told that it was taken. */
export async function accept<After>(
  door: FrontDoor<After>,
  listener: ListenerId,
  events: readonly InboundEvent[],
): Promise<void> {
  const accepted = await door.store.run(() => admitAll(door, listener, events));
  door.handle(accepted);
}

function* admitAll<After>(
  door: FrontDoor<After>,
  listener: ListenerId,
  events: readonly InboundEvent[],
): Op<Accepted<After>[]> {
  const admit = door.admit(listener);
  const accepted: Accepted<After>[] = [];
  for (const event of events) {
    if (yield* isKnown(listener, event.key)) continue;
    const { after, outcome = null, ...admission } = yield* admit(event);
    const id = yield* addEntry({
      conversation: null,
      turn: null,
      album: null,
      ...admission,
      outcome,
      listener,
      key: event.key,
      at: event.at,
      receivedAt: door.clock.now(),
    });
    accepted.push({ id, listener, after });
  }
  return accepted;
}
