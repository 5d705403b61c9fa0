// What must be true after a kill, a restart and the end of all work.
import assert from "node:assert/strict";
import { isRunning, pidsIn } from "../fakes/acp-agent-steps.ts";
import { eventually } from "./gateway-process.ts";
import { hasButton, refsOf, type Stale } from "./kill-play.ts";
import { inboxOf, linesIn, type Round, type Spoken, saidIn } from "./kill-round.ts";
import type { Member, Said } from "./kill-stage.ts";

/** What was known at the moment of the kill. */
export interface Before {
  readonly agents: readonly number[];
  /** What these had started themselves. */
  readonly children: readonly number[];
  /** Turns that were running and had changed something. */
  readonly changed: readonly string[];
  /** Messages that the gateway had begun to send, and cannot know the fate of. */
  readonly inDoubt: number;
}

const reportText = /A restart cut me off/;

/** Every message is answered, or reported with a Retry; in the order in which they were said. */
export function checkAnswers(round: Round): void {
  for (const who of round.plant.members) {
    const answers = round.spoken.filter((it) => it.who === who).map((it) => answerOf(round, it));
    assert.deepEqual(
      answers,
      [...answers].sort((one, other) => one - other),
      `out of order\n${who.transcript()}`,
    );
  }
}

/** As which of the bot's messages the chat sees the answer. */
function answerOf(round: Round, it: Spoken): number {
  const { outcome, turn } = inboxOf(round, it) ?? {};
  const refs = turn ? refsOf(round, turn) : [];
  const said = saidIn(round, it.who);
  const shown = said.filter(({ id }) => refs.includes(id));
  const wanted = outcome === "reported" ? reportText : new RegExp(`«${it.tag}»`);
  const answer = shown.find(({ text }) => wanted.test(text));
  const seen = it.who.transcript();
  assert.ok(answer, `${it.tag} is ${outcome} and was not answered\n${seen}`);
  if (outcome !== "reported") assert.deepEqual(streamedIn(it, shown), streamedBy(it), seen);
  return said.indexOf(answer);
}

/** What it was to count, and what is seen of that. */
function streamedBy({ steps }: Spoken): number[] {
  const count = steps.find((step) => step.startsWith("stream "))?.slice(7);
  return Array.from({ length: Number(count ?? 0) }, (_, index) => index + 1);
}

function streamedIn({ tag }: Spoken, shown: readonly Said[]): number[] {
  const text = shown.map((one) => one.text).join(" ");
  const [, own = ""] = text.split(`«${tag}»`);
  return (own.split("«")[0]?.match(/\d+/g) ?? []).map(Number);
}

/** Nothing happened without a yes, or twice without a Retry. */
export function checkEffects(
  round: Round,
  before: Before,
  retries: ReadonlyMap<string, number>,
): void {
  for (const it of round.spoken) {
    const retried = retries.get(it.tag) ?? 0;
    const done = linesIn(it.file);
    const { outcome, turn } = inboxOf(round, it) ?? {};
    assert.ok(done <= 1 + retried, `${it.tag} happened ${done} times, retried ${retried} times`);
    assert.ok(done <= allowedOf(round, it) + sneaked(it) * (1 + retried), `${it.tag}: unasked`);
    if (asks(it) && outcome === "ok") assert.equal(done, 1, `${it.tag} is ok, and was not done`);
    const runs = pidsIn(it.roll).filter((pid) => !before.children.includes(pid));
    const after = runs.filter((pid) => !before.agents.includes(pid)).length;
    if (before.changed.includes(turn ?? ""))
      assert.equal(after, retried, `${it.tag} had changed something and ran ${after} times more`);
    assert.ok(runs.length <= 2 + retried, `${it.tag} ran ${runs.length} times`);
  }
}

function asks({ steps }: Spoken): boolean {
  return steps.some((step) => step.startsWith("do "));
}

function sneaked({ steps }: Spoken): number {
  return steps.some((step) => step.startsWith("sneak ")) ? 1 : 0;
}

function allowedOf({ plant }: Round, { tag }: Spoken): number {
  return plant.rows(
    "select id from questions where outcome = 'approved' and instr(body || title, ?) > 0",
    `${tag}-file`,
  ).length;
}

/** What the dead gateway left is dead, and was so before any of it ran again. */
export function checkLeftovers(round: Round, { agents, children }: Before): void {
  assert.ok(agents.length > 0 && children.length > 0, "the kill left nothing behind");
  assert.deepEqual([...agents, ...children].filter(isRunning), []);
  for (const { roll, tag } of round.spoken)
    assert.deepEqual(pidsIn(`${roll}.met`), [], `${tag} ran beside what was left of it`);
}

export async function checkCards({ plant }: Round, stale: readonly Stale[]): Promise<void> {
  for (const { who, card, late, kept } of stale) {
    if (kept) {
      const answer = await eventually("an answer to a press that is too late", () => late.answer());
      assert.match(answer, /expired|not for here/);
    }
    const now = who.heard().find(({ id }) => id === card.id);
    assert.ok(now);
    // Of a card in doubt nobody knows which message it is: it keeps its buttons, and they are refused.
    if (isKnown(plant, now, who) && !plant.stage.cardsStay) {
      assert.match(now.text, /Expired by a restart/);
      assert.equal(hasButton(now, "Allow once"), false);
    }
  }
}

function isKnown(plant: Round["plant"], { id }: Said, { place }: Member): boolean {
  const ref = `"id":"${id}"`;
  const sql = "select id from outbox where chat = ? and instr(refJson, ?) > 0";
  return plant.rows(sql, place, ref).length > 0;
}

/** Copies that people see twice: each begins like another message, or like an answer that ended as a report. */
export function duplicatesIn(round: Round): number {
  const { plant } = round;
  let count = 0;
  for (const who of plant.members) {
    const said = saidIn(round, who);
    const known = said.filter((one) => isKnown(plant, one, who));
    const strays = said.filter((one) => !known.includes(one));
    for (const { text } of strays) {
      const head = text.slice(0, 40);
      assert.ok(
        known.some((one) => one.text.includes(head) || reportText.test(one.text)),
        `a stray message: ${text}`,
      );
    }
    count += strays.length;
  }
  return count;
}

/** What the platform was told is taken is on disk. */
export function checkTaken(round: Round): void {
  const { plant, spoken } = round;
  if (plant.stage.unconfirmed() !== 0) return;
  for (const it of spoken) assert.ok(inboxOf(round, it), `${it.tag} was confirmed and not kept`);
}

/** What the gateway that took over wrote in its log about it. */
export function saidInDoubt(output: string): number {
  const lines = output.split("\n").filter((line) => line.includes("Took up what the last gateway"));
  assert.equal(lines.length, 1, "the gateway did not say what it took up");
  return (JSON.parse(lines[0] ?? "") as { ambiguous: number }).ambiguous;
}
