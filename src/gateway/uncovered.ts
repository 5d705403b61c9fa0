// Who loses their place: by an entry of access.allowEmail that is gone, or while no gateway ran.
import { endUncovered } from "../access/mail.ts";
import type { Running } from "../admin/running.ts";
import type { Clock } from "../core/clock.ts";
import { cancelCallerEntries, waitingConversations, waitingPrompts } from "../store/inbox.ts";
import { findPairingById } from "../store/pairings.ts";
import type { Op } from "../store/query.ts";
import type { Store } from "../store/store.ts";
import { openTurns } from "../store/turns.ts";
import type { TurnPorts } from "../turns/ports.ts";
import { stopCaller } from "../turns/stop.ts";

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

/** Before anything is taken up again: nothing of people whose pairing is gone is. */
export async function endBefore(
  { store, clock, entries }: Parts,
  approvals: TurnPorts["approvals"],
): Promise<void> {
  await store.run(function* () {
    yield* endUncovered(entries, clock.now());
    for (const caller of yield* callersAtWork()) {
      if (!caller.startsWith("p:") || (yield* findPairingById(caller.slice(2)))) continue;
      yield* cancelCallerEntries(caller);
      yield* stopCaller(approvals, caller);
    }
  });
}

function* callersAtWork(): Op<ReadonlySet<string>> {
  const callers = new Set((yield* openTurns()).map(({ caller }) => caller));
  for (const lane of yield* waitingConversations())
    for (const { caller } of yield* waitingPrompts(lane, 100)) callers.add(caller);
  return callers;
}
