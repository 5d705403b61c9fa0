// Questions: pending -> answered or expired, in one transition that holds only while their turn runs.
import type { ConversationId, TaskId, TurnId } from "../core/words.ts";
import { lit, type Op, query } from "./query.ts";

export type QuestionKind = "approval" | "choice" | "text";
export type QuestionState = "pending" | "answered" | "expired";

export interface QuestionOption {
  /** `allow-once`, `allow-task`, `deny`, an index of the agent's options, or a form's value. */
  readonly key: string;
  readonly label: string;
}

export interface Question {
  readonly id: string;
  readonly turn: TurnId;
  readonly task: TaskId;
  readonly conversation: ConversationId;
  /** The task's starter. */
  readonly caller: string;
  readonly kind: QuestionKind;
  readonly state: QuestionState;
  /** approved, denied or answered; expired: restart, stop, silence, agent. */
  readonly outcome: string | null;
  readonly title: string;
  /** Markdown of the card. */
  readonly body: string;
  readonly options: readonly QuestionOption[];
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly decidedAt: number | null;
  readonly decidedBy: string | null;
  readonly decidedName: string | null;
  /** Key of the option, or the text. */
  readonly answer: string | null;
  readonly reason: string | null;
}

export interface NewQuestion
  extends Omit<
    Question,
    "state" | "outcome" | "decidedAt" | "decidedBy" | "decidedName" | "answer" | "reason"
  > {
  readonly epoch: number;
}

interface Insert extends Readonly<Record<string, unknown>> {
  id: string;
  turn: string;
  task: string;
  conversation: string;
  caller: string;
  kind: string;
  epoch: number;
  title: string;
  body: string;
  optionsJson: string;
  createdAt: number;
  expiresAt: number;
}

const insert = query((db, p: Insert) =>
  db.insertInto("questions").values({
    id: p.id,
    turn: p.turn,
    task: p.task,
    conversation: p.conversation,
    caller: p.caller,
    kind: p.kind,
    state: "pending",
    outcome: null,
    epoch: p.epoch,
    title: p.title,
    body: p.body,
    optionsJson: p.optionsJson,
    createdAt: p.createdAt,
    expiresAt: p.expiresAt,
    decidedAt: null,
    decidedBy: null,
    decidedName: null,
    answer: null,
    reason: null,
  }),
);

export function* addQuestion({ options, ...question }: NewQuestion): Op<void> {
  yield* insert({ ...question, optionsJson: JSON.stringify(options) });
}

export interface Decision {
  readonly id: string;
  readonly epoch: number;
  readonly outcome: "approved" | "denied" | "answered";
  readonly answer: string;
  readonly reason: string | null;
  readonly by: string;
  readonly name: string;
  readonly at: number;
}

const answer = query((db, p: Decision & Readonly<Record<string, unknown>>) =>
  db
    .updateTable("questions")
    .set({
      state: "answered",
      outcome: p.outcome,
      answer: p.answer,
      reason: p.reason,
      decidedBy: p.by,
      decidedName: p.name,
      decidedAt: p.at,
    })
    .where("id", "=", p.id)
    .where("state", "=", lit("pending"))
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom("turns")
          .select("turns.id")
          .whereRef("turns.id", "=", "questions.turn")
          .where("turns.state", "=", "running")
          .where("turns.epoch", "=", p.epoch),
      ),
    )
    .returning("id"),
);

/** The one transition that decides; false when somebody or something was faster. */
export function* answerQuestion(decision: Decision): Op<boolean> {
  return (yield* answer({ ...decision })).length > 0;
}

const expireOne = query((db, p: { id: string; outcome: string; at: number }) =>
  db
    .updateTable("questions")
    .set({ state: "expired", outcome: p.outcome, decidedAt: p.at })
    .where("id", "=", p.id)
    .where("state", "=", lit("pending"))
    .returning("id"),
);

const waitUntil = query((db, p: { id: string; expiresAt: number }) =>
  db
    .updateTable("questions")
    .set({ expiresAt: p.expiresAt })
    .where("id", "=", p.id)
    .where("state", "=", lit("pending"))
    .where("expiresAt", "<", p.expiresAt),
);

/** It is shown where people take longer; never shorter than it was. */
export function* prolongQuestion(id: string, until: number): Op<void> {
  yield* waitUntil({ id, expiresAt: until });
}

export type ExpiryReason = "restart" | "stop" | "silence" | "agent" | "unreachable";

export function* expireQuestion(id: string, why: ExpiryReason, at: number): Op<boolean> {
  return (yield* expireOne({ id, outcome: why, at })).length > 0;
}

const expireTurn = query((db, p: { turn: string; outcome: string; at: number }) =>
  db
    .updateTable("questions")
    .set({ state: "expired", outcome: p.outcome, decidedAt: p.at })
    .where("turn", "=", p.turn)
    .where("state", "=", lit("pending"))
    .returning("id"),
);

/** Ends what a turn still asks; the ids, so that their cards can say so. */
export function* expireQuestionsOf(turn: TurnId, why: ExpiryReason, at: number): Op<string[]> {
  return (yield* expireTurn({ turn, outcome: why, at })).map((row) => row.id);
}

const byId = query((db, p: { id: string }) =>
  db.selectFrom("questions").selectAll().where("id", "=", p.id),
);

export function* findQuestion(id: string): Op<Question | undefined> {
  const [row] = yield* byId({ id });
  return row && toQuestion(row);
}

const pending = query((db, _: Record<string, never>) =>
  db.selectFrom("questions").selectAll().where("state", "=", lit("pending")).orderBy("createdAt"),
);

export function* pendingQuestions(): Op<Question[]> {
  return (yield* pending({})).map(toQuestion);
}

const pendingOf = query((db, p: { conversation: string }) =>
  db
    .selectFrom("questions")
    .selectAll()
    .where("state", "=", lit("pending"))
    .where("conversation", "=", p.conversation)
    .orderBy("createdAt"),
);

export function* pendingQuestionsIn(conversation: ConversationId): Op<Question[]> {
  return (yield* pendingOf({ conversation })).map(toQuestion);
}

const pendingInTask = query((db, p: { task: string }) =>
  db
    .selectFrom("questions")
    .select("id")
    .where("state", "=", lit("pending"))
    .where("task", "=", p.task)
    .limit(1),
);

export function* hasPendingQuestion(task: TaskId): Op<boolean> {
  return (yield* pendingInTask({ task })).length > 0;
}

type Row = Omit<Question, "options" | "kind" | "state"> & {
  kind: string;
  state: string;
  optionsJson: string;
};

function toQuestion({ optionsJson, ...row }: Row): Question {
  return {
    ...row,
    kind: row.kind as QuestionKind,
    state: row.state as QuestionState,
    options: JSON.parse(optionsJson) as QuestionOption[],
  };
}
