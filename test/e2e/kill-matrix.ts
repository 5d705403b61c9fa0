// The kill matrix: seeded kills at a named step of a message's way, and what came of them in one line.
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { isRunning } from "../fakes/acp-agent-steps.ts";
import { type Gateway, withGateway } from "./gateway-process.ts";
import {
  type Before,
  checkAnswers,
  checkCards,
  checkEffects,
  checkLeftovers,
  checkTaken,
  duplicatesIn,
  saidInDoubt,
} from "./kill-checks.ts";
import { openCards, openGates, placeOf, playOn, pressStale } from "./kill-play.ts";
import {
  noteChildren,
  openQuestion,
  openRound,
  type Round,
  type Scene,
  traffic,
} from "./kill-round.ts";
import type { Stage } from "./kill-stage.ts";

export interface Step {
  /** What the gateway does. */
  readonly title: string;
  readonly name: string;
  /** Brings a message to the step, and sees its row there. */
  arrange(round: Round): Promise<Scene>;
}

export async function killAt(
  t: TestContext,
  open: () => Promise<Stage>,
  step: Step,
): Promise<void> {
  await killAtEach(t, open, [step]);
}

/** One after the other, with the same people: where it takes long to let them in. */
export async function killAtEach(
  t: TestContext,
  open: () => Promise<Stage>,
  steps: readonly Step[],
): Promise<void> {
  const stage = await open();
  await withGateway(t, { stage, settings: { "turns.concurrent": "16" } }, async (plant) => {
    for (const step of steps) t.diagnostic(await killAll(plant, step));
  });
}

/** With every seed; gives what came of it. */
async function killAll(plant: Gateway, { name, arrange }: Step): Promise<string> {
  const { channel, seeds } = plant.stage;
  const sums: Record<string, number> = {};
  const begun = performance.now();
  for (const seed of seeds) {
    plant.stage.turnPage?.();
    const round = openRound(plant, seed, `${name.replace(/\W/g, "")}${seed}`);
    try {
      const counts = await killOnce(round, arrange);
      for (const [what, count] of Object.entries(counts)) sums[what] = (sums[what] ?? 0) + count;
    } catch (error) {
      const story = `${channel}, ${name}, seed ${seed}: ${error}\n${plant.output()}\n${storyOf(round)}`;
      throw new Error(story, { cause: error });
    }
  }
  const told = Object.entries(sums).map(([what, count]) => `${count} ${what}`);
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  return `${channel}, killed at ${name}: ${seeds.length} kills, ${told.join(", ")}, ${seconds} s`;
}

async function killOnce(round: Round, arrange: Step["arrange"]) {
  const { plant, random } = round;
  const { stage } = plant;
  await openQuestion(round);
  const scene = await arrange(round);
  const cards = openCards(round);
  const before = await kill(round);
  checkTaken(round);
  // Nobody is there to hear it.
  if (random.chance(0.5)) traffic(round, random.chance(0.5) ? round.target : round.asker);
  // Some press while nobody is there, some when the card has changed already.
  const early = cards.filter(() => random.chance(0.5));
  const stale = early.map((one) => pressStale(one, stage.keepsPresses));
  await plant.start();
  scene.release?.();
  if (!stage.keepsPresses) await stage.listening();
  openGates(round.spoken);
  const late = cards.filter((one) => !early.includes(one));
  stale.push(...late.map((one) => pressStale(one)));
  const dead = new Set(cards.map(({ who, card }) => placeOf(who, card)));
  const retries = await playOn(round, { dead, retry: random.chance(0.5) });

  checkAnswers(round);
  checkEffects(round, before, retries);
  checkLeftovers(round, before);
  await checkCards(round, stale);
  const duplicates = duplicatesIn(round);
  const inDoubt = saidInDoubt(plant.output());
  assert.equal(inDoubt, before.inDoubt);
  assert.ok(duplicates <= inDoubt, `${duplicates} duplicates, ${inDoubt} in doubt`);
  const expected = stage.sendsOnce ? 0 : scene.duplicates;
  if (expected !== undefined) assert.equal(duplicates, expected);
  return {
    messages: round.spoken.length,
    lost: 0,
    "second runs of what changed something": 0,
    "out of order": 0,
    "leftovers killed": before.agents.length + before.children.length,
    "cards expired": cards.length,
    retried: [...retries.values()].reduce((sum, count) => sum + count, 0),
    duplicates,
    "in doubt": inDoubt,
  };
}

async function kill(round: Round): Promise<Before> {
  const { plant } = round;
  const agents = await plant.kill();
  const children = noteChildren(round).filter(isRunning);
  const changed = "select id from turns where state != 'ended' and effects = 1";
  const begun = "state in ('pending', 'sending') and attempts > 0 and refJson is null";
  return {
    agents,
    children,
    changed: plant.rows<{ id: string }>(changed).map(({ id }) => id),
    inDoubt: plant.rows(`select id from outbox where ${begun}`).length,
  };
}

/** What the people of this round have seen in it. */
function storyOf({ spoken }: Round): string {
  return [...new Set(spoken.map(({ who }) => who))]
    .map((who) => who.transcript().split("\n"))
    .map((lines) => lines.slice(lines.length - 60).map((line) => line.slice(0, 120)))
    .map((lines) => lines.join("\n"))
    .join("\n--\n");
}
