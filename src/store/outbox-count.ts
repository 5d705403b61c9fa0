// How much was said somewhere.
import type { Address } from "../core/words.ts";
import { lit, type Op, query } from "./query.ts";

const answers = query((db, p: { listener: string; chat: string; thread: string; after: number }) =>
  db
    .selectFrom("outbox")
    .select((eb) => [
      eb.fn.countAll<number>().as("chat"),
      eb.fn
        .sum<number | null>(eb.case().when("thread", "=", p.thread).then(1).else(0).end())
        .as("thread"),
    ])
    .where("listener", "=", p.listener)
    .where("chat", "=", p.chat)
    .where("createdAt", ">", p.after)
    .where("question", "is", null)
    .where("along", "is", null)
    .where("state", "!=", lit("failed")),
);

interface Answers {
  readonly chat: number;
  readonly thread: number;
}

/** Messages to this chat since then that ask nothing, and those to the thread; what never arrives, or goes along with another, is none. */
export function* countAnswers(
  { listener, chat, thread = "" }: Address,
  after: number,
): Op<Answers> {
  const [row] = yield* answers({ listener, chat, thread, after });
  return { chat: row?.chat ?? 0, thread: row?.thread ?? 0 };
}
