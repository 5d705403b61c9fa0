// Audit rows: who, where, what, why; one for every refusal and decision.
import { type Op, query } from "./query.ts";

export interface AuditRow {
  readonly at: number;
  readonly who: string;
  readonly name: string;
  readonly place: string;
  readonly action: string;
  readonly target: string;
  readonly outcome: string;
  readonly why: string;
}

const insert = query((db, p: AuditRow & Readonly<Record<string, unknown>>) =>
  db.insertInto("audit").values({
    at: p.at,
    who: p.who,
    name: p.name,
    place: p.place,
    action: p.action,
    target: p.target,
    outcome: p.outcome,
    why: p.why,
  }),
);

export function* addAudit(row: AuditRow): Op<void> {
  yield* insert({ ...row });
}

const newest = query((db, p: { limit: number; before: number }) =>
  db
    .selectFrom("audit")
    .selectAll()
    .where("id", "<", p.before)
    .orderBy("id", "desc")
    .limit(p.limit),
);

/** Newest first. */
export function* listAudit(
  limit: number,
  before = Number.MAX_SAFE_INTEGER,
): Op<(AuditRow & { readonly id: number })[]> {
  return yield* newest({ limit, before });
}
