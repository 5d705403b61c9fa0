// What turns use of the model: counted in memory as it is told, in the store a second later, and cut where a budget ends.
import { auditSeldom } from "../access/audit.ts";
import {
  type OverTokens,
  overTokens,
  payerOf,
  payerOfCaller,
  type TokenLimits,
  usageOf,
} from "../access/model-budget.ts";
import type { Clock } from "../core/clock.ts";
import type { ModelUse } from "../core/egress.ts";
import type { Log } from "../core/log.ts";
import type { SandboxScope } from "../core/sandbox.ts";
import { dayOf, noUsage, plus, type Usage } from "../core/usage.ts";
import type { Caller, TaskId } from "../core/words.ts";
import type { Store } from "../store/store.ts";
import { addUsage, type UsageOf, usageOfCallers, usageOfTask } from "../store/usage.ts";

export interface UsagePorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  settings(): { readonly tokens: TokenLimits };
}

export interface Meter {
  /** Reads what was used today; before anything else. */
  prime(): Promise<void>;
  /** Of a request that has ended. With several turns at work in a sandbox it goes to the one that began last. */
  note(use: ModelUse): void;
  /** Asked before each request: why not. The turns that it concerns are cut, each once. */
  overBudget(scope: SandboxScope): string | undefined;
  /** Why nothing new of this caller begins. */
  refusal(caller: Caller): string | undefined;
  /** From here on what is used in this sandbox is this turn's. */
  enter(turn: Entering): Promise<AtWork>;
  /** Resolves when all that was noted so far is in the store. */
  write(): Promise<void>;
}

export interface Entering {
  readonly scope: SandboxScope;
  /** Whose day it counts for. */
  readonly payer: string;
  readonly task: TaskId;
  /** The task has worked before, under another gateway. */
  readonly again: boolean;
  readonly cut: (over: OverTokens) => void;
}

export interface AtWork {
  /** It was cut for this. */
  over(): OverTokens | undefined;
  leave(): void;
}

interface Working extends Entering {
  used: Usage;
  over?: OverTokens;
}

interface Place {
  /** The one that began last is the last. */
  readonly working: Working[];
  /** What goes on in the sandbox after the last turn's end is still its. */
  left?: Working;
}

export function createMeter(ports: UsagePorts): Meter {
  const { store, clock, settings } = ports;
  const days = createDays(clock);
  const ledger = createLedger(ports);
  const places = new Map<string, Place>();
  const lastIn = ({ key }: SandboxScope) => {
    const place = places.get(key);
    return place?.working.at(-1) ?? place?.left;
  };
  return {
    async prime() {
      const day = dayOf(clock.now());
      for (const [payer, used] of await store.run(() => usageOfCallers(day)))
        days.add(day, payer, used);
    },
    note(use) {
      const used = usageOf(use);
      const day = dayOf(clock.now());
      const turn = lastIn(use.scope);
      const caller = payerIn(use.scope, turn);
      if (turn) turn.used = plus(turn.used, used);
      days.add(day, caller, used);
      ledger.add({ day, caller, task: turn?.task ?? "" }, used);
    },
    overBudget(scope) {
      const last = lastIn(scope);
      const payer = payerIn(scope, last);
      const spent = { payer, today: days.today(payer), task: last?.used };
      const found = overTokens(settings().tokens, spent);
      if (found) refuse(ports, { scope, found, place: places.get(scope.key), last });
      return found?.sentence;
    },
    refusal({ id }) {
      const payer = payerOfCaller(id);
      const spent = { payer, today: days.today(payer), task: undefined };
      return overTokens(settings().tokens, spent)?.sentence;
    },
    async enter(turn) {
      const used = turn.again ? await usedBefore(ports, ledger, turn.task) : noUsage;
      const place = places.get(turn.scope.key) ?? { working: [] };
      places.set(turn.scope.key, place);
      const mine: Working = { ...turn, used };
      place.working.push(mine);
      return {
        over: () => mine.over,
        leave() {
          place.working.splice(place.working.indexOf(mine), 1);
          place.left = mine;
          void ledger.write();
        },
      };
    },
    write: ledger.write,
  };
}

async function usedBefore({ store }: UsagePorts, ledger: Ledger, task: TaskId): Promise<Usage> {
  await ledger.write();
  return store.run(() => usageOfTask(task));
}

/** In a sandbox of several people each pays for their own turns. */
function payerIn(scope: SandboxScope, last: Working | undefined): string {
  return last?.payer ?? payerOf(scope);
}

interface Refusing {
  readonly scope: SandboxScope;
  readonly found: OverTokens;
  readonly place: Place | undefined;
  readonly last: Working | undefined;
}

/** A caller's limit concerns all that is at work for them, a task's only the task. */
function refuse(ports: UsagePorts, { scope, found, place, last }: Refusing): void {
  const concerned = (place?.working ?? []).filter((one) => found.is !== "task" || one === last);
  for (const one of concerned) {
    if (one.over) continue;
    one.over = found;
    one.cut(found);
  }
  if (concerned.length > 0) return;
  const who = payerIn(scope, last);
  const row = { at: ports.clock.now(), who, name: "", place: "sandbox", action: "model" };
  const target = last?.task ?? "";
  ports.store
    .runSoon(() => auditSeldom({ ...row, target, outcome: "refused", why: found.why }))
    .catch((error) => ports.log.error({ error }, "Could not note a refusal"));
}

/** What each payer used in a day. A clock that goes back finds the day it left as it was. */
function createDays(clock: Clock) {
  const daysKept = 3;
  const days = new Map<number, Map<string, Usage>>();
  return {
    today: (payer: string): Usage => days.get(dayOf(clock.now()))?.get(payer) ?? noUsage,
    add(day: number, payer: string, used: Usage) {
      const payers = days.get(day) ?? new Map<string, Usage>();
      payers.set(payer, plus(payers.get(payer) ?? noUsage, used));
      days.set(day, payers);
      const [oldest] = days.keys();
      if (days.size > daysKept && oldest !== undefined) days.delete(oldest);
    },
  };
}

interface Ledger {
  add(of: UsageOf, used: Usage): void;
  write(): Promise<void>;
}

const writeAfterMs = 1000;

/** Collects for a second and writes together: no request to the model waits for the disk, or makes a message wait. */
function createLedger({ store, log }: UsagePorts): Ledger {
  const unwritten = new Map<string, { readonly of: UsageOf; readonly used: Usage }>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  const add = (of: UsageOf, used: Usage) => {
    const key = `${of.day} ${of.caller} ${of.task}`;
    unwritten.set(key, { of, used: plus(unwritten.get(key)?.used ?? noUsage, used) });
    timer ??= setTimeout(write, writeAfterMs).unref();
  };
  const writeAll = async () => {
    clearTimeout(timer);
    timer = undefined;
    const batch = [...unwritten.values()];
    if (batch.length === 0) return;
    unwritten.clear();
    try {
      await store.runSoon(function* () {
        for (const { of, used } of batch) yield* addUsage(of, used);
      });
    } catch (error) {
      log.error({ error }, "Could not note what was used of the model; tried again in a second");
      for (const { of, used } of batch) add(of, used);
    }
  };
  const write = () => {
    writing = writing.then(writeAll);
    return writing;
  };
  return { add, write };
}
