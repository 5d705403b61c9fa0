// When a mail that could not be judged is tried again: after a minute, doubling to an hour, for three days.
import type { Waiting } from "./cursor.ts";

/** More cannot wait. */
export const mostWaiting = 1000;

export interface Patience {
  /** Ms until the second try. */
  readonly first: number;
  readonly longest: number;
  /** Ms after the first try from which on nothing is tried again. */
  readonly all: number;
}

export function patienceOf(retrySeconds: number): Patience {
  const first = retrySeconds * 1000;
  return { first, longest: 60 * first, all: 3 * 24 * 60 * first };
}

export function waitingFrom(
  { uid, of }: { readonly uid: number; readonly of?: string | undefined },
  now: number,
  { first }: Patience,
): Waiting {
  return { uid, tries: 1, first: now, due: now + first, ...(of === undefined ? {} : { of }) };
}

/**
 * So many are tried once more, at once and for the last time: the oldest of whoever has the most. Else a domain whose DNS
 * never answers could keep the list full, and everybody else unheard.
 */
export function hurried(waiting: readonly Waiting[], count: number): readonly Waiting[] {
  const groups = new Map<string, Waiting[]>();
  for (const one of waiting) groups.set(one.of ?? "", [...(groups.get(one.of ?? "") ?? []), one]);
  const [most = []] = [...groups.values()].sort((a, b) => b.length - a.length);
  const chosen = new Set(most.sort((a, b) => a.first - b.first).slice(0, count));
  return waiting.map((one) => (chosen.has(one) ? { ...one, first: 0, due: 0 } : one));
}

export function tried(one: Waiting, now: number, { first, longest }: Patience): Waiting {
  const wait = Math.min(longest, first * 2 ** Math.min(one.tries, 20));
  return { ...one, tries: one.tries + 1, due: now + wait };
}

/** This try is the last one. */
export function isLast(one: Waiting, now: number, { all }: Patience): boolean {
  return now - one.first >= all;
}

export function dueNow(waiting: readonly Waiting[], now: number): readonly Waiting[] {
  return waiting.filter(({ due }) => due <= now);
}

/** Ms until something is due, at most so many. */
export function untilDue(waiting: readonly Waiting[], now: number, most: number): number {
  return Math.max(0, Math.min(most, ...waiting.map(({ due }) => due - now)));
}
