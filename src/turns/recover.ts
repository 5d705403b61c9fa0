// After a crash: what a dead gateway had begun is run again, or reported, before any new event is looked at.
import { finishTurnEntries, waitingConversations } from "../store/inbox.ts";
import { setOutboxState, undelivered } from "../store/outbox.ts";
import type { OutboxRow } from "../store/outbox-row.ts";
import type { Op } from "../store/query.ts";
import { setTaskState } from "../store/tasks.ts";
import { endTurn, openTurns, runAgain, type Turn } from "../store/turns.ts";
import { quoting } from "./aside.ts";
import { reclaim, type Work } from "./claim.ts";
import { finish } from "./finish.ts";
import type { TurnPorts } from "./ports.ts";

export interface Recovered {
  /** Turns to run again. */
  readonly again: readonly Work[];
  /** Conversations in which prompts wait. */
  readonly lanes: readonly string[];
  /** Undelivered parts. */
  readonly rows: readonly OutboxRow[];
  readonly reported: number;
  readonly ambiguous: number;
  /** Tells the people whose turns are not run again; their listeners must be known by then. */
  report(): Promise<void>;
}

/** `swept`: nothing of the dead gateway runs any more. If that is unknown, nothing is run again. */
export async function recover(ports: TurnPorts, swept: boolean): Promise<Recovered> {
  const found = await ports.store.run(() => settleRows(ports, swept));
  return {
    async report() {
      for (const work of found.report) await report(ports, work, swept);
    },
    rows: found.rows,
    again: found.again,
    lanes: found.lanes,
    reported: found.report.length,
    ambiguous: found.ambiguous,
  };
}

interface Found {
  readonly again: Work[];
  readonly report: Work[];
  readonly lanes: string[];
  readonly rows: readonly OutboxRow[];
  readonly ambiguous: number;
}

function* settleRows(ports: TurnPorts, swept: boolean): Op<Found> {
  const again: Work[] = [];
  const report: Work[] = [];
  const left = yield* undelivered();
  for (const { id, state } of left)
    if (state === "sending") yield* setOutboxState(id, "pending", "a crash came in between");
  for (const turn of yield* openTurns()) {
    yield* ports.approvals.expireTurn(turn.id, "restart");
    if (turn.state === "stopping") yield* cancel(ports, turn);
    else {
      const rerun = swept && mayRunAgain(turn);
      if (rerun) yield* runAgain(turn.id, ports.store.epoch);
      const work = yield* reclaim(turn.id);
      if (work) (rerun ? again : report).push(work);
    }
  }
  const lanes = yield* waitingConversations();
  // An edit that is made once more shows nothing twice; what was rewritten while it was sent is pending, and in doubt.
  const ambiguous = left.filter(({ ref, attempts }) => !ref && attempts > 0).length;
  return { again, report, lanes, rows: yield* undelivered(), ambiguous };
}

/** Only if it provably changed nothing, and never a third time. */
function mayRunAgain(turn: Turn): boolean {
  return turn.asks && !turn.effects && turn.run < 2;
}

function* cancel({ clock }: TurnPorts, turn: Turn): Op<void> {
  const at = clock.now();
  yield* endTurn(turn.id, "cancelled", at);
  yield* finishTurnEntries(turn.id, "cancelled");
  yield* setTaskState({ id: turn.task, state: "canceled", at });
}

async function report(
  ports: TurnPorts,
  { turn, conversation, prompts }: Work,
  swept: boolean,
): Promise<void> {
  const last = prompts.at(-1);
  const channel = ports.channel(conversation.address.listener);
  const retry = channel?.limits.buttons === 0 ? "send `retry`" : "press Retry (or send `retry`)";
  const why = !swept
    ? "I could not make sure that what I had started is gone"
    : !turn.asks
      ? "this agent has not been seen to ask before it changes things"
      : turn.effects
        ? "something may have been changed already"
        : "it was cut off twice";
  await finish(ports, {
    turn,
    task: "failed",
    inbox: "reported",
    how: "reported",
    reason: `cut off by a restart: ${why}`,
    text: `⚠️ A restart cut me off, and I did not begin again by myself, because ${why}. Have a look, then ${retry} to run it once more.`,
    to: conversation.address,
    ...quoting(channel, conversation, last?.message),
    grown: true,
    retry: true,
  });
}
