// What the gateway tells, one after the other: translated, accepted, and only then counted as read.
import { setTimeout as sleep } from "node:timers/promises";
import type { Accept } from "../../src/core/channel.ts";
import type { InboundEvent } from "../../src/core/events.ts";
import type { Log } from "../../src/core/log.ts";
import type { ChatRef } from "../../src/core/words.ts";
import { describe } from "./errors.ts";
import type { Health } from "./health.ts";
import { backoff } from "./trouble.ts";

/** What became of one thing that was told. */
export interface Taken {
  readonly events: readonly InboundEvent[];
  /** A message was read, whether or not it was for us. */
  readonly read?: { readonly channel: string; readonly kind: ChatRef["kind"]; readonly id: string };
}

export interface IntakePorts {
  readonly health: Health;
  readonly log: Log;
  readonly token: string;
  readonly signal: AbortSignal;
  read(read: NonNullable<Taken["read"]>): void;
  /** The queue was full and is empty now: what was not taken has to be read over REST. */
  overflowed(): void;
}

/** Gives what is to be accepted, in pieces that count as read one after the other. */
export type Job = () => AsyncIterable<Taken> | Promise<Taken>;

export interface Intake {
  start(accept: Accept): void;
  /** False: too much waits already, and this is not taken. */
  push(job: Job): boolean;
  /** Nothing waits to be accepted. */
  isIdle(): boolean;
  /** After the signal: resolves when what is being accepted is. */
  settle(): Promise<void>;
}

const mostWaiting = 5000;
const mostAtOnce = 100;
const patienceMs = 5000;

interface State {
  readonly ports: IntakePorts;
  readonly queue: Job[];
  accept: Accept | undefined;
  working: Promise<void> | undefined;
  overflowed: boolean;
}

export function createIntake(ports: IntakePorts): Intake {
  const { signal } = ports;
  const state: State = {
    ...{ ports, queue: [], accept: undefined, working: undefined, overflowed: false },
  };
  return {
    start(accept) {
      state.accept = accept;
      wake(state);
    },
    push(job) {
      if (signal.aborted) return false;
      if (state.queue.length >= mostWaiting) {
        if (!state.overflowed)
          ports.log.warn({}, "More comes in than can be kept; what is left out is read afterwards");
        state.overflowed = true;
        return false;
      }
      state.queue.push(job);
      wake(state);
      return true;
    },
    isIdle: () => state.queue.length === 0 && state.working === undefined,
    async settle() {
      const late = new AbortController();
      await Promise.race([state.working, pause(patienceMs, late.signal)]);
      late.abort();
    },
  };
}

function wake(state: State): void {
  if (state.working || !state.accept) return;
  state.working = work(state, state.accept).finally(() => {
    state.working = undefined;
    if (state.queue.length > 0 && !state.ports.signal.aborted) wake(state);
  });
}

/** Together what came together: one commit for many. */
async function work(state: State, accept: Accept): Promise<void> {
  const { ports, queue } = state;
  const { signal } = ports;
  let held: Taken[] = [];
  let gaveUp = false;
  const flush = async () => {
    const batch = held;
    held = [];
    if (batch.length === 0 || gaveUp) return;
    // Nothing that comes after it may count as read then.
    gaveUp = !(await take({ ports, accept, signal }, batch));
  };
  while (queue.length > 0 && !signal.aborted) {
    for (const job of queue.splice(0, mostAtOnce)) {
      if (signal.aborted) break;
      const given = startJob(job);
      if (given instanceof Promise) held.push(await orSkipped(given, ports));
      else {
        await flush();
        await drain(given, async (taken) => {
          held.push(taken);
          await flush();
        }).catch((error) => skipped(error, ports));
      }
    }
    await flush();
  }
  if (!state.overflowed || signal.aborted) return;
  state.overflowed = false;
  ports.overflowed();
}

function startJob(job: Job): AsyncIterable<Taken> | Promise<Taken> {
  try {
    return job();
  } catch (error) {
    return Promise.reject(error);
  }
}

async function drain(given: AsyncIterable<Taken>, each: (taken: Taken) => Promise<void>) {
  for await (const taken of given) await each(taken);
}

function orSkipped(given: Promise<Taken>, ports: IntakePorts): Promise<Taken> {
  return given.catch((error) => skipped(error, ports));
}

function skipped(error: unknown, { log, token }: IntakePorts): Taken {
  log.error({ why: describe(error, token) }, "An event could not be read and is skipped");
  return { events: [] };
}

interface Taking {
  readonly ports: IntakePorts;
  readonly accept: Accept;
  readonly signal: AbortSignal;
}

/** The same events are offered until they are durable; what is not accepted at a stop is read again after it. */
async function take({ ports, accept, signal }: Taking, batch: readonly Taken[]): Promise<boolean> {
  const { health, log, token } = ports;
  const events = batch.flatMap((taken) => taken.events);
  for (let failures = 0; events.length > 0; failures += 1) {
    try {
      await accept(events);
      health.event();
      health.stored();
      break;
    } catch (error) {
      if (signal.aborted) return false;
      const why = `Messages cannot be stored: ${describe(error, token)}`;
      health.unstored(why);
      log.error({ why, failures }, "A batch was not taken, it is tried again");
      await pause(backoff(failures), signal);
      if (signal.aborted) return false;
    }
  }
  for (const { read } of batch) if (read) ports.read(read);
  return true;
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
