// Steps of the kill matrix on the way in: received, accepted, acknowledged; and at any moment.
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { eventually, quiet } from "./gateway-process.ts";
import type { Step } from "./kill-matrix.ts";
import {
  around,
  inboxOf,
  inState,
  type Round,
  running,
  type Spoken,
  traffic,
} from "./kill-round.ts";

export const stepsIn: readonly Step[] = [
  {
    title: "is killed when messages are served and not taken, and gets them again",
    name: "received",
    async arrange(round) {
      const held = round.plant.stage.holdIncoming();
      const said = batch(round);
      await held.arrived;
      for (const one of said) assert.equal(inboxOf(round, one), undefined);
      return { duplicates: 0, release: held.release };
    },
  },
  {
    title: "is killed when a message waits behind a turn, confirmed or not, and takes it once",
    name: "accepted",
    async arrange(round) {
      const { plant, random, target } = round;
      await running(round);
      // Else what is held confirms that turn's own message, and the batch is never served.
      await plant.stage.listening();
      const held = random.chance(0.6) ? plant.stage.holdConfirming() : undefined;
      const said = batch(round);
      for (const one of said) await inState(round, one, one.who === target ? "accepted" : "done");
      await held?.arrived;
      if (held) assert.ok(plant.stage.unconfirmed());
      else await eventually("the end of doubt", () => !plant.stage.unconfirmed());
      await quiet(round.plant);
      return { duplicates: 0, ...held };
    },
  },
  {
    title: "is killed as soon as the platform may forget the messages, and has them all",
    name: "acknowledged",
    async arrange(round) {
      if (round.random.chance(0.5)) await running(round);
      const said = batch(round);
      await taken(round, said);
      return {};
    },
  },
  {
    title: "is killed at any moment, with everything on its way",
    name: "any moment",
    async arrange(round) {
      if (round.random.chance(0.5)) await around(round);
      batch(round);
      await delay(round.random.below(60));
      return {};
    },
  },
];

/** As soon as the platform knows; where it is never told, as soon as it could be. */
async function taken(round: Round, said: readonly Spoken[]): Promise<void> {
  const { stage } = round.plant;
  await eventually("the platform's leave to forget", () =>
    stage.unconfirmed() === undefined
      ? said.every((one) => inboxOf(round, one))
      : stage.unconfirmed() === 0,
  );
}

/** In one go, so that they arrive together: one of each chat and one or two of the target, anywhere in between. */
function batch(round: Round): Spoken[] {
  const { random, target, others, say } = round;
  const own = random.chance(0.5) ? [target, target] : [target];
  return random
    .shuffled([...others, ...own])
    .map((who) =>
      who === target && random.chance(0.3)
        ? say(who, ({ file, said }) => [`do ${file}`, said])
        : traffic(round, who),
    );
}
