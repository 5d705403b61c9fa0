// Watches a stage: what is new, changed or gone since the last look, and for whom; anything that nobody expected fails.
import assert from "node:assert/strict";
import type { Sight, Stage, Where } from "./scene-stage.ts";

/** What people wait for when they are shown something. A text is the whole of it; a pattern a part. */
export interface Expected {
  /** Who sees it; everybody in the group when absent. */
  readonly by?: string;
  readonly where: Sight["where"];
  readonly text: string | RegExp;
  readonly buttons?: readonly string[];
  readonly quotes?: string;
  readonly file?: string;
  /** It was there before, and says something else now. */
  readonly changed?: true;
}

interface Change {
  readonly sight: Sight;
  readonly changed: boolean;
}

export interface Step {
  readonly name: string;
  /** What somebody does. */
  readonly act?: () => unknown;
  readonly sees: readonly Expected[];
  /** Messages of people that the bot takes away, as `name: text`. */
  readonly gone?: readonly string[];
}

export interface Eye {
  /** Does it, waits for all that is expected, and fails for anything else that anybody sees. Gives the sights in the order expected. */
  step(step: Step): Promise<Sight[]>;
  /** The rows of all steps so far, to be read. */
  readonly table: readonly string[];
}

const patience = 20_000;

/** `members`: all in the group. `settle` comes back when what was said before has had its answer. */
export function createEye(
  stage: Stage,
  members: readonly string[],
  settle: () => Promise<void>,
): Eye {
  let known = new Map<string, string>();
  let gone: readonly string[] = [];
  const table: string[] = [];
  const changes = (): Change[] =>
    stage
      .look()
      .filter((sight) => known.get(sight.key) !== print(sight))
      .map((sight) => ({ sight, changed: known.has(sight.key) }));
  const step = async (it: Step): Promise<Sight[]> => {
    const seen = () => matched(it.sees, changes(), members);
    const deedsBefore = stage.deeds().length;
    await it.act?.();
    const complete = () =>
      seen() !== undefined && newlyGone(stage, gone).length >= (it.gone?.length ?? 0);
    await until(stage, complete, () => problem(stage, it, { changes: changes(), members }));
    await settle();
    const all = changes();
    const sights = matched(it.sees, all, members);
    if (!sights || all.length !== it.sees.length)
      assert.fail(problem(stage, it, { changes: all, members }));
    assert.deepEqual(newlyGone(stage, gone), it.gone ?? [], `${it.name}: what was taken away`);
    if (it.sees.length === 0 && !it.gone)
      assert.deepEqual(stage.deeds().slice(deedsBefore), [], `${it.name}: not even a sign of life`);
    known = new Map(stage.look().map((sight) => [sight.key, print(sight)]));
    gone = stage.gone();
    table.push(`${it.name} -> ${sights.map(row).join(" | ") || "nobody sees anything"}`);
    return sights;
  };
  return { step, table };
}

function newlyGone(stage: Stage, before: readonly string[]): string[] {
  const left = [...before];
  return stage.gone().filter((one) => {
    const at = left.indexOf(one);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

/** What makes it look otherwise. */
function print({ text, buttons, file }: Sight): string {
  return JSON.stringify([text, buttons, file]);
}

/** Each expectation with a change of its own, in the order of the expectations; undefined when there is no such way. */
function matched(
  expected: readonly Expected[],
  all: readonly Change[],
  members: readonly string[],
): Sight[] | undefined {
  const [first, ...rest] = expected;
  if (!first) return [];
  for (const change of all) {
    if (!fits(first, change, members)) continue;
    const others = all.filter((one) => one !== change);
    const found = matched(rest, others, members);
    if (found) return [change.sight, ...found];
  }
  return undefined;
}

function fits(it: Expected, { sight, changed }: Change, members: readonly string[]): boolean {
  const seenBy = it.by === undefined ? members : [it.by];
  const said = typeof it.text === "string" ? sight.text === it.text : it.text.test(sight.text);
  return (
    said &&
    changed === (it.changed ?? false) &&
    sight.where === it.where &&
    same([...sight.seenBy].sort(), [...seenBy].sort()) &&
    same(sight.buttons, it.buttons ?? []) &&
    sight.quotes === it.quotes &&
    sight.file?.name === it.file
  );
}

function same(one: readonly string[], other: readonly string[]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function problem(
  stage: Stage,
  { name, sees, gone }: Step,
  { changes, members }: { changes: readonly Change[]; members: readonly string[] },
): string {
  const wanted = sees.map(
    ({ text, ...more }) => `  ${String(text)} ${JSON.stringify({ by: members.join(), ...more })}`,
  );
  const seen = changes.map(({ sight, changed }) => `  ${row(sight)}${changed ? " (changed)" : ""}`);
  return [
    `${stage.platform}: ${name}`,
    ...["expected:", ...wanted, ...(gone ?? []).map((one) => `  gone: ${one}`)],
    ...["seen:", ...seen, ...stage.gone().map((one) => `  gone: ${one}`)],
    stage.transcript(),
  ].join("\n");
}

/** One row of the table: who sees what. */
function row({ seenBy, where, text, buttons, quotes, file }: Sight): string {
  const more = [
    quotes ? `quotes ${quotes}` : "",
    buttons.length > 0 ? buttons.map((label) => `[${label}]`).join("") : "",
    file ? `<${file.name}>` : "",
  ];
  const words = JSON.stringify(text.length > 300 ? `${text.slice(0, 300)}…` : text);
  return [`${seenBy.join()} (${where}): ${words}`, ...more].filter(Boolean).join(" ");
}

function until(stage: Stage, done: () => boolean, why: () => string): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      stop();
      reject(new Error(why()));
    }, patience);
    const check = () => {
      if (!done()) return;
      clearTimeout(timer);
      stop();
      resolve();
    };
    const stop = stage.watch(check);
    check();
  });
}

/** For all in the group to see. */
export function openly(
  where: Where,
  text: Expected["text"],
  more: Partial<Expected> = {},
): Expected {
  return { where, text, ...more };
}
