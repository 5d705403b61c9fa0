// What the operator does to what runs: ends a caller's work, cancels a task, answers a question.
import { audit, auditSeldom } from "../access/audit.ts";
import { may } from "../access/authorise.ts";
import { identify } from "../access/identify.ts";
import { localAccount } from "../access/pairings.ts";
import type { Decided } from "../approvals/approvals.ts";
import { narrowestAllow } from "../approvals/options.ts";
import type { AccountId, Caller, ListenerId, TaskId } from "../core/words.ts";
import { findNumber } from "../store/cards.ts";
import {
  cancelCallerEntries,
  finishEntry,
  promptsOfTurn,
  waitingConversations,
  waitingPrompts,
} from "../store/inbox.ts";
import type { Op } from "../store/query.ts";
import { findQuestion, type Question } from "../store/questions.ts";
import { findTask } from "../store/tasks.ts";
import { openTurns, turnsOfTask } from "../store/turns.ts";
import { decidedText } from "./incoming.ts";
import type { TurnPorts } from "./ports.ts";
import type { Receiver } from "./receive.ts";
import { type StopEffect, stopCaller, stopOne } from "./stop.ts";

export type Changed = { readonly done: true } | { readonly done: false; readonly problem: string };

export interface Operate {
  /** The grant is gone: nothing of it runs, waits or is asked any more, and its sandbox ends. */
  endCaller(pairing: string): Promise<void>;
  endAccounts(accounts: readonly AccountOn[]): Promise<void>;
  cancelTask(id: TaskId): Promise<Changed>;
  /** As the local owner; `question` is an id or one of the local owner's numbers. */
  decide(question: string, option: string, reason?: string): Promise<Changed>;
  /** Undefined alike for a question that is not there and one that is not theirs to answer. */
  decideAs(caller: Caller, question: string, choice: ChoiceOf): Promise<DecidedAs | undefined>;
  /** Undefined alike for a task that is not there and one that is not theirs to stop. */
  stopTask(caller: Caller, id: TaskId): Promise<"stopping" | "not-running" | undefined>;
}

export interface ChoiceOf {
  readonly option: string;
  readonly reason?: string | undefined;
  /** Where it was said, for the audit row. */
  readonly place: string;
}

export interface DecidedAs {
  readonly is: Decided;
  readonly text: string;
}

export interface AccountOn {
  readonly listener: ListenerId;
  readonly account: AccountId;
}

export function createOperate(ports: TurnPorts, receiver: Receiver): Operate {
  return {
    async endCaller(pairing) {
      const caller = `p:${pairing}`;
      const effect = await ports.store.run(function* () {
        yield* cancelCallerEntries(caller);
        return yield* stopCaller(ports.approvals, caller);
      });
      receiver.stopped(effect);
      await ports.agent.end(`p-${pairing}`);
    },
    async endAccounts(accounts) {
      const effects = await ports.store.run(() => stopAccounts(ports, accounts));
      for (const effect of effects) receiver.stopped(effect);
    },
    async cancelTask(id) {
      const effect = await ports.store.run(() => cancelTask(ports, id));
      if (typeof effect === "string") return { done: false, problem: effect };
      receiver.stopped(effect);
      return { done: true };
    },
    decide: (question, option, reason) => decide(ports, { question, option, reason }),
    decideAs: (caller, question, choice) => decideAs(ports, caller, { ...choice, question }),
    async stopTask(caller, id) {
      const stopped = await ports.store.run(() => stopTask(ports, caller, id));
      if (stopped === undefined || stopped === "not-running") return stopped;
      receiver.stopped(stopped);
      return "stopping";
    },
  };
}

function* cancelTask(ports: TurnPorts, id: TaskId): Op<StopEffect | string> {
  const turns = yield* turnsOfTask(id);
  if (turns.length === 0) return `There is no task ${id}. \`sallyport task list\` shows them.`;
  const open = turns.find(({ state }) => state === "running");
  if (!open) return "That task is not running.";
  return yield* stopOne(ports.approvals, open.id);
}

function* stopAccounts(ports: TurnPorts, accounts: readonly AccountOn[]): Op<StopEffect[]> {
  const isTheirs = (entry: { listener: string; event: { sender: { account: string } } }) =>
    accounts.some(
      ({ listener, account }) =>
        entry.listener === listener && entry.event.sender.account === account,
    );
  for (const lane of yield* waitingConversations())
    for (const entry of yield* waitingPrompts(lane, 100))
      if (isTheirs(entry)) yield* finishEntry(entry.id, "cancelled");
  const effects: StopEffect[] = [];
  for (const turn of yield* openTurns())
    if ((yield* promptsOfTurn(turn.id)).some(isTheirs))
      effects.push(yield* stopOne(ports.approvals, turn.id));
  return effects;
}

async function decide(
  ports: TurnPorts,
  it: { question: string; option: string; reason: string | undefined },
): Promise<Changed> {
  const { by, question } = await ports.store.run(function* () {
    const caller = yield* identify({ ...localAccount, name: "local" });
    const chat = { id: localAccount.account, kind: "direct" as const };
    const number = Number(it.question);
    // Nobody else has a card on the terminal.
    const [card] = yield* findNumber({ person: caller.id, number, listener: "terminal", chat });
    return { by: caller, question: yield* findQuestion(card?.question ?? it.question) };
  });
  if (!question)
    return {
      done: false,
      problem: `There is no question ${it.question}. \`sallyport approval list\` shows them.`,
    };
  const key = it.option === "allow" ? narrowestAllow(question.options) : it.option;
  const reason = it.reason ? { reason: it.reason } : {};
  const place = "the control socket";
  const decided = await ports.approvals.decide(by, question, { key: key ?? "", place, ...reason });
  return decided === "decided"
    ? { done: true }
    : { done: false, problem: decidedText(decided, question, key ?? "") };
}

async function decideAs(
  { store, approvals }: TurnPorts,
  caller: Caller,
  { question: id, option, reason, place }: ChoiceOf & { readonly question: string },
): Promise<DecidedAs | undefined> {
  const question = await store.run(() => findQuestion(id));
  if (!question) return undefined;
  const narrowest =
    option === "allow" && question.kind === "approval" && narrowestAllow(question.options);
  const key = narrowest || option;
  const because = reason?.trim() ? { reason: reason.trim().slice(0, 1000) } : {};
  const is = await approvals.decide(caller, question, { key, place, ...because });
  if (is === "not-yours" && !may(caller, "answer", { starter: question.caller })) return undefined;
  const now = (await store.run(() => findQuestion(id))) ?? question;
  return { is, text: is === "already-decided" ? whoDecided(now) : decidedText(is, question, key) };
}

function whoDecided({ decidedName, answer, options }: Question): string {
  const label = options.find(({ key }) => key === answer)?.label;
  return `Already decided by ${decidedName ?? "somebody"}${label ? `: ${label}` : ""}.`;
}

function* stopTask(
  ports: TurnPorts,
  { id: who, name, ...caller }: Caller,
  id: TaskId,
): Op<StopEffect | "not-running" | undefined> {
  const task = yield* findTask(id);
  if (!task) return undefined;
  const row = { at: ports.clock.now(), who, name, place: "web", action: "task.stop", target: id };
  if (!may({ id: who, name, ...caller }, "stop", { starter: task.caller })) {
    yield* auditSeldom({ ...row, outcome: "refused", why: "not theirs" });
    return undefined;
  }
  const open = (yield* turnsOfTask(id)).find(({ state }) => state === "running");
  if (!open) return "not-running";
  yield* audit({ ...row, outcome: "done", why: "" });
  return yield* stopOne(ports.approvals, open.id);
}
