// How much was said somewhere.
import type { Address } from "../core/words.ts";
import { type Op, query } from "./query.ts";

const answers = query((db, p: { listener: string; chat: string; thread: string; after: number }) =>
  db
    .selectFrom("outbox")
    .select((eb) => eb.fn.countAll<number>().as("n"))
    .where("listener", "=", p.listener)
    .where("chat", "=", p.chat)
    .where("createdAt", ">", p.after)
    .where("thread", "=", p.thread)
    .where("question", "is", null)
    .where("along", "is", null),
);

/** Messages to this thread since then that ask nothing, whatever became of them; a file that goes along with one is none. */
export function* countAnswers({ listener, chat, thread = "" }: Address, after: number): Op<number> {
  return (yield* answers({ listener, chat, thread, after }))[0]?.n ?? 0;
}
