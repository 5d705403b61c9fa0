// Steps of the kill matrix on the way out: part sent, finished.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { eventually } from "./gateway-process.ts";
import type { Step } from "./kill-matrix.ts";
import {
  around,
  asked,
  holdMessage,
  inboxOf,
  inState,
  type Round,
  type Scene,
  type Spoken,
} from "./kill-round.ts";

export const stepsOut: readonly Step[] = [
  {
    title:
      "is killed while the first part of an answer is on the wire, and sends it once more at most",
    name: "part sent",
    async arrange(round) {
      await around(round);
      const way = ways[(round.seed - 1) % ways.length] ?? whole;
      return await way(round);
    },
  },
  {
    title: "is killed when a turn has ended and its parts are not all sent, and sends the rest",
    name: "finished",
    async arrange(round) {
      const { random, target, say } = round;
      await around(round);
      let parts = 1 + random.below(2);
      const held = holdMessage(round, (text) => /^\d+ \d+/.test(text) && --parts === 0);
      const changes = random.chance(0.4);
      const turn = say(target, ({ file, said }) => [
        ...(changes ? [`do ${file}`] : []),
        said,
        "stream 2500",
      ]);
      if (changes) target.presses(await asked(round, turn), "Allow once");
      await held.arrived;
      assert.equal(inboxOf(round, turn)?.state, "done");
      assert.ok(partsOf(round, turn).includes("sent"));
      assert.ok(partsOf(round, turn).includes("sending"));
      return held;
    },
  },
];

const ways = [growing, grown, whole, dropped];

/** The turn still runs: what is on the wire is the message that grows. */
async function growing(round: Round): Promise<Scene & { turn: Spoken }> {
  const held = holdMessage(round);
  const turn = round.say(round.target, ({ child, gate, said }) => [
    `child ${child}`,
    said,
    `stall ${gate}`,
    "stream 1500",
  ]);
  await held.arrived;
  assert.equal(inboxOf(round, turn)?.state, "started");
  assert.deepEqual(partsOf(round, turn), ["sending"]);
  return { ...held, turn };
}

/** The turn has ended meanwhile: the message that is on the wire is to become another. */
async function grown(round: Round): Promise<Scene> {
  const { turn, ...held } = await growing(round);
  writeFileSync(turn.gate, "");
  await inState(round, turn, "done");
  return held;
}

async function whole(round: Round): Promise<Scene> {
  const held = holdMessage(round);
  const turn = round.say(round.target, ({ said }) => [said, "stream 2500"]);
  await held.arrived;
  await inState(round, turn, "done");
  assert.ok(partsOf(round, turn).length > 2);
  return held;
}

/** The platform has it, and the connection died: the gateway waits before it tries again. */
export async function dropped(round: Round): Promise<Scene> {
  const { plant, target, say } = round;
  plant.stage.dropSend(target);
  const turn = say(target, ({ said }) => [said, "stream 1000"]);
  await inState(round, turn, "done");
  const noted = "select id from audit where outcome = 'ambiguous' and target = ?";
  await eventually("the doubt on record", () => plant.rows(noted, outboxOf(round, turn)).length);
  return { duplicates: 1 };
}

function outboxOf(round: Round, it: Spoken): string {
  const sql = "select id from outbox where turn = ?";
  const [row] = round.plant.rows<{ id: number }>(sql, inboxOf(round, it)?.turn ?? "");
  return `outbox ${row?.id}`;
}

export function partsOf(round: Round, it: Spoken): string[] {
  const sql = "select state from outbox where turn = ? and kind = 'reply' order by seq";
  const rows = round.plant.rows<{ state: string }>(sql, inboxOf(round, it)?.turn ?? "");
  return rows.map(({ state }) => state);
}
