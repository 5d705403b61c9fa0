// Claims: a prompt, or the prompts that waited for the same lane, become a task and its turn.
import { identify } from "../access/identify.ts";
import type { InboundMessage } from "../core/events.ts";
import type { Caller, Role } from "../core/words.ts";
import { type Conversation, findConversation, isShared } from "../store/conversations.ts";
import { promptsOfTurn, startEntry, waitingPrompts } from "../store/inbox.ts";
import type { InboxEntry } from "../store/inbox-row.ts";
import { findPairingById } from "../store/pairings.ts";
import type { Op } from "../store/query.ts";
import { addTask, findTask } from "../store/tasks.ts";
import { addTurn, findTurn, type Turn } from "../store/turns.ts";
import type { TurnPorts } from "./ports.ts";

export interface Work {
  readonly turn: Turn;
  readonly conversation: Conversation;
  readonly caller: Caller;
  readonly prompts: readonly InboundMessage[];
  /** A dead gateway had started it. */
  readonly again: boolean;
}

interface Claim {
  readonly task: string;
  readonly turn: string;
  readonly conversation: Conversation;
  readonly caller: Caller;
  readonly prompts: readonly InboundMessage[];
}

/** Inserts task and turn; the caller of this marks the inbox rows started in the same transaction. */
export function* begin(ports: TurnPorts, claim: Claim): Op<Work> {
  const { conversation, caller, prompts } = claim;
  const at = ports.clock.now();
  const title = titleOf(prompts);
  yield* addTask({
    id: claim.task,
    conversation: conversation.id,
    caller: caller.id,
    callerName: caller.name,
    title,
    at,
  });
  const turn = {
    id: claim.turn,
    task: claim.task,
    conversation: conversation.id,
    caller: caller.id,
    role: caller.role,
    asks: ports.agent.asks,
    epoch: ports.store.epoch,
    startedAt: at,
  };
  yield* addTurn(turn);
  return {
    turn: { ...turn, state: "running", effects: false, run: 1 },
    conversation,
    caller,
    prompts,
    again: false,
  };
}

/** An album may still be arriving this long after its last piece. */
export const albumWait = 1200;
const mergeMost = 20;

/** The next work of a lane; "arriving" when more of it is expected, undefined when nothing waits (any more). */
export function* claimNext(
  ports: TurnPorts,
  id: string,
  ids: { task: string; turn: string },
): Op<Work | "arriving" | undefined> {
  const conversation = yield* findConversation(id);
  const { merge } = ports.settings();
  const waiting = yield* waitingFor(id, merge);
  if (!conversation || waiting.length === 0) return undefined;
  const group = together(waiting, merge, ports.clock.now());
  const first = group[0];
  if (!first) return "arriving";
  const caller = yield* starterOf(conversation, first);
  for (const entry of group) yield* startEntry(entry.id, ids.turn);
  const prompts = group.map((entry) => entry.event as InboundMessage);
  return yield* begin(ports, { ...ids, conversation, caller, prompts });
}

/** As they stand now. What the platform calls somebody is theirs to choose: who is paired has the name that they were given. */
function* starterOf(conversation: Conversation, entry: InboxEntry): Op<Caller> {
  const { listener, caller, role, event } = entry;
  const pairing = caller.startsWith("p:") ? yield* findPairingById(caller.slice(2)) : undefined;
  if (!pairing) return callerOf(caller, role, event.sender.name);
  const now = yield* identify({ listener, ...event.sender });
  // An account that counts for less than its pairing, or is another's by now, gives no owner's power.
  const is = now.id === caller ? now.role : "authenticated";
  return starterIn(conversation, callerOf(caller, is, pairing.name));
}

/** The head of the line, and those behind it only where they may come along. */
function* waitingFor(id: string, merge: boolean): Op<InboxEntry[]> {
  const head = yield* waitingPrompts(id, 1);
  return merge || head[0]?.album ? yield* waitingPrompts(id, mergeMost) : head;
}

/** The first prompt, and those behind it that belong to the same turn: same caller when merging, same album always. */
function together(waiting: readonly InboxEntry[], merge: boolean, now: number): InboxEntry[] {
  const first = waiting[0];
  const group: InboxEntry[] = [];
  for (const entry of waiting) {
    const sameAlbum = entry.album !== null && entry.album === first?.album;
    // In a conversation that is shared each turn is of one person.
    if (entry.caller !== first?.caller || (entry !== first && !sameAlbum && !merge)) break;
    if (entry.album !== null && now - entry.receivedAt < albumWait)
      return group.filter((one) => one.album !== entry.album);
    group.push(entry);
  }
  return group;
}

/** A turn that a dead gateway had started, as work again. */
export function* reclaim(turnId: string): Op<Work | undefined> {
  const turn = yield* findTurn(turnId);
  const conversation = turn && (yield* findConversation(turn.conversation));
  if (!turn || !conversation) return undefined;
  const entries = yield* promptsOfTurn(turnId);
  const task = yield* findTask(turn.task);
  const [first] = entries;
  const caller = first
    ? yield* starterOf(conversation, first)
    : callerOf(turn.caller, turn.role, task?.callerName ?? "");
  return {
    turn,
    conversation,
    caller,
    prompts: entries.map((entry) => entry.event as InboundMessage),
    again: true,
  };
}

/** What others write as well may make the agent do things: nothing of it is done with an owner's power. */
export function starterIn(conversation: Conversation, caller: Caller): Caller {
  return isShared(conversation) && caller.role === "owner"
    ? { ...caller, role: "authenticated" }
    : caller;
}

export function callerOf(id: string, role: Role, name: string): Caller {
  return { id, pairing: id.startsWith("p:") ? id.slice(2) : null, role, name };
}

function titleOf(prompts: readonly InboundMessage[]): string {
  const [text] = prompts.flatMap((prompt) => firstLine(prompt) || []);
  const title = (text ?? prompts[0]?.files[0]?.name ?? "").replace(/\s+/g, " ");
  return title.length > 80 ? `${title.slice(0, 79)}…` : title;
}

/** What the sender calls the matter, where they do: a first line is often a salutation. */
function firstLine({ text, subject }: InboundMessage): string {
  return subject?.trim() || (text.trim().split("\n", 1)[0] ?? "");
}
