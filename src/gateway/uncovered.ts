// Who loses their place: by an entry of access.allowEmail that is gone, or while no gateway ran.
import { identify } from "../access/identify.ts";
import { endUncovered } from "../access/mail.ts";
import type { Running } from "../admin/running.ts";
import type { Clock } from "../core/clock.ts";
import {
  finishEntry,
  promptsOfTurn,
  unhandledEntries,
  waitingConversations,
  waitingPrompts,
} from "../store/inbox.ts";
import type { InboxEntry } from "../store/inbox-row.ts";
import type { Op } from "../store/query.ts";
import type { Store } from "../store/store.ts";
import { openTurns } from "../store/turns.ts";
import type { TurnPorts } from "../turns/ports.ts";
import { stopOne } from "../turns/stop.ts";

interface Parts {
  readonly store: Store;
  readonly clock: Clock;
  /** access.allowEmail. */
  readonly entries: readonly string[];
}

/** While it runs: what `pair rm` ends, this ends. */
export async function endNow(
  { store, clock, entries }: Parts,
  { stopCaller: stop }: Pick<Running, "stopCaller">,
): Promise<void> {
  const gone = await store.run(() => endUncovered(entries, clock.now()));
  for (const { id } of gone) await stop(id, "no entry of access.allowEmail covers it any more");
}

/** Before anything is taken up again: nothing is of accounts that are not theirs any more who wrote. */
export async function endBefore(
  { store, clock, entries }: Parts,
  approvals: TurnPorts["approvals"],
): Promise<void> {
  await store.run(function* () {
    yield* endUncovered(entries, clock.now());
    for (const turn of yield* openTurns())
      if (yield* isLost(yield* promptsOfTurn(turn.id))) yield* stopOne(approvals, turn.id);
    for (const lane of yield* waitingConversations())
      for (const entry of yield* waitingPrompts(lane, waitingMost))
        if (yield* isLost([entry])) yield* finishEntry(entry.id, "cancelled");
    for (const entry of yield* unhandledEntries())
      if (answered.has(entry.kind) && (yield* isLost([entry])))
        yield* finishEntry(entry.id, "cancelled");
  });
}

/** They would say something to whoever it is now; a chat that changed did so whoever did it. */
const answered: ReadonlySet<InboxEntry["kind"]> = new Set(["command", "answer"]);

/** More than a lane takes. */
const waitingMost = 100;

function* isLost(entries: readonly InboxEntry[]): Op<boolean> {
  for (const { caller, listener, event } of entries)
    if (caller.startsWith("p:") && (yield* identify({ listener, ...event.sender })).id !== caller)
      return true;
  return false;
}
