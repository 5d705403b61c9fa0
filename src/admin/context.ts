// What every operation of an operator has at hand, and how one is written down.
import type { z } from "zod";
import { audit } from "../access/audit.ts";
import type { Place } from "../config/paths.ts";
import type { Clock } from "../core/clock.ts";
import type { Op } from "../store/query.ts";
import type { Store } from "../store/store.ts";
import type { Running } from "./running.ts";

export interface AdminContext {
  readonly place: Place;
  readonly clock: Clock;
  /** Undefined when no gateway runs on this state. */
  readonly running: Running | undefined;
  /** Opened when it is first needed. */
  store(): Promise<Store>;
}

/** A problem says what to do next. */
export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: string };

export interface Operation<I, O> {
  readonly input: z.ZodType<I>;
  run(context: AdminContext, input: I): Promise<Outcome<O>>;
}

export function operation<I, O>(
  input: z.ZodType<I>,
  run: (context: AdminContext, input: I) => Promise<Outcome<O>>,
): Operation<I, O> {
  return { input, run };
}

export function done<T>(value: T): Outcome<T> {
  return { ok: true, value };
}

export function failed(problem: string): { readonly ok: false; readonly problem: string } {
  return { ok: false, problem };
}

export interface Note {
  readonly action: string;
  readonly target: string;
  readonly outcome?: string;
  readonly why?: string;
}

/** The audit row of what the operator did, for the transaction that does it. */
export function* noted({ clock }: AdminContext, note: Note): Op<void> {
  const { action, target, outcome = "done", why = "" } = note;
  yield* audit({
    at: clock.now(),
    who: "operator",
    name: "operator",
    place: "admin",
    action,
    target,
    outcome,
    why,
  });
}

export async function writeNote(context: AdminContext, note: Note): Promise<void> {
  const store = await context.store();
  await store.run(() => noted(context, note));
}
