// Audit rows are bounded, and nothing in them can hide or drive a terminal.
import { visibleLine } from "../core/visible.ts";
import { type AuditRow, addAudit } from "../store/audit.ts";
import { hintedAt, saveHint } from "../store/hints.ts";
import type { Op } from "../store/query.ts";

export function* audit(row: AuditRow): Op<void> {
  const { at, ...texts } = row;
  const bounded = Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [key, visibleLine(text.slice(0, 500))]),
  );
  yield* addAudit({ ...texts, ...bounded, at });
}

const minute = 60_000;

/** For what anybody can repeat as fast as they like: one row a minute of the same action of the same caller, for the same reason. */
export function* auditSeldom(row: AuditRow): Op<void> {
  const key = `audit ${row.who} ${row.action} ${row.why}`;
  const last = yield* hintedAt(key);
  if (last !== undefined && Math.abs(row.at - last) < minute) return;
  yield* saveHint(key, row.at);
  yield* audit(row);
}
