// After the restart: people press what is to be pressed until nothing is left to do.
import { writeFileSync } from "node:fs";
import type { SeenMessage } from "../fakes/telegram-transcript.ts";
import { eventually, type Member } from "./gateway-process.ts";
import { inboxOf, type Round, type Spoken, saidIn } from "./kill-round.ts";

export interface Stale {
  readonly who: Member;
  readonly card: SeenMessage;
  readonly queryId: string;
}

/** The cards that the dead gateway left open, as people still see them. */
export function openCards(round: Round): { who: Member; card: SeenMessage }[] {
  return round.plant.members.flatMap((who) =>
    saidIn(round, who.chat)
      .filter((card) => hasButton(card, "Allow once"))
      .map((card) => ({ who, card })),
  );
}

export function placeOf({ chat }: Member, { id }: SeenMessage): string {
  return `${chat.id}:${id}`;
}

export function hasButton({ buttons }: SeenMessage, label: string): boolean {
  return buttons.flat().some(({ text }) => text === label);
}

/** The button as it was, whether or not it is still shown. */
export function pressStale({ who, card }: { who: Member; card: SeenMessage }): Stale {
  const data = card.buttons.flat().find(({ text }) => text === "Allow once")?.callback_data ?? "";
  const press = who.person.presses(who.chat, card.id, data, { inaccessible: true });
  return { who, card, queryId: press.queryId };
}

/** Allows every question and, in the rounds that want it, takes every Retry; gives how many of these. */
export async function playOn(
  round: Round,
  { dead, retry }: { dead: ReadonlySet<string>; retry: boolean },
): Promise<Map<string, number>> {
  const pressed = new Set<string>(dead);
  const retries = new Map<string, number>();
  const press = (who: Member, card: SeenMessage, label: string) => {
    const key = placeOf(who, card);
    if (pressed.has(key) || !hasButton(card, label)) return false;
    pressed.add(key);
    who.person.presses(who.chat, card.id, label);
    return true;
  };
  await eventually(
    "the end of all work",
    () => {
      let busy = 0;
      for (const who of round.plant.members)
        for (const card of saidIn(round, who.chat)) {
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
  if (plant.fake.queue.unconfirmed > 0) return false;
  if (plant.rows("select id from inbox where state != 'done'").length > 0) return false;
  if (plant.rows("select id from outbox where state in ('pending', 'sending')").length > 0)
    return false;
  return spoken.every((it) => inboxOf(round, it)?.state === "done");
}

/** Which message a report is about: the database knows, a moment after people do. */
function tagOfReport(round: Round, card: SeenMessage, { chat }: Member): string | undefined {
  if (!hasButton(card, "Retry")) return undefined;
  return round.spoken.find((it) => {
    const turn = inboxOf(round, it)?.turn;
    return turn && it.who.chat === chat && refsOf(round, turn).includes(card.id);
  })?.tag;
}

/** The messages that a turn's answer became. */
export function refsOf({ plant }: Round, turn: string): number[] {
  const rows = plant.rows<{ refJson: string | null }>(
    "select refJson from outbox where turn = ? and kind = 'reply' order by seq, id",
    turn,
  );
  return rows.flatMap(({ refJson }) =>
    refJson ? [Number((JSON.parse(refJson) as { id: string }).id)] : [],
  );
}

export function openGates(spoken: readonly Spoken[]): void {
  for (const { gate } of spoken) writeFileSync(gate, "");
}
