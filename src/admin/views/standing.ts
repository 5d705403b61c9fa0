// What is going on right now, in all conversations: turns that are open, and who waits for a place.
import type { Work } from "../../core/page.ts";
import type { ConversationId } from "../../core/words.ts";
import type { Op } from "../../store/query.ts";
import { waitingLine } from "../../store/shown.ts";
import { findTask, type Task } from "../../store/tasks.ts";
import { openTurns, type Turn } from "../../store/turns.ts";
import { short } from "./seeing.ts";

export interface Standing {
  readonly turns: ReadonlyMap<ConversationId, { readonly turn: Turn; readonly task: Task }>;
  /** Conversations that wait for a place, in order; what waits behind a turn of its own conversation is not in it. */
  readonly queue: readonly ConversationId[];
}

export function* standing(): Op<Standing> {
  const turns = new Map<ConversationId, { turn: Turn; task: Task }>();
  for (const turn of yield* openTurns()) {
    const task = yield* findTask(turn.task);
    if (task) turns.set(turn.conversation, { turn, task });
  }
  const queue = (yield* waitingLine()).filter((conversation) => !turns.has(conversation));
  return { turns, queue };
}

export function workIn({ turns }: Standing, conversation: ConversationId): Work | null {
  const open = turns.get(conversation);
  if (!open) return null;
  const { turn, task } = open;
  const state =
    turn.state === "stopping"
      ? "stopping"
      : task.state === "input-required"
        ? "waiting"
        : "working";
  return { task: task.id, title: short(task.title), state, startedAt: turn.startedAt };
}

/** 1 is next; null: it does not wait. */
export function placeOf({ queue }: Standing, conversation: ConversationId): number | null {
  const index = queue.indexOf(conversation);
  return index < 0 ? null : index + 1;
}

export function stateOf(
  now: Standing,
  conversation: ConversationId,
): "idle" | "working" | "waiting" | "queued" {
  const work = workIn(now, conversation);
  if (work) return work.state === "waiting" ? "waiting" : "working";
  return now.queue.includes(conversation) ? "queued" : "idle";
}
