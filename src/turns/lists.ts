// The lists of the chat: what is going on, what was done, what waits for a decision, and who asks.

import { may } from "../access/authorise.ts";
import { dayLimitOf, payerOfCaller } from "../access/model-budget.ts";
import { escapeInline } from "../approvals/card.ts";
import { code } from "../approvals/effect.ts";
import { typed } from "../core/command-text.ts";
import type { InboundMessage } from "../core/events.ts";
import { dayOf, thousands, type Usage, usageText } from "../core/usage.ts";
import type { Caller, Markdown } from "../core/words.ts";
import { isSharedChat } from "../store/chats.ts";
import type { Op } from "../store/query.ts";
import { findTask, listTasks, type Task } from "../store/tasks.ts";
import { openTurns, type Turn } from "../store/turns.ts";
import { usageOfCallers, usageOfTask } from "../store/usage.ts";
import type { TurnPorts } from "./ports.ts";
import type { StopEffect } from "./stop.ts";
import type { Command } from "./words.ts";

export interface Asked {
  readonly id: number;
  readonly listener: string;
  readonly caller: Caller;
  readonly event: InboundMessage;
  readonly command: Command;
  readonly stop?: StopEffect;
}

/** Who wants to see a list, which is shown to them alone, and from where. */
export type Viewer = Pick<Asked, "caller" | "listener"> & {
  readonly event: Pick<InboundMessage, "chat" | "sender">;
};

export async function status(ports: TurnPorts, asked: Viewer): Promise<Markdown> {
  const { caller } = asked;
  const now = ports.clock.now();
  await ports.meter.write();
  const { lines, today, shared } = await ports.store.run(function* () {
    const shown: string[] = [];
    for (const turn of yield* openTurns()) {
      if (!may(caller, "see-task", { starter: turn.caller })) continue;
      const used = yield* usageOfTask(turn.task);
      shown.push(workLine(yield* findTask(turn.task), caller, { turn, now, used }));
    }
    const payers = yield* usageOfCallers(dayOf(now));
    const shared = yield* sharedHere(asked);
    return { lines: shown, today: payers.get(payerOfCaller(caller.id)), shared };
  });
  const waiting = ports.lanes.waiting();
  const queue = waiting > 0 ? `${waiting} more in the queue.` : "";
  const working = lines.length > 0 ? lines.join("\n") : "Nothing of yours is running.";
  const used = today ? todayLine(ports, caller, today) : "";
  const agent = `Agent: ${ports.agent.name}.`;
  return [working, queue, used, shared, agent].filter(Boolean).join("\n\n");
}

/** Empty where everybody has a conversation of their own. */
function* sharedHere({ caller, event, listener }: Viewer): Op<Markdown> {
  const { id, kind } = event.chat;
  if (kind === "direct" || caller.pairing === null || !(yield* isSharedChat(listener, id)))
    return "";
  return "The conversation there is shared: everybody in that chat who is paired continues it.";
}

function todayLine({ settings }: TurnPorts, caller: Caller, today: Usage): string {
  const limit = dayLimitOf(settings().tokens, payerOfCaller(caller.id));
  const whose = caller.pairing === null ? "All people I do not know" : "You";
  const most = limit > 0 ? `, of ${thousands(limit)} tokens in a day` : "";
  return `${whose} today: ${usageText(today)}${most}.`;
}

/** The beginning of the id is what `/stop` takes. */
function workLine(
  task: Task | undefined,
  caller: Caller,
  { turn, now, used }: { turn: Turn; now: number; used: Usage },
): string {
  const seconds = Math.max(0, Math.round((now - turn.startedAt) / 1000));
  const how =
    turn.state === "stopping"
      ? "is being stopped"
      : task?.state === "input-required"
        ? `waits for an answer, see ${typed("approvals")}`
        : "at work";
  const model = used.requests > 0 ? `, ${usageText(used)}` : "";
  return `- ${titled(task, caller)}: ${how} (${code(turn.task.slice(0, 8))}, ${seconds} s${model})`;
}

const tasksShown = 10;

export async function tasks(
  ports: TurnPorts,
  { caller }: Viewer,
  most = tasksShown,
): Promise<Markdown> {
  const shown = await ports.store.run(function* () {
    const of = may(caller, "see-task") ? undefined : caller.id;
    return yield* listTasks(most, of);
  });
  if (shown.length === 0) return "No tasks yet.";
  return shown.map((task) => taskLine(task, caller)).join("\n");
}

function taskLine(task: Task, caller: Caller): string {
  const state = task.state === "input-required" ? "waits for an answer" : task.state;
  return `- ${state} · ${titled(task, caller)}`;
}

export function titled(task: Task | undefined, caller: Caller): string {
  const whose = task && task.caller !== caller.id ? ` (${escapeInline(task.callerName)})` : "";
  return `${escapeInline(task?.title ?? "") || "a file"}${whose}`;
}

export async function whoami(ports: TurnPorts, asked: Viewer): Promise<Markdown> {
  const { caller, event, listener } = asked;
  const who =
    caller.pairing === null
      ? "nobody I know (anonymous)"
      : `**${escapeInline(caller.name)}**, ${caller.role}`;
  const shared = await ports.store.run(() => sharedHere(asked));
  const asks = ports.agent.asks ? "" : "This agent has not been seen to ask before it acts.";
  const account = `This account is ${code(event.sender.account)} on ${code(listener)}.`;
  return [`You are ${who}.`, account, asks, shared].filter(Boolean).join(" ");
}
