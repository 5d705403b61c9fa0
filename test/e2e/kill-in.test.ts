// The kill matrix, on the way in: received, accepted, acknowledged; and at any moment.
import assert from "node:assert/strict";
import { it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { quiet } from "./gateway-process.ts";
import { killTenTimes } from "./kill-matrix.ts";
import {
  around,
  inboxOf,
  inState,
  type Round,
  running,
  type Spoken,
  traffic,
} from "./kill-round.ts";

it("is killed when messages are served and not taken, and gets them again", (t) =>
  killTenTimes(t, "received", async (round) => {
    const held = round.plant.fake.faults.stallAt("getUpdates", { when: "stored" });
    const said = batch(round);
    await held.arrived;
    for (const one of said) assert.equal(inboxOf(round, one), undefined);
    return { duplicates: 0, release: held.release };
  }));

it("is killed when a message waits behind a turn, confirmed or not, and takes it once", (t) =>
  killTenTimes(t, "accepted", async (round) => {
    const { plant, random, target } = round;
    await running(round);
    // Else the poll that is held confirms that turn's own message, and the batch is never served.
    await plant.fake.waitFor(({ queue }) => queue.unconfirmed === 0 && queue.polling);
    const confirming = { match: ({ offset }: { offset?: unknown }) => Number(offset) > 0 };
    const held = random.chance(0.6)
      ? plant.fake.faults.stallAt("getUpdates", confirming)
      : undefined;
    const said = batch(round);
    for (const one of said) await inState(round, one, one.who === target ? "accepted" : "done");
    await held?.arrived;
    assert.equal(plant.fake.queue.unconfirmed > 0, held !== undefined);
    await quiet(round.plant);
    return { duplicates: 0, ...held };
  }));

it("is killed as soon as the platform may forget the messages, and has them all", (t) =>
  killTenTimes(t, "acknowledged", async (round) => {
    if (round.random.chance(0.5)) await running(round);
    batch(round);
    await round.plant.fake.waitFor(({ queue }) => queue.unconfirmed === 0);
    return {};
  }));

it("is killed at any moment, with everything on its way", (t) =>
  killTenTimes(t, "any moment", async (round) => {
    if (round.random.chance(0.5)) await around(round);
    batch(round);
    await delay(round.random.below(60));
    return {};
  }));

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
