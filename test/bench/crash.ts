// SIGKILL in the middle of many messages, then a new start: what was lost, run twice, doubled, out of order.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { PlatformName } from "./platforms.ts";
import { treeOf } from "./processes.ts";
import { end, floor, gateway, type Subject, type SubjectOptions } from "./subjects.ts";

export interface CrashSizes {
  readonly on: PlatformName;
  readonly chats: number;
  readonly messages: number;
  readonly kills: number;
}

export interface CrashCounts {
  /** Neither an answer nor a word that it was cut off. */
  readonly lost: number;
  /** The agent was given it twice. */
  readonly runTwice: number;
  readonly answeredTwice: number;
  readonly outOfOrder: number;
  /** The person was told, with a Retry. */
  readonly reported: number;
}

const kinds = {
  "gateway, agent asks": (options: SubjectOptions) => gateway({ ...options, asks: true }),
  "gateway, agent does not ask": (options: SubjectOptions) => gateway({ ...options, asks: false }),
  floor,
};

const patience = 60_000;

export type CrashKind = keyof typeof kinds;
export const crashKinds = Object.keys(kinds) as CrashKind[];

export async function crash(kind: CrashKind, sizes: CrashSizes): Promise<CrashCounts> {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-crash-"));
  const prompts = join(folder, "prompts.jsonl");
  const { on, chats } = sizes;
  const agent = JSON.stringify({ record: prompts });
  const subject = await kinds[kind]({ on, chats, agent, record: true });
  try {
    await killInTheMiddle(subject, sizes);
    return await count(subject, readFileSync(prompts, "utf8"));
  } finally {
    await subject.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function killInTheMiddle(subject: Subject, { messages, kills }: CrashSizes): Promise<void> {
  const { platform, chats } = subject;
  let child = subject.start();
  await platform.heard(patience);
  // The first message of a chat opens its session: not what is measured here.
  await platform.sayMany({ chats, count: chats.length, text: "first {n}" });
  await platform.sent(chats.length, patience);
  for (let kill = 0; kill < kills; kill += 1) {
    const { sent } = await platform.counted();
    const target = Math.round(messages * (0.3 + Math.random() * 0.4));
    await platform.sayMany({ chats, count: messages, text: `kill ${kill} {n}` });
    await platform.sent(sent + target, patience);
    const left = treeOf(child.pid ?? 0).slice(1);
    await end(child, "SIGKILL");
    // The gateway must find what it left behind; the floor knows nothing of it.
    if (subject.name === "floor") for (const pid of left) process.kill(pid, "SIGKILL");
    child = subject.start();
    await settled(subject);
  }
  const left = treeOf(child.pid ?? 0).slice(1);
  await end(child, "SIGTERM");
  if (subject.name === "floor") for (const pid of left) process.kill(pid, "SIGKILL");
}

/** Nothing more comes. */
async function settled({ platform }: Subject): Promise<void> {
  await platform.heard(patience);
  for (let before = -1, now = 0; before !== now; ) {
    before = now;
    await sleep(1500);
    now = (await platform.counted()).sent;
  }
}

async function count({ platform, chats }: Subject, record: string): Promise<CrashCounts> {
  const total = { lost: 0, answeredTwice: 0, outOfOrder: 0, reported: 0 };
  for (const chat of chats) {
    const texts = await platform.texts(chat);
    const asked = texts.filter(({ byBot, text }) => !byBot && text.startsWith("kill"));
    const answers = texts
      .filter(({ byBot, text }) => byBot && text.startsWith("kill"))
      .map(({ text }) => Number(text.split(" ")[2]) + Number(text.split(" ")[1]) * 1e6);
    const reported = texts.filter(({ byBot, text }) => byBot && /cut me off/.test(text)).length;
    const answered = new Set(answers);
    total.reported += reported;
    total.lost += Math.max(0, asked.length - answered.size - reported);
    total.answeredTwice += answers.length - answered.size;
    total.outOfOrder += answers.filter((n, index) => n < (answers[index - 1] ?? 0)).length;
  }
  const prompts = record.split("\n").flatMap((line) => /kill \d+ \d+/.exec(line) ?? []);
  return { ...total, runTwice: prompts.length - new Set(prompts).size };
}
