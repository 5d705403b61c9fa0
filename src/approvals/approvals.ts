// The one writer of decisions: asks people, holds the answer, and tells the one who waits.
import { audit } from "../access/audit.ts";
import { may } from "../access/authorise.ts";
import type { Caller, Markdown } from "../core/words.ts";
import { addGrant } from "../store/grants.ts";
import { refreshCards } from "../store/outbox.ts";
import type { OutboxRow } from "../store/outbox-row.ts";
import type { Op } from "../store/query.ts";
import {
  answerQuestion,
  type ExpiryReason,
  expireQuestion,
  expireQuestionsOf,
  findQuestion,
  hasPendingQuestion,
  type Question,
} from "../store/questions.ts";
import type { Store } from "../store/store.ts";
import { setTaskState } from "../store/tasks.ts";
import { setEffects } from "../store/turns.ts";
import { listedText, showAgain } from "./again.ts";
import { openQuestion } from "./ask.ts";
import { grants, isForOwners } from "./options.ts";
import type { Answer, ApprovalPorts, Ask, Recipient } from "./ports.ts";

export interface Choice {
  /** Key of an option, or the text of a text question. */
  readonly key: string;
  readonly reason?: string;
  /** Where it was said, for the audit row. */
  readonly place: string;
}

export type Decided = "decided" | "already-decided" | "expired" | "not-yours" | "no-such-option";

export interface Approvals {
  /** Resolves with the answer, or with why there is none: silence, a stop and an unreachable chat all mean no. */
  request(ask: Ask): Promise<Answer>;
  decide(by: Caller, question: Question, choice: Choice): Promise<Decided>;
  /** Shows an open question once more, at the end of a direct chat of somebody who may answer it. */
  show(question: Question, recipient: Recipient): Promise<void>;
  /** What that card says, for a list that is sent there: from then on it is answered there as well. */
  listed(question: Question, recipient: Recipient): Promise<Markdown>;
  /** Nobody will answer any more: that is a no. */
  expire(question: string, why: ExpiryReason): Promise<void>;
  /** Some question of this turn is open here. */
  isAsked(turn: string): boolean;
  /** For the transaction that stops a turn; hand the rows to `afterExpiry` once it is committed. */
  expireTurn(turn: string, why: ExpiryReason): Op<Expired>;
  afterExpiry(expired: Expired): void;
  stop(): void;
}

export interface Expired {
  readonly questions: readonly string[];
  readonly rows: readonly OutboxRow[];
}

interface Waiter {
  readonly ask: Ask;
  readonly settle: (answer: Answer) => void;
}

/** How often what waits looks at its row, for silence and for other writers; a decision here is told at once. */
const lookEvery = 2000;

export function createApprovals(ports: ApprovalPorts): Approvals {
  const waiters = new Map<string, Waiter>();
  const failed = (error: unknown) =>
    ports.log.error({ error }, "A question could not be looked at");
  const timer = setInterval(() => {
    for (const id of waiters.keys()) look(ports, waiters, id).catch(failed);
  }, lookEvery).unref();

  const request = async (ask: Ask): Promise<Answer> => {
    const question = await openQuestion(ports, ask);
    if (!question) return { is: "expired", why: "unreachable" };
    return new Promise((settle) => {
      waiters.set(question.id, { ask, settle });
      const withdraw = () => {
        expire(ports, waiters, { id: question.id, why: "agent" }).catch(failed);
      };
      ask.signal.addEventListener("abort", withdraw, { once: true });
      if (ask.signal.aborted) withdraw();
    });
  };
  const decide = async (by: Caller, question: Question, choice: Choice): Promise<Decided> => {
    const problem = refusal(by, question, choice);
    if (problem) {
      await ports.store.run(() => note(ports, { by, question, choice, outcome: problem }));
      return problem;
    }
    const grant = waiters.get(question.id)?.ask.grant;
    const rows = await ports.store.run(() => commit(ports, { by, question, choice, grant }));
    if (!rows) return await whyNot(ports.store, question.id);
    settle(waiters, question.id, {
      is: "answered",
      key: choice.key,
      reason: choice.reason ?? null,
    });
    ports.deliver(rows);
    return "decided";
  };
  return {
    request,
    decide,
    show: (question, recipient) => showAgain(ports, question, recipient),
    listed: (question, recipient) => listedText(ports, question, recipient),
    expire: (id, why) => expire(ports, waiters, { id, why }),
    isAsked: (turn) => [...waiters.values()].some(({ ask }) => ask.turn === turn),
    *expireTurn(turn, why) {
      const questions = yield* expireQuestionsOf(turn, why, ports.clock.now());
      const rows: OutboxRow[] = [];
      for (const id of questions) rows.push(...(yield* refreshCards(id)));
      return { questions, rows };
    },
    afterExpiry({ questions, rows }) {
      for (const id of questions) settle(waiters, id, { is: "expired", why: "stop" });
      ports.deliver(rows);
    },
    stop() {
      clearInterval(timer);
      waiters.clear();
    },
  };
}

function settle(waiters: Map<string, Waiter>, id: string, answer: Answer): void {
  waiters.get(id)?.settle(answer);
  waiters.delete(id);
}

function refusal(by: Caller, question: Question, choice: Choice): Decided | undefined {
  if (!may(by, "answer", { starter: question.caller })) return "not-yours";
  if (question.kind === "text") return undefined;
  const option = question.options.find(({ key }) => key === choice.key);
  if (!option) return "no-such-option";
  return isForOwners(option.key) && !may(by, "answer-lasting") ? "not-yours" : undefined;
}

interface Deciding {
  readonly by: Caller;
  readonly question: Question;
  readonly choice: Choice;
  readonly grant?: Ask["grant"] | undefined;
}

/** Undefined when the question was not pending any more, or its turn not running. */
function* commit(ports: ApprovalPorts, deciding: Deciding): Op<OutboxRow[] | undefined> {
  const { by, question, choice, grant } = deciding;
  const at = ports.clock.now();
  const outcome =
    question.kind !== "approval" ? "answered" : choice.key === "deny" ? "denied" : "approved";
  const won = yield* answerQuestion({
    id: question.id,
    epoch: ports.store.epoch,
    outcome,
    answer: choice.key,
    reason: choice.reason ?? null,
    by: by.id,
    name: by.name,
    at,
  });
  if (!won) return undefined;
  if (outcome === "approved") yield* setEffects(question.turn);
  if (grants(choice.key) && grant) yield* addGrant({ task: question.task, ...grant }, by.id, at);
  if (!(yield* hasPendingQuestion(question.task)))
    yield* setTaskState({ id: question.task, state: "working", at });
  yield* note(ports, { ...deciding, outcome });
  return yield* refreshCards(question.id);
}

function* note(
  { clock }: ApprovalPorts,
  { by, question, choice, outcome }: Deciding & { outcome: string },
): Op<void> {
  yield* audit({
    at: clock.now(),
    who: by.id,
    name: by.name,
    place: choice.place,
    action: `question.${choice.key === "deny" ? "deny" : "answer"}`,
    target: `${question.id} ${question.title}`,
    outcome,
    why: question.kind === "text" ? "" : choice.key,
  });
}

async function whyNot(store: Store, id: string): Promise<Decided> {
  const question = await store.run(() => findQuestion(id));
  return question?.state === "answered" ? "already-decided" : "expired";
}

async function look(ports: ApprovalPorts, waiters: Map<string, Waiter>, id: string) {
  const question = await ports.store.run(() => findQuestion(id));
  if (question?.state === "answered")
    settle(waiters, id, { is: "answered", key: question.answer ?? "", reason: question.reason });
  else if (question?.state !== "pending")
    settle(waiters, id, { is: "expired", why: question?.outcome ?? "restart" });
  else if (question.expiresAt <= ports.clock.now())
    await expire(ports, waiters, { id, why: "silence" });
}

async function expire(
  ports: ApprovalPorts,
  waiters: Map<string, Waiter>,
  { id, why }: { id: string; why: ExpiryReason },
): Promise<void> {
  const task = waiters.get(id)?.ask.task;
  const rows = await ports.store.run(function* () {
    const at = ports.clock.now();
    if (!(yield* expireQuestion(id, why, at))) return [];
    if (task && !(yield* hasPendingQuestion(task)))
      yield* setTaskState({ id: task, state: "working", at });
    yield* audit({
      at,
      who: "gateway",
      name: "gateway",
      place: "",
      action: "question.expire",
      target: id,
      outcome: "denied",
      why,
    });
    return yield* refreshCards(id);
  });
  settle(waiters, id, { is: "expired", why });
  ports.deliver(rows);
}
