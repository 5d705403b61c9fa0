// Further files of a message: each has a row of its own, so that links and pages lead to it, and shares the fate of the message.
import type { OutFile } from "../core/channel.ts";
import type { OutboxState } from "./outbox-row.ts";
import { type Op, query } from "./query.ts";

const files = query((db, p: { message: number }) =>
  db
    .selectFrom("outbox")
    .select("fileJson")
    .where("along", "=", p.message)
    .where("along", "is not", null)
    .orderBy("id"),
);

/** In the order in which they were given. */
export function* filesAlong(message: number): Op<OutFile[]> {
  const rows = yield* files({ message });
  return rows.flatMap(({ fileJson }) => (fileJson ? [JSON.parse(fileJson) as OutFile] : []));
}

const settle = query(
  (db, p: { message: number; state: string; error: string | null; sentAt: number | null }) =>
    db
      .updateTable("outbox")
      .set({ state: p.state, error: p.error, sentAt: p.sentAt })
      .where("along", "=", p.message)
      .where("along", "is not", null),
);

interface Fate {
  readonly state: OutboxState;
  readonly error?: string;
  readonly sentAt?: number;
}

/** What became of the message became of them. */
export function* settleAlong(message: number, { state, error, sentAt }: Fate): Op<void> {
  yield* settle({ message, state, error: error ?? null, sentAt: sentAt ?? null });
}
