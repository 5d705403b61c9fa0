// Audit rows: who, where, what, why; one for every refusal and decision.
import { type Kysely, sql } from "kysely";
import { type Op, query } from "./query.ts";
import type { Tables } from "./schema.ts";

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

/** What is absent matches everything. */
export interface AuditFilter {
  readonly who?: string;
  readonly action?: string;
  readonly outcome?: string;
  /** Rows older than this one, for the next page. */
  readonly before?: number;
}

interface Wanted extends Readonly<Record<string, unknown>> {
  who: string | null;
  action: string | null;
  outcome: string | null;
  before: number;
}

/** The casts tell PostgreSQL the type of a value that may be null. */
const matching = (db: Kysely<Tables>, p: Wanted) =>
  db
    .selectFrom("audit")
    .where("id", "<", p.before)
    .where(sql<boolean>`(cast(${p.who} as text) is null or who = ${p.who})`)
    .where(sql<boolean>`(cast(${p.action} as text) is null or action = ${p.action})`)
    .where(sql<boolean>`(cast(${p.outcome} as text) is null or outcome = ${p.outcome})`);

const newest = query((db, p: Wanted & { limit: number }) =>
  matching(db, p).selectAll().orderBy("id", "desc").limit(p.limit),
);
const count = query((db, p: Wanted) =>
  matching(db, p).select((eb) => eb.fn.countAll<number>().as("n")),
);

/** Newest first. */
export function* listAudit(
  limit: number,
  filter: AuditFilter = {},
): Op<(AuditRow & { readonly id: number })[]> {
  return yield* newest({ ...wanted(filter), limit });
}

export function* countAudit(filter: AuditFilter = {}): Op<number> {
  return (yield* count(wanted(filter)))[0]?.n ?? 0;
}

function wanted({ who, action, outcome, before }: AuditFilter): Wanted {
  return {
    who: who ?? null,
    action: action ?? null,
    outcome: outcome ?? null,
    before: before ?? Number.MAX_SAFE_INTEGER,
  };
}
