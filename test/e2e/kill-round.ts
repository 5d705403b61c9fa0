// One kill: a scene with a question pending, brought to a named step, the gateway killed there, started again, and played to its end.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pidsIn } from "../fakes/acp-agent-steps.ts";
import { eventually, type Gateway, quiet } from "./gateway-process.ts";
import type { Member, Said } from "./kill-stage.ts";

export interface Random {
  /** From 0 to `below` - 1. */
  below(below: number): number;
  chance(share: number): boolean;
  shuffled<T>(items: readonly T[]): T[];
}

function seeded(seed: number): Random {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (most: number) => Math.floor(next() * most);
  return {
    below,
    chance: (share) => next() < share,
    shuffled(items) {
      const left = [...items];
      return items.map(() => left.splice(below(left.length), 1)[0] as (typeof items)[number]);
    },
  };
}

/** A message of a person, and where what it makes the agent do can be seen. */
export interface Spoken {
  readonly tag: string;
  readonly who: Member;
  /** In the inbox. */
  readonly key: string;
  readonly steps: readonly string[];
  /** Each run of it by an agent leaves its pid here. */
  readonly roll: string;
  /** What it changes: a line each time. */
  readonly file: string;
  readonly gate: string;
  readonly child: string;
}

type Steps = (it: Pick<Spoken, "file" | "gate" | "child"> & { said: string }) => readonly string[];

export interface Round {
  readonly plant: Gateway;
  readonly seed: number;
  readonly random: Random;
  /** Somebody whose question is pending, the one of the named step, and others. */
  readonly asker: Member;
  readonly target: Member;
  readonly others: readonly Member[];
  readonly spoken: Spoken[];
  /** How much each had heard before. */
  readonly since: ReadonlyMap<Member, number>;
  say(who: Member, steps: Steps): Spoken;
}

/** What a scene has come to when the gateway is to be killed. */
export interface Scene {
  /** Copies of a message that people are going to see twice; absent: as many as are in doubt, at most. */
  readonly duplicates?: number;
  /** Lets go of what the fake holds. */
  release?(): void;
}

export function openRound(plant: Gateway, seed: number, name: string): Round {
  const random = seeded(seed);
  const [asker, target, ...rest] = random.shuffled(plant.members);
  assert.ok(asker && target);
  const spoken: Spoken[] = [];
  const folder = join(plant.cli.workspace, name);
  mkdirSync(folder);
  return {
    plant,
    seed,
    random,
    asker,
    target,
    others: rest.slice(0, random.below(rest.length + 1)),
    spoken,
    since: new Map(plant.members.map((who) => [who, who.heard().length])),
    say(who, steps) {
      const tag = `${name}-${spoken.length}-${who.name}`;
      const at = (kind: string) => join(folder, `${tag}-${kind}`);
      const made = { file: at("file"), gate: at("gate"), child: at("child"), roll: at("roll") };
      const lines = [`roll ${made.roll}`, ...steps({ ...made, said: `echo «${tag}» ` })];
      const one = { tag, who, key: who.says(lines.join("\n")), steps: lines, ...made };
      spoken.push(one);
      return one;
    },
  };
}

export function linesIn(path: string): number {
  return existsSync(path) ? readFileSync(path, "utf8").split("\n").filter(Boolean).length : 0;
}

/** What the bot said in this round. */
export function saidIn({ since }: Round, who: Member): Said[] {
  return who.heard().slice(since.get(who));
}

export interface InboxRow {
  readonly state: string;
  readonly outcome: string | null;
  readonly turn: string | null;
}

export function inboxOf({ plant }: Round, { key }: Spoken): InboxRow | undefined {
  return plant.rows<InboxRow>("select state, outcome, turn from inbox where key = ?", key)[0];
}

/** Its card, with the buttons still on it. */
export function cardOf(round: Round, { who, tag }: Spoken): Said | undefined {
  return saidIn(round, who).findLast(
    ({ text, buttons }) => buttons.length > 0 && text.includes(`${tag}-file`),
  );
}

export async function asked(round: Round, it: Spoken): Promise<Said> {
  return await eventually(`the card of ${it.tag}`, () => cardOf(round, it));
}

/** Its row is there, in this state. */
export async function inState(round: Round, it: Spoken, state: string): Promise<void> {
  await eventually(`${it.tag} ${state}`, () => inboxOf(round, it)?.state === state);
}

/** Anything that ends by itself. */
export function traffic(round: Round, who: Member): Spoken {
  const { random, say } = round;
  if (random.chance(0.3)) return say(who, ({ said }) => [said, "stream 1500"]);
  return say(who, ({ said }) => [said]);
}

/** The chats around the one that matters: all is said and answered there. */
export async function around(round: Round): Promise<void> {
  const said = round.others.map((who) => traffic(round, who));
  for (const one of said) await inState(round, one, "done");
}

/** A turn that does not end before its gate is open. */
export async function running(round: Round, steps: Steps = () => []): Promise<Spoken> {
  const it = round.say(round.target, (made) => [
    `child ${made.child}`,
    ...steps(made),
    `stall ${made.gate}`,
    made.said,
  ]);
  await inState(round, it, "started");
  await eventually(`${it.tag} begun`, () => linesIn(it.roll) === 1);
  return it;
}

/** Holds the next message of the bot to the target, before or after the platform has it. */
export function holdMessage(
  { plant, target, random }: Round,
  wanted: (text: string) => boolean = () => true,
) {
  const when = random.chance(0.6) ? ("stored" as const) : ("before" as const);
  const held = plant.stage.holdSend(target, { when, wanted });
  return { ...held, duplicates: when === "stored" ? 1 : 0 };
}

/** The question that is pending at every kill. */
export async function openQuestion(round: Round): Promise<Spoken> {
  const it = round.say(round.asker, ({ file, child, said }) => [
    `child ${child}`,
    `do ${file}`,
    said,
  ]);
  await asked(round, it);
  await quiet(round.plant);
  return it;
}

/** The roll of each message learns of the processes that its agents started. */
export function noteChildren({ spoken }: Round): number[] {
  return spoken.flatMap(({ child, roll }) => {
    const pids = pidsIn(child);
    if (pids.length > 0) writeFileSync(roll, pids.map((pid) => `${pid}\n`).join(""), { flag: "a" });
    return pids;
  });
}
