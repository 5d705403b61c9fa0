// After the restart: people press what is to be pressed until nothing is left to do.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { eventually } from "./gateway-process.ts";
import { inboxOf, type Round, type Spoken, saidIn } from "./kill-round.ts";
import type { Late, Member, Said } from "./kill-stage.ts";

export interface OpenCard {
  readonly who: Member;
  readonly card: Said;
}

export interface Stale extends OpenCard {
  readonly late: Late;
  /** False: the platform itself told the presser that nobody is there. */
  readonly kept: boolean;
}

/** The cards that the dead gateway left open, as people still see them. */
export function openCards(round: Round): OpenCard[] {
  return round.plant.members.flatMap((who) =>
    saidIn(round, who)
      .filter((card) => hasButton(card, "Allow once"))
      .map((card) => ({ who, card })),
  );
}

export function placeOf({ place }: Member, { id }: Said): string {
  return `${place}:${id}`;
}

export function hasButton({ buttons }: Said, wanted: string): boolean {
  return buttons.some(({ label }) => label === wanted);
}

/** The button as it was, whether or not it is still shown. */
export function pressStale({ who, card }: OpenCard, kept = true): Stale {
  const button = card.buttons.find(({ label }) => label === "Allow once");
  assert.ok(button);
  return { who, card, late: who.pressesLate(card, button), kept };
}

/** Allows every question and, in the rounds that want it, takes every Retry; gives how many of these. */
export async function playOn(
  round: Round,
  { dead, retry }: { dead: ReadonlySet<string>; retry: boolean },
): Promise<Map<string, number>> {
  const pressed = new Set<string>(dead);
  const retries = new Map<string, number>();
  const press = (who: Member, card: Said, label: string) => {
    const key = placeOf(who, card);
    if (pressed.has(key) || !hasButton(card, label)) return false;
    pressed.add(key);
    who.presses(card, label);
    return true;
  };
  await eventually(
    "the end of all work",
    () => {
      let busy = 0;
      for (const who of round.plant.members)
        for (const card of saidIn(round, who)) {
          if (press(who, card, "Allow once")) busy += 1;
          const tag = retry ? tagOfReport(round, card, who) : undefined;
          if (tag === undefined || !press(who, card, "Retry")) continue;
          busy += 1;
          retries.set(tag, (retries.get(tag) ?? 0) + 1);
        }
      return busy === 0 && isOver(round);
    },
    30_000,
  );
  return retries;
}

function isOver(round: Round): boolean {
  const { plant, spoken } = round;
  if (plant.stage.unconfirmed()) return false;
  if (plant.rows("select id from inbox where state != 'done'").length > 0) return false;
  if (plant.rows("select id from outbox where state in ('pending', 'sending')").length > 0)
    return false;
  return spoken.every((it) => inboxOf(round, it)?.state === "done");
}

/** Which message a report is about: the database knows, a moment after people do. */
function tagOfReport(round: Round, card: Said, who: Member): string | undefined {
  if (!hasButton(card, "Retry")) return undefined;
  return round.spoken.find((it) => {
    const turn = inboxOf(round, it)?.turn;
    return turn && it.who === who && refsOf(round, turn).includes(card.id);
  })?.tag;
}

/** The messages that a turn's answer became. */
export function refsOf({ plant }: Round, turn: string): string[] {
  const rows = plant.rows<{ refJson: string | null }>(
    "select refJson from outbox where turn = ? and kind = 'reply' order by seq, id",
    turn,
  );
  return rows.flatMap(({ refJson }) =>
    refJson ? [(JSON.parse(refJson) as { id: string }).id] : [],
  );
}

export function openGates(spoken: readonly Spoken[]): void {
  for (const { gate } of spoken) writeFileSync(gate, "");
}
