// What people we do not know may spend: per listener and per caller, in the store, before any agent starts.
import type { ListenerId } from "../core/words.ts";
import { type Bucket, bucketOf, saveBucket } from "../store/attempts.ts";
import { countAnonymous } from "../store/inbox.ts";
import type { Op } from "../store/query.ts";

export interface BudgetLimits {
  readonly listenerTasksPerHour: number;
  readonly listenerConcurrent: number;
  readonly callerTasksPerHour: number;
}

export type Spent = "ok" | { readonly refused: "listener" | "caller"; readonly retryAt: number };

export const budgetWindow = 3_600_000;

export interface Spending {
  readonly listener: ListenerId;
  readonly caller: string;
  readonly now: number;
  readonly limits: BudgetLimits;
}

/** Spends one task of both budgets, or neither. */
export function* spend({ listener, caller, now, limits }: Spending): Op<Spent> {
  const ofCaller = yield* spentOf(`tasks ${caller}`, now);
  if (ofCaller.tokens >= limits.callerTasksPerHour)
    return { refused: "caller", retryAt: ofCaller.at + budgetWindow };
  const ofListener = yield* spentOf(`tasks ${listener}`, now);
  if (ofListener.tokens >= limits.listenerTasksPerHour)
    return { refused: "listener", retryAt: ofListener.at + budgetWindow };
  if ((yield* countAnonymous(listener)) >= limits.listenerConcurrent)
    return { refused: "listener", retryAt: now + 60_000 };
  yield* saveBucket(`tasks ${caller}`, { ...ofCaller, tokens: ofCaller.tokens + 1 });
  yield* saveBucket(`tasks ${listener}`, { ...ofListener, tokens: ofListener.tokens + 1 });
  return "ok";
}

/** What was spent in the window. One that lies in the future, because the clock went back, begins now: that refills nothing and blocks for one window at most. */
function* spentOf(key: string, now: number): Op<Bucket> {
  const bucket = yield* bucketOf(key);
  if (!bucket || now - bucket.at >= budgetWindow) return { tokens: 0, at: now };
  if (bucket.at <= now) return bucket;
  const moved = { tokens: bucket.tokens, at: now };
  yield* saveBucket(key, moved);
  return moved;
}
