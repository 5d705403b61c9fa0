// One life of a gateway or its floor, measured from its start to its end.
import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { anonymousOf, treeOf, type Watch, watch } from "./processes.ts";
import { end, type Subject } from "./subjects.ts";

export interface Sizes {
  readonly chats: number;
  readonly roundTrips: number;
  readonly messages: number;
  readonly idleMs: number;
}

export interface Sample {
  readonly measure: Measure;
  readonly value: number;
  /** Cores that something else used meanwhile. */
  readonly others: number;
}

export type Measure = keyof typeof measures;

/** Every measure: its unit, and how far from the floor it may be. */
export const measures = {
  "cold start": { unit: "ms", atMost: 1.5 },
  "round trip p50": { unit: "ms", atMost: 1.5 },
  "round trip p95": { unit: "ms" },
  throughput: { unit: "messages/s", atLeast: 0.8 },
  "CPU per 1000": { unit: "s", atMost: 1.5 },
  "memory, idle": { unit: "MB", atMost: 2 },
  "memory, after load": { unit: "MB", atMost: 2 },
} as const satisfies Record<string, { unit: string; atMost?: number; atLeast?: number }>;

const patience = 120_000;

/** In the order in which they were taken. */
export async function measureOnce(subject: Subject, sizes: Sizes): Promise<Sample[]> {
  const begin = performance.now();
  const { platform } = subject;
  const { comings: before } = await platform.counted();
  const child = subject.start();
  try {
    const starting = watching(subject, child);
    while ((await platform.counted()).comings === before) await sleep(2);
    const coldStart = performance.now() - begin;
    const { others } = starting.stop();
    await warmUp(subject);
    return [
      { measure: "cold start", value: coldStart, others },
      ...(await roundTrips(subject, child, sizes)),
      ...(await memory(child, "memory, idle", sizes.idleMs)),
      ...(await throughput(subject, child, sizes)),
      ...(await memory(child, "memory, after load", 0)),
    ];
  } finally {
    await end(child, "SIGTERM");
  }
}

function watching({ platform }: Subject, child: ChildProcess): Watch {
  return watch(child.pid ?? 0, [platform.pid]);
}

/** Each chat has its session, and the code is warm. */
async function warmUp({ platform, chats }: Subject): Promise<void> {
  for (let times = 0; times < 3; times += 1)
    for (const chat of chats) await platform.roundTrip({ chat, text: "warm-up" });
}

async function roundTrips(
  subject: Subject,
  child: ChildProcess,
  { roundTrips: count }: Sizes,
): Promise<Sample[]> {
  const times: number[] = [];
  const watched = watching(subject, child);
  for (let number = 0; number < count; number += 1) {
    const chat = subject.chats[number % subject.chats.length] ?? "";
    times.push(await subject.platform.roundTrip({ chat, text: `trip ${number}` }));
  }
  const { others } = watched.stop();
  times.sort((a, b) => a - b);
  return [
    { measure: "round trip p50", value: quantile(times, 0.5), others },
    { measure: "round trip p95", value: quantile(times, 0.95), others },
  ];
}

export function quantile(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

/** Of each chat at most this many messages wait: a gateway refuses more than twenty. */
const depth = 10;

/** Keeps the queue full but bounded, so that neither side ever idles. */
async function throughput(
  subject: Subject,
  child: ChildProcess,
  { messages }: Sizes,
): Promise<Sample[]> {
  const { platform, chats } = subject;
  const step = Math.min(messages, (chats.length * depth) / 2);
  const { sent: before } = await platform.counted();
  const watched = watching(subject, child);
  const begin = performance.now();
  for (let said = 0; said < messages; said += step) {
    const count = before + Math.max(0, said - step);
    await platform.sent(count, patience);
    const more = Math.min(step, messages - said);
    await platform.sayMany({ chats, count: more, text: `load ${said} {n}` });
  }
  await platform.sent(before + messages, patience);
  const seconds = (performance.now() - begin) / 1000;
  const { others, cpu } = watched.stop();
  await checkAnswers(subject);
  return [
    { measure: "throughput", value: messages / seconds, others },
    { measure: "CPU per 1000", value: (cpu / messages) * 1000, others },
  ];
}

/** What is fast because it answers wrongly does not count. */
async function checkAnswers({ name, platform, chats }: Subject): Promise<void> {
  const [chat = ""] = chats;
  const said = (await platform.texts(chat)).filter(({ text }) => /^load/.test(text));
  const questions = said.filter(({ byBot }) => !byBot).map(({ text }) => text);
  const answers = said.filter(({ byBot }) => byBot).map(({ text }) => text);
  if (questions.join("\n") !== answers.join("\n"))
    throw new Error(`${name} answered wrongly: ${JSON.stringify({ questions, answers })}`);
}

async function memory(
  child: ChildProcess,
  measure: "memory, idle" | "memory, after load",
  afterMs: number,
): Promise<Sample[]> {
  await sleep(afterMs);
  const value = anonymousOf(treeOf(child.pid ?? 0));
  return [{ measure, value, others: 0 }];
}
