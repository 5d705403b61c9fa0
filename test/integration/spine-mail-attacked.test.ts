// How people really write the line that decides, by mail: it counts; what is near it is answered; nothing else decides.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { pendingQuestions } from "../../src/store/questions.ts";
import { createLetters, type Letters } from "../fakes/letters.ts";
import { type Spine, startSpine } from "../fakes/spine.ts";

interface Rig {
  readonly letters: Letters;
  readonly spine: Spine;
}

async function open(t: TestContext): Promise<Rig> {
  const letters = createLetters();
  const spine = await startSpine(t, { desk: letters });
  await spine.join("1", "ana", "authenticated");
  return { letters, spine };
}

interface Card {
  readonly path: string;
  readonly number: string;
  readonly word: string;
}

async function asked({ letters, spine }: Rig, file: string): Promise<Card> {
  const path = join(spine.workspace, file);
  await letters.write("1", `do ${path}`, { thread: file });
  const { text } = await letters.until(new RegExp(`word \\w{4}: Create ${file}`));
  const [, number = "", word = ""] = /Question (\d+), word (\w{4})/.exec(text) ?? [];
  return { path, number, word };
}

const allows: readonly ((number: string, word: string) => string)[] = [
  (n, w) => `**Allow** ${n} ${w}`,
  (n, w) => `allow ${n} **${w}**`,
  (n, w) => `allow ${n} “${w}”`,
  (n, w) => `• allow ${n} ${w}: Allow once`,
  (n, w) => `- "allow ${n} ${w}": Allow once\n\nThanks\nAna`,
  (n, w) => `\`allow ${n} ${w}\`: Allow once`,
  (n, w) => `> Question ${n}, word ${w}\n> What to do?\n\nallow ${n} ${w}\n\n> If nobody answers`,
  (n, w) => `\u200ballow ${n}\u200b ${w}\u200b`,
  (n, w) => `allow\u00a0${n}\u00a0${w}`,
  (n, w) => `allow ${n} word ${w}`,
  (n, w) => `allow ${n} - ${w}`,
  (n, w) => `Allow question ${n}, word ${w}!`,
  (n, w) => `allow: ${n} (${w})`,
  (n, w) => `allow ${n}\n${w}\n\nAna`,
  (n, w) => `„allow ${n} ${w}“ danke`,
  (n, w) => `allow ${n} <${w.toLowerCase()}>`,
  (n, w) => `1. allow ${n} ${w.slice(0, 2)}\u00ad${w.slice(2)}`,
];

it("takes the line as people copy, quote, mark and break it", async (t) => {
  const rig = await open(t);
  for (const [index, spelling] of allows.entries()) {
    const { path, number, word } = await asked(rig, `n${index}.txt`);
    const before = rig.letters.to("1").length;
    const text = spelling(number, word);
    await rig.letters.write("1", text, { thread: `n${index}.txt` });
    const { part } = await rig.letters.after("1", before);
    assert.match(part.plain, /answer: once/, JSON.stringify(text));
    assert.equal(readFileSync(path, "utf8"), "did\n");
    assert.equal(rig.letters.to("1").length, before + 1);
  }
});

const denies: readonly (readonly [(number: string, word: string) => string, string])[] = [
  [(n, w) => `**deny ${n} ${w}** because it is late`, "it is late"],
  [(n, w) => `"deny ${n} ${w}" because it is late`, "it is late"],
  [(n, w) => `• deny ${n} ${w} because …: Deny; the reason is up to you`, ""],
  [(n, w) => `> Create n.txt?\n\ndeny ${n} ${w}: wrong folder\n> allow ${n} ${w}`, "wrong folder"],
];

it("takes a no in the same forms, with its reason and nothing quoted in it", async (t) => {
  const rig = await open(t);
  for (const [index, [spelling, reason]] of denies.entries()) {
    const thread = `n${index}.txt`;
    const { number, word } = await asked(rig, thread);
    const before = rig.letters.to("1").length;
    await rig.letters.write("1", spelling(number, word), { thread });
    assert.match((await rig.letters.after("1", before)).part.plain, /answer: no/);
    await rig.letters.write("1", `after ${thread}`, { thread });
    const { text } = await rig.letters.until(new RegExp(`after ${thread}`));
    if (reason) assert.match(text, new RegExp(`Their reason: ${reason}(?!.*allow)`));
    else assert.doesNotMatch(text, /Their reason/);
  }
});

it("decides nothing by a line that is quoted, forwarded or only spoken of", async (t) => {
  const rig = await open(t);
  const { number, word } = await asked(rig, "n.txt");
  const other = await asked(rig, "m.txt");
  for (const [index, text] of [
    `> allow ${number} ${word}\n\nWhat does this mean?`,
    `What if I write\nallow ${number} ${word}\nthen?`,
    `---------- Forwarded message ---------\nFrom: x\n\nallow ${number} ${word}`,
    `Do not\nallow ${number} ${word}`,
    `allow ${number} ${other.word}`,
    `disallow ${number} ${word}`,
    `allow ${number} ${word}X`,
  ].entries()) {
    const before = rig.letters.to("1").length;
    await rig.letters.write("1", text, { thread: `other ${index}` });
    await rig.letters.after("1", before);
  }
  assert.equal((await rig.spine.store.run(pendingQuestions)).length, 2);
});

it("answers at once, and once, whoever writes behind the very question that waits for them", async (t) => {
  const rig = await open(t);
  const { letters } = rig;
  const { number, word } = await asked(rig, "n.txt");
  const before = letters.to("1").length;
  await letters.write("1", "Sure, go ahead!", { thread: "n.txt" });
  const { part } = await letters.after("1", before);
  assert.match(part.plain, new RegExp(`question ${number}`, "i"));
  assert.doesNotMatch(part.plain, new RegExp(word));
  await letters.write("1", "And do that as well", { thread: "n.txt" });
  for (const near of [
    `Hello,\n\nallow ${number} ${word}\n\nAna`,
    `approve ${number} ${word}`,
    word,
  ]) {
    const count = letters.to("1").length;
    await letters.write("1", near, { thread: "n.txt" });
    assert.match((await letters.after("1", count)).part.plain, /Nothing was decided/, near);
  }
  await letters.write("1", `allow ${number} ${word}`, { thread: "n.txt" });
  await letters.until(/answer: once/);
  await letters.until(/go ahead/);
  assert.equal(letters.to("1").length, before + 6);
});

it("takes a command, a retry and an answer with a name below it, or the word before it", async (t) => {
  const rig = await open(t);
  const { letters } = rig;
  await letters.write("1", "/whoami.\n\nBye\nAna", { thread: "a" });
  await letters.until(/You are \*\*ana/);
  await letters.write("1", "retry\n\nAna", { thread: "b" });
  await letters.until(/There is nothing to retry/);
  await letters.write("1", "hang", { thread: "c" });
  await letters.write("1", "/stop\n\nAna", { thread: "c" });
  await letters.until(/⏹ Stopped/);
});

it("gives the agent no word of a question as part of an answer", async (t) => {
  const rig = await open(t);
  const { letters } = rig;
  const properties = { name: { type: "string", title: "Name" } };
  const form = `form ${JSON.stringify({ type: "object", properties, required: ["name"] })}`;
  await letters.write("1", form, { thread: "a" });
  await letters.until(/Name\?/);
  await letters.write("1", "/approvals", { thread: "b" });
  const { text } = await letters.until(/answer 1 \w{4}/);
  const [, word] = /answer 1 (\w{4})/.exec(text) ?? [];
  await letters.write("1", `answer 1 ${word} Otto`, { thread: "a" });
  await letters.until(/"name":"Otto"/);
});
