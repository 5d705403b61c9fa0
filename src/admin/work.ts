// What is going on and what has been: tasks, approvals, the audit.
import { z } from "zod";
import { payerOfCaller } from "../access/model-budget.ts";
import type { Proof } from "../core/events.ts";
import { dayOf, noUsage, type Usage } from "../core/usage.ts";
import type { TurnId } from "../core/words.ts";
import { type AuditFilter, countAudit, listAudit } from "../store/audit.ts";
import { cardsOf } from "../store/cards.ts";
import { promptsOfTurn } from "../store/inbox.ts";
import { findPairing } from "../store/pairings.ts";
import type { Op } from "../store/query.ts";
import { pendingQuestions, type Question } from "../store/questions.ts";
import { listTasks, type Task } from "../store/tasks.ts";
import { turnsOfTask } from "../store/turns.ts";
import { usageOfCallers, usageOfTask, usageOfTasks } from "../store/usage.ts";
import { type AdminContext, done, failed, operation, writeNote } from "./context.ts";
import type { Running } from "./running.ts";

const limit = z.int().min(1).max(1000).default(50);
const id = z.string().min(1).max(100);
const searched = 1000;

/** What is in the store: at most a second behind. */
export interface TaskUsage {
  readonly usage: Usage;
  /** Of all that was done today (UTC) for whom the task is; all people that are not paired count as one. */
  readonly callerToday: Usage;
}

export const tasks = operation(z.strictObject({ limit }), async (context, input) =>
  done(await (await context.store()).run(() => used(input.limit, context.clock.now()))),
);

function* used(most: number, now: number): Op<(Task & TaskUsage)[]> {
  const found = yield* listTasks(most);
  const ofTask = yield* usageOfTasks(most);
  const today = yield* usageOfCallers(dayOf(now));
  return found.map((task) => {
    const callerToday = today.get(payerOfCaller(task.caller)) ?? noUsage;
    return { ...task, usage: ofTask.get(task.id) ?? noUsage, callerToday };
  });
}

/** By the whole id, or a beginning of it that only one has. */
async function taskOf(context: AdminContext, wanted: string): Promise<Task | string> {
  const all = await (await context.store()).run(() => listTasks(searched));
  return onlyOne(all, wanted, "task");
}

function onlyOne<T extends { readonly id: string }>(
  all: readonly T[],
  wanted: string,
  what: string,
): T | string {
  const found = all.filter((one) => one.id === wanted || one.id.startsWith(wanted));
  const [first] = found;
  if (!first)
    return `There is no ${what} ${JSON.stringify(wanted)}. List them with: sallyport ${what} list`;
  return found.length === 1 ? first : `Several have an id that begins so: give more of it.`;
}

export const task = operation(z.strictObject({ id }), async (context, input) => {
  const found = await taskOf(context, input.id);
  if (typeof found === "string") return failed(found);
  const more = await (await context.store()).run(function* () {
    const turns = yield* turnsOfTask(found.id);
    const today = yield* usageOfCallers(dayOf(context.clock.now()));
    const callerToday = today.get(payerOfCaller(found.caller)) ?? noUsage;
    const from = yield* provedOf(turns);
    return { turns, from, usage: yield* usageOfTask(found.id), callerToday };
  });
  return done({ ...found, ...more });
});

/** By what its prompts were taken for their sender's, where we found that out ourselves; each once. */
function* provedOf(turns: readonly { readonly id: TurnId }[]): Op<Proof[]> {
  const found = new Map<string, Proof>();
  for (const { id: turn } of turns)
    for (const { event } of yield* promptsOfTurn(turn)) {
      const { proof } = event.sender;
      if (proof) found.set(`${proof.address} ${proof.reason}`, proof);
    }
  return [...found.values()];
}

const needsRunning = failed(
  "No gateway runs, so nothing can be decided or stopped. Start it with: sallyport start",
);

export const cancel = operation(z.strictObject({ id }), async (context, input) => {
  if (!context.running) return needsRunning;
  const found = await taskOf(context, input.id);
  if (typeof found === "string") return failed(found);
  const cancelled = await context.running.cancelTask(found.id);
  if (!cancelled.done) return failed(cancelled.problem);
  await writeNote(context, { action: "task.cancel", target: found.id });
  return done({ id: found.id, cancelled: true });
});

export interface ApprovalRow {
  readonly id: string;
  /** The local owner's, as in `allow 3`. */
  readonly number: number | null;
  readonly title: string;
  /** Markdown of the card: the whole effect. */
  readonly body: string;
  readonly kind: Question["kind"];
  readonly options: Question["options"];
  readonly createdAt: number;
  readonly expiresAt: number;
}

function* pending(): Op<ApprovalRow[]> {
  const local = yield* findPairing("local");
  const rows: ApprovalRow[] = [];
  for (const {
    id: question,
    title,
    body,
    kind,
    options,
    createdAt,
    expiresAt,
  } of yield* pendingQuestions()) {
    const cards = local ? yield* cardsOf(question) : [];
    const number = cards.find(({ person }) => person === `p:${local?.id}`)?.number ?? null;
    rows.push({ id: question, number, title, body, kind, options, createdAt, expiresAt });
  }
  return rows;
}

export const approvals = operation(z.strictObject({}), async (context) =>
  done(await (await context.store()).run(pending)),
);

const decision = z.strictObject({
  /** A number of the local owner, or an id. */
  question: id,
  option: z.string().max(200).optional(),
  reason: z.string().max(1000).optional(),
});

async function decide(
  context: AdminContext,
  { question, option, reason }: z.infer<typeof decision>,
  otherwise: "allow" | "deny",
) {
  if (!context.running) return needsRunning;
  const rows = await (await context.store()).run(pending);
  const numbered = rows.find(({ number }) => String(number) === question);
  const found = numbered ?? onlyOne(rows, question, "approval");
  if (typeof found === "string") return failed(found);
  const running: Running = context.running;
  const decided = await running.decide(found.id, option ?? otherwise, reason);
  return decided.done
    ? done({ id: found.id, title: found.title, decided: option ?? otherwise })
    : failed(decided.problem);
}

export const allow = operation(decision, (context, input) => decide(context, input, "allow"));
export const deny = operation(decision, (context, input) => decide(context, input, "deny"));

const auditInput = z.strictObject({
  limit,
  who: z.string().optional(),
  action: z.string().optional(),
  outcome: z.string().optional(),
  before: z.int().optional(),
});

/** `who`: an id as it is on record, or else the name of a pairing. */
function* audited(most: number, filter: AuditFilter) {
  const { who } = filter;
  const named =
    who === undefined || (yield* countAudit({ who })) > 0 ? undefined : yield* findPairing(who);
  return yield* listAudit(most, named ? { ...filter, who: `p:${named.id}` } : filter);
}

export const auditRows = operation(auditInput, async (context, { limit: most, ...filter }) => {
  const given = Object.fromEntries(
    Object.entries(filter).filter(([, value]) => value !== undefined),
  );
  const store = await context.store();
  return done(await store.run(() => audited(most, given)));
});
