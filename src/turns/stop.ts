// Stop: everything of a caller in a conversation, running or waiting, ends in one transaction; SQL picks the winner against a press.
import { may } from "../access/authorise.ts";
import type { Approvals, Expired } from "../approvals/approvals.ts";
import type { Caller, ConversationId, TurnId } from "../core/words.ts";
import { type Conversation, isShared, ownBeside } from "../store/conversations.ts";
import { cancelAllWaiting, cancelWaitingPrompts, waitingConversations } from "../store/inbox.ts";
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

/** Why a turn is stopped: its chat was closed to us, so no word more goes there. */
export const closed = Symbol("closed");

export type StopReason = typeof asked | typeof closed;

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
  if (!task) return yield* stopHere(approvals, caller, conversation);
  const turn = (yield* openTurns()).find(
    (one) => one.task.startsWith(task) && may(caller, "stop", { starter: one.caller }),
  );
  return turn ? yield* stopOne(approvals, turn.id) : { turns: [], waiting: 0, expired: [] };
}

function* stopHere(approvals: Expires, caller: Caller, conversation: Conversation): Op<StopEffect> {
  const here =
    isShared(conversation) && may(caller, "stop")
      ? yield* stopAllIn(approvals, [conversation])
      : yield* stopConversation(approvals, conversation.id, caller.id);
  const own = yield* ownBeside(conversation, caller);
  if (!own) return here;
  const beside = yield* stopConversation(approvals, own.id, caller.id);
  return {
    turns: [...here.turns, ...beside.turns],
    waiting: here.waiting + beside.waiting,
    expired: [...here.expired, ...beside.expired],
  };
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
export function* stopAllIn(
  approvals: Expires,
  conversations: readonly Pick<Conversation, "id">[],
): Op<StopEffect> {
  const ids = new Set(conversations.map(({ id }) => id));
  let waiting = 0;
  for (const id of yield* waitingConversations())
    if (ids.has(id)) waiting += yield* cancelAllWaiting(id);
  const turns: TurnId[] = [];
  for (const turn of yield* openTurns())
    if (ids.has(turn.conversation) && (yield* stopTurn(turn.id))) turns.push(turn.id);
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
