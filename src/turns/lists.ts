// The lists of the chat: what is going on, what was done, what waits for a decision, and who asks.
import { may } from "../access/authorise.ts";
import { dayLimitOf, payerOfCaller } from "../access/model-budget.ts";
import { escapeInline } from "../approvals/card.ts";
import { code } from "../approvals/effect.ts";
import type { InboundMessage } from "../core/events.ts";
import { dayOf, thousands, type Usage, usageText } from "../core/usage.ts";
import type { Caller, Markdown } from "../core/words.ts";
import { addCard, cardsOf } from "../store/cards.ts";
import { findConversation } from "../store/conversations.ts";
import type { Op } from "../store/query.ts";
import { pendingQuestions, type Question } from "../store/questions.ts";
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

/** Who wants to see a list, and where. */
export type Viewer = Pick<Asked, "caller" | "listener"> & {
  readonly event: Pick<InboundMessage, "chat" | "sender">;
};

/** A group hears only of what belongs to it: what somebody asked in private is nobody's business there. */
function* isHere({ event, listener }: Viewer, conversation: string): Op<boolean> {
  if (event.chat.kind === "direct") return true;
  const address = (yield* findConversation(conversation))?.address;
  return address?.listener === listener && address.chat === event.chat.id;
}

export async function status(ports: TurnPorts, asked: Viewer): Promise<Markdown> {
  const { caller } = asked;
  const now = ports.clock.now();
  await ports.meter.write();
  const { lines, today } = await ports.store.run(function* () {
    const shown: string[] = [];
    for (const turn of yield* openTurns()) {
      if (!may(caller, "see-task", { starter: turn.caller })) continue;
      if (!(yield* isHere(asked, turn.conversation))) continue;
      const used = yield* usageOfTask(turn.task);
      shown.push(workLine(yield* findTask(turn.task), caller, { turn, now, used }));
    }
    const payers = yield* usageOfCallers(dayOf(now));
    return { lines: shown, today: payers.get(payerOfCaller(caller.id)) };
  });
  const waiting = ports.lanes.waiting();
  const queue = waiting > 0 ? `${waiting} more in the queue.` : "";
  const working = lines.length > 0 ? lines.join("\n") : "Nothing of yours is running.";
  const used = today ? todayLine(ports, caller, today) : "";
  return [working, queue, used, `Agent: ${ports.agent.name}.`].filter(Boolean).join("\n\n");
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
        ? "waits for an answer, see /approvals"
        : "at work";
  const model = used.requests > 0 ? `, ${usageText(used)}` : "";
  return `- ${titled(task, caller)}: ${how} (${code(turn.task.slice(0, 8))}, ${seconds} s${model})`;
}

const tasksLookedAt = 200;
const tasksShown = 10;

export async function tasks(ports: TurnPorts, asked: Viewer): Promise<Markdown> {
  const { caller } = asked;
  const shown = await ports.store.run(function* () {
    const of = may(caller, "see-task") ? undefined : caller.id;
    const found: Task[] = [];
    for (const task of yield* listTasks(tasksLookedAt, of))
      if (found.length < tasksShown && (yield* isHere(asked, task.conversation))) found.push(task);
    return found;
  });
  if (shown.length === 0) return "No tasks yet.";
  return shown.map((task) => taskLine(task, caller)).join("\n");
}

function taskLine(task: Task, caller: Caller): string {
  return `- ${task.state} · ${titled(task, caller)}`;
}

function titled(task: Task | undefined, caller: Caller): string {
  const whose = task && task.caller !== caller.id ? ` (${escapeInline(task.callerName)})` : "";
  return `${escapeInline(task?.title ?? "") || "a file"}${whose}`;
}

/** A question that was never shown to this person gets one of their numbers, so that `allow 3` works. */
export async function approvals(ports: TurnPorts, asked: Viewer): Promise<Markdown> {
  const { caller } = asked;
  const shown = await ports.store.run(function* () {
    const all = yield* pendingQuestions();
    const open = all.filter((question) => may(caller, "answer", { starter: question.caller }));
    const numbered: { number: number; entry: Markdown }[] = [];
    for (const question of open) {
      if (!(yield* isHere(asked, question.conversation))) continue;
      const number = yield* numberFor(ports, caller, question);
      const whose = titled(yield* findTask(question.task), caller);
      // The whole effect: nobody decides on what they have not read.
      const entry = `**${number}** ${escapeInline(question.title)}, for: ${whose}\n\n${question.body}`;
      numbered.push({ number, entry });
    }
    return numbered;
  });
  const [first] = shown;
  if (!first) return "Nothing waits for a decision.";
  const list = shown.map(({ entry }) => entry).join("\n\n---\n\n");
  return `${list}\n\n\`allow ${first.number}\` or \`deny ${first.number} because …\` decides.`;
}

function* numberFor({ token }: TurnPorts, caller: Caller, question: Question): Op<number> {
  const cards = yield* cardsOf(question.id);
  const own = cards.find(({ person }) => person === caller.id);
  const card =
    own ?? (yield* addCard({ id: token(), question: question.id, person: caller.id, place: null }));
  return card.number;
}

export async function whoami(
  ports: TurnPorts,
  { caller, event, listener }: Viewer,
): Promise<Markdown> {
  const who =
    caller.pairing === null
      ? "nobody I know (anonymous)"
      : `**${escapeInline(caller.name)}**, ${caller.role}`;
  return `You are ${who}. This account is ${code(event.sender.account)} on ${code(listener)}.${ports.agent.asks ? "" : " This agent has not been seen to ask before it acts."}`;
}
