// Copies of a question's card: which messages show it, and one that is shown once more further down.
import type { MessageRef } from "../core/events.ts";
import type { Address } from "../core/words.ts";
import { type OutboxRow, toRow } from "./outbox-row.ts";
import { lit, type Op, query } from "./query.ts";

const messagesShowing = query((db, p: { listener: string; chat: string }) =>
  db
    .selectFrom("questions")
    .innerJoin("outbox", "outbox.question", "questions.id")
    .select(["questions.id", "outbox.refJson"])
    .where("questions.state", "=", lit("pending"))
    .where("outbox.listener", "=", p.listener)
    .where("outbox.chat", "=", p.chat)
    .where("outbox.refJson", "is not", null),
);

/** The open question that this message shows, or a part of. */
export function* pendingQuestionAt(
  listener: string,
  { chat, id }: MessageRef,
): Op<string | undefined> {
  if (id === "") return undefined;
  const rows = yield* messagesShowing({ listener, chat });
  return rows.find(({ refJson }) => (JSON.parse(refJson ?? "{}") as MessageRef).id === id)?.id;
}

const place = query(
  (
    db,
    p: { id: string; listener: string; chat: string; thread: string | null; outbox: number | null },
  ) =>
    db
      .updateTable("cards")
      .set({ listener: p.listener, chat: p.chat, thread: p.thread, outbox: p.outbox })
      .where("id", "=", p.id),
);

/** From now on this message shows it; null: a list in that chat does. */
export function* placeCard(id: string, to: Address, outbox: number | null): Op<void> {
  const { listener, chat, thread = null } = to;
  yield* place({ id, listener, chat, thread, outbox });
}

const retire = query((db, p: { id: number; plain: string }) =>
  db
    .updateTable("outbox")
    .set({ kind: "notice", state: "pending", plain: p.plain, body: null, buttonsJson: null })
    .where("id", "=", p.id)
    .where("kind", "=", "card")
    .where("state", "in", ["sent", "pending", "sending"])
    .where("refJson", "is not", null)
    .returningAll(),
);

/** A message that showed a card is none any more, and says these words. */
export function* retireCardMessage(id: number, plain: string): Op<OutboxRow | undefined> {
  const [row] = yield* retire({ id, plain });
  return row && toRow(row);
}
