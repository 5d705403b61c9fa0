// What is new since the last look, cheaply: the newest ids, and the few rows of what is open.
import type { ConversationId, TurnId } from "../core/words.ts";
import { lit, type Op, query } from "./query.ts";

export interface Position {
  readonly inbox: number;
  readonly outbox: number;
  readonly audit: number;
}

const newest = query((db, _: Record<string, never>) =>
  db.selectNoFrom((eb) => [
    eb
      .selectFrom("inbox")
      .select((i) => i.fn.max("id").as("id"))
      .as("inbox"),
    eb
      .selectFrom("outbox")
      .select((o) => o.fn.max("id").as("id"))
      .as("outbox"),
    eb
      .selectFrom("audit")
      .select((a) => a.fn.max("id").as("id"))
      .as("audit"),
  ]),
);

export function* position(): Op<Position> {
  const [row] = yield* newest({});
  return { inbox: row?.inbox ?? 0, outbox: row?.outbox ?? 0, audit: row?.audit ?? 0 };
}

export interface OpenRow {
  readonly id: TurnId;
  readonly conversation: ConversationId;
  /** Changes with whatever a page shows of it. */
  readonly state: string;
}

const openTurns = query((db, _: Record<string, never>) =>
  db
    .selectFrom("turns")
    .leftJoin("tasks", "tasks.id", "turns.task")
    .select(["turns.id", "turns.conversation", "turns.state", "tasks.state as task"])
    .where("turns.state", "!=", lit("ended")),
);
const openQuestions = query((db, _: Record<string, never>) =>
  db.selectFrom("questions").select(["id", "conversation"]).where("state", "=", lit("pending")),
);
const waitingPrompts = query((db, _: Record<string, never>) =>
  db
    .selectFrom("inbox")
    .select(["id", "conversation"])
    .where("state", "!=", lit("done"))
    .where("state", "=", "accepted")
    .where("kind", "=", "prompt"),
);

/** Turns that are open, questions that are, prompts that wait. */
export function* openNow(): Op<{
  readonly turns: readonly OpenRow[];
  readonly questions: readonly OpenRow[];
  readonly prompts: readonly OpenRow[];
}> {
  const turns = (yield* openTurns({})).map(({ task, state, ...row }) => ({
    ...row,
    state: `${state} ${task ?? ""}`,
  }));
  const questions = (yield* openQuestions({})).map((row) => ({ ...row, state: "pending" }));
  const prompts = (yield* waitingPrompts({})).flatMap(({ id, conversation }) =>
    conversation === null ? [] : [{ id: String(id), conversation, state: "waits" }],
  );
  return { turns, questions, prompts };
}

const saidSince = query((db, p: { after: number; limit: number }) =>
  db
    .selectFrom("inbox")
    .select("conversation")
    .where("id", ">", p.after)
    .orderBy("id")
    .limit(p.limit),
);
const postedSince = query((db, p: { after: number; limit: number }) =>
  db
    .selectFrom("outbox")
    .leftJoin("turns", "turns.id", "outbox.turn")
    .leftJoin("questions", "questions.id", "outbox.question")
    .select([
      "outbox.listener",
      "outbox.chat",
      "outbox.thread",
      "turns.conversation as ofTurn",
      "questions.conversation as ofQuestion",
    ])
    .where("outbox.id", ">", p.after)
    .orderBy("outbox.id")
    .limit(p.limit),
);

export interface News {
  /** Null: of an event that belongs to none. */
  readonly said: readonly (ConversationId | null)[];
  readonly posted: readonly {
    readonly listener: string;
    readonly chat: string;
    readonly thread: string | null;
    readonly ofTurn: ConversationId | null;
    readonly ofQuestion: ConversationId | null;
  }[];
}

/** Rows behind this position, the oldest first, no more than `limit` of each. */
export function* newsSince(
  { inbox, outbox }: Pick<Position, "inbox" | "outbox">,
  limit: number,
): Op<News> {
  const said = yield* saidSince({ after: inbox, limit });
  const posted = yield* postedSince({ after: outbox, limit });
  return { said: said.map(({ conversation }) => conversation), posted };
}
