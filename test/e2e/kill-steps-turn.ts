// Steps of the kill matrix inside a turn: started, asked, decided.
import assert from "node:assert/strict";
import { eventually, quiet } from "./gateway-process.ts";
import type { Step } from "./kill-matrix.ts";
import {
  around,
  asked,
  holdMessage,
  inboxOf,
  inState,
  linesIn,
  type Round,
  running,
  type Spoken,
  traffic,
} from "./kill-round.ts";

export const stepsInside: readonly Step[] = [
  {
    title: "is killed while a turn runs, and begins it again only if it changed nothing",
    name: "started",
    async arrange(round) {
      const sneaks = round.random.chance(0.3);
      const turn = await running(round, ({ file }) => (sneaks ? [`sneak ${file}`] : []));
      await around(round);
      if (sneaks) await eventually("its effect", () => hasEffects(round, turn));
      if (round.random.chance(0.5)) await inState(round, traffic(round, round.target), "accepted");
      await quiet(round.plant);
      return { duplicates: 0 };
    },
  },
  {
    title: "is killed while a question is open, and asks anew",
    name: "asked",
    async arrange(round) {
      const { target, random, say } = round;
      const held = random.chance(0.3) ? holdMessage(round) : undefined;
      const turn = say(target, ({ file, child, said }) => [`child ${child}`, `do ${file}`, said]);
      await (held?.arrived ?? asked(round, turn));
      await around(round);
      if (random.chance(0.5)) await inState(round, traffic(round, target), "accepted");
      await quiet(round.plant, held ? 1 : 0);
      assert.deepEqual(questionsOf(round, turn), [{ state: "pending" }]);
      return { duplicates: 0, ...held };
    },
  },
  {
    title: "is killed after an answer, and leaves what was allowed to a person",
    name: "decided",
    async arrange(round) {
      const { target, random, plant, say } = round;
      const label = random.chance(0.7) ? "Allow once" : "Deny";
      const turn = say(target, (made) => [`do ${made.file}`, `stall ${made.gate}`, made.said]);
      const card = await asked(round, turn);
      const held = random.chance(0.4) ? plant.stage.holdPressAnswer() : undefined;
      target.presses(card, label);
      await held?.arrived;
      await eventually("the decision", () => questionsOf(round, turn)[0]?.state === "answered");
      const allowed = label === "Allow once";
      if (allowed) await eventually("what was allowed", () => linesIn(turn.file) === 1);
      assert.equal(hasEffects(round, turn), allowed);
      await around(round);
      await quiet(round.plant);
      return { duplicates: 0, ...held };
    },
  },
];

function hasEffects(round: Round, it: Spoken): boolean {
  const sql = "select id from turns where effects = 1 and id = ?";
  return round.plant.rows(sql, inboxOf(round, it)?.turn ?? "").length > 0;
}

function questionsOf(round: Round, it: Spoken): { state: string }[] {
  const sql = "select state from questions where turn = ?";
  return round.plant.rows(sql, inboxOf(round, it)?.turn ?? "");
}
