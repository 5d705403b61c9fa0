// The kill matrix: ten seeded kills at a named step of a message's way, and what came of them in one line.
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { isRunning } from "../fakes/acp-agent-steps.ts";
import { withPlant } from "./gateway-process.ts";
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
  seeded,
} from "./kill-round.ts";

/** Brings a message to the step, and sees its row there. */
export type Arrange = (round: Round) => Promise<Scene>;

const kills = 10;

export async function killTenTimes(t: TestContext, step: string, arrange: Arrange): Promise<void> {
  const sums: Record<string, number> = {};
  const begun = performance.now();
  await withPlant(t, { settings: { "turns.concurrent": "16" } }, async (plant) => {
    for (let seed = 1; seed <= kills; seed += 1) {
      const round = openRound(plant, seeded(seed), `${step.replace(/\W/g, "")}${seed}`);
      try {
        const counts = await killOnce(round, arrange);
        for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count;
      } catch (error) {
        const story = `${step}, seed ${seed}: ${error}\n${plant.output()}\n${storyOf(round)}`;
        throw new Error(story, { cause: error });
      }
    }
  });
  const told = Object.entries(sums).map(([name, count]) => `${count} ${name}`);
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  t.diagnostic(`killed at ${step}: ${kills} kills, ${told.join(", ")}, ${seconds} s`);
}

async function killOnce(round: Round, arrange: Arrange) {
  const { plant, random } = round;
  await openQuestion(round);
  const scene = await arrange(round);
  const cards = openCards(round);
  const before = await kill(round);
  checkTaken(round);
  // Some press while nobody is there, some when the card has changed already.
  const early = cards.filter(() => random.chance(0.5));
  const stale = early.map(pressStale);
  await plant.start();
  scene.release?.();
  openGates(round.spoken);
  const late = cards.filter((one) => !early.includes(one));
  stale.push(...late.map(pressStale));
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
  if (scene.duplicates !== undefined) assert.equal(duplicates, scene.duplicates);
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
function storyOf({ plant, spoken }: Round): string {
  const chats = new Set(spoken.map(({ who }) => who.chat));
  return [...chats]
    .map((chat) => plant.fake.transcript(chat).split("\n"))
    .map((lines) => lines.slice(lines.length - 60).map((line) => line.slice(0, 120)))
    .map((lines) => lines.join("\n"))
    .join("\n--\n");
}
