// Stop: everything of a caller in a conversation, running or waiting, ends in one transaction; SQL picks the winner against a press.
import { may } from "../access/authorise.ts";
import type { Approvals, Expired } from "../approvals/approvals.ts";
import type { Caller, ConversationId, TurnId } from "../core/words.ts";
import { type Conversation, isShared } from "../store/conversations.ts";
import { cancelAllWaiting, cancelWaitingPrompts } from "../store/inbox.ts";
import type { Op } from "../store/query.ts";
import { openTurns, stopTurn, stopTurns, stopTurnsOfCaller } from "../store/turns.ts";

export interface StopEffect {
  readonly turns: readonly TurnId[];
  /** Prompts taken back before they began. */
  readonly waiting: number;
  readonly expired: readonly Expired[];
}

/** Why a turn is stopped: its own person said so in the chat, and is answered there. */
export const asked = Symbol("asked");

/** Why a turn is cut short without an end: the next gateway takes it up. */
export const parked = Symbol("parked");

type Expires = Pick<Approvals, "expireTurn">;

/** `/stop`, or `/stop 4fK2…` with the beginning of a task's id: an owner may stop any turn, and all of a conversation that is shared. */
export function* stopFor(
  approvals: Expires,
  caller: Caller,
  { conversation, command }: { conversation: Conversation; command: { rest: string } },
): Op<StopEffect> {
  const task = command.rest.trim();
  if (!task && isShared(conversation) && may(caller, "stop"))
    return yield* stopAllIn(approvals, conversation.id);
  if (!task) return yield* stopConversation(approvals, conversation.id, caller.id);
  const turn = (yield* openTurns()).find(
    (one) => one.task.startsWith(task) && may(caller, "stop", { starter: one.caller }),
  );
  return turn ? yield* stopOne(approvals, turn.id) : { turns: [], waiting: 0, expired: [] };
}

/** For the transaction that accepts the stop: every row it sees is an earlier one. */
function* stopConversation(
  approvals: Expires,
  conversation: ConversationId,
  caller: string,
): Op<StopEffect> {
  const waiting = yield* cancelWaitingPrompts({
    conversation,
    caller,
    before: Number.MAX_SAFE_INTEGER,
  });
  const turns = yield* stopTurns(conversation, caller);
  return { turns, waiting, expired: yield* expireAll(approvals, turns) };
}

/** Whoever wrote it. */
export function* stopAllIn(approvals: Expires, conversation: ConversationId): Op<StopEffect> {
  const waiting = yield* cancelAllWaiting(conversation);
  const turns: TurnId[] = [];
  for (const turn of yield* openTurns())
    if (turn.conversation === conversation && (yield* stopTurn(turn.id))) turns.push(turn.id);
  return { turns, waiting, expired: yield* expireAll(approvals, turns) };
}

export function* stopCaller(approvals: Expires, caller: string): Op<StopEffect> {
  const turns = yield* stopTurnsOfCaller(caller);
  return { turns, waiting: 0, expired: yield* expireAll(approvals, turns) };
}

export function* stopOne(approvals: Expires, turn: TurnId): Op<StopEffect> {
  const turns = (yield* stopTurn(turn)) ? [turn] : [];
  return { turns, waiting: 0, expired: yield* expireAll(approvals, turns) };
}

function* expireAll(approvals: Expires, turns: readonly TurnId[]): Op<Expired[]> {
  const all: Expired[] = [];
  for (const turn of turns) all.push(yield* approvals.expireTurn(turn, "stop"));
  return all;
}
