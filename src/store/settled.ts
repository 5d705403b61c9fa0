// Is anything under way in a chat: what a scripted chat waits for before it says the next line.
import type { ListenerId } from "../core/words.ts";
import { lit, type Op, query } from "./query.ts";

const unsent = query((db, p: { listener: string; chat: string }) =>
  db
    .selectFrom("outbox")
    .select("id")
    .where("listener", "=", p.listener)
    .where("chat", "=", p.chat)
    .where("state", "in", [lit("pending"), lit("sending")])
    .limit(1),
);
const unhandled = query((db, p: { listener: string }) =>
  db
    .selectFrom("inbox")
    .select("kind")
    .distinct()
    .where("listener", "=", p.listener)
    .where("state", "!=", lit("done")),
);
const asked = query((db, p: { listener: string; chat: string }) =>
  db
    .selectFrom("questions")
    .innerJoin("conversations", "conversations.id", "questions.conversation")
    .select("questions.id")
    .where("conversations.listener", "=", p.listener)
    .where("conversations.chat", "=", p.chat)
    .where("questions.state", "=", "pending")
    .limit(1),
);

export type ChatState = "busy" | "question" | "answered";

/** Of a listener that has this one chat. */
export function* chatState(listener: ListenerId, chat: string): Op<ChatState> {
  if ((yield* unsent({ listener, chat })).length > 0) return "busy";
  const kinds = (yield* unhandled({ listener })).map((row) => row.kind);
  if (kinds.some((kind) => kind !== "prompt")) return "busy";
  if ((yield* asked({ listener, chat })).length > 0) return "question";
  return kinds.length > 0 ? "busy" : "answered";
}
