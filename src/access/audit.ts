// Audit rows are bounded, and nothing in them can hide or drive a terminal.
import { visibleLine } from "../core/visible.ts";
import { type AuditRow, addAudit } from "../store/audit.ts";
import type { Op } from "../store/query.ts";

export function* audit(row: AuditRow): Op<void> {
  const { at, ...texts } = row;
  const bounded = Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [key, visibleLine(text.slice(0, 500))]),
  );
  yield* addAudit({ ...texts, ...bounded, at });
}
