// Steps of the kill matrix on the way out where a task is answered with one message: on the wire, held or in doubt.
import assert from "node:assert/strict";
import type { Step } from "./kill-matrix.ts";
import { around, asked, holdMessage, inState, type Round, type Scene } from "./kill-round.ts";
import { dropped, partsOf } from "./kill-steps-out.ts";

export const stepsOutWhole: readonly Step[] = [
  {
    title: "is killed while an answer is on the wire, and sends the same one again",
    name: "answer sent",
    async arrange(round) {
      await around(round);
      return await (round.seed % 2 === 0 ? onTheWire(round) : dropped(round));
    },
  },
];

/** What was asked for has changed something, or not: the turn is over either way, and is not run again. */
async function onTheWire(round: Round): Promise<Scene> {
  const { random, target, say } = round;
  const changes = random.chance(0.5);
  const held = holdMessage(round, (text) => text.includes("2499"));
  const turn = say(target, ({ file, said }) => [
    ...(changes ? [`do ${file}`] : []),
    said,
    "stream 2500",
  ]);
  if (changes) target.presses(await asked(round, turn), "Allow once");
  await held.arrived;
  await inState(round, turn, "done");
  assert.deepEqual(partsOf(round, turn), ["sending"]);
  return held;
}
