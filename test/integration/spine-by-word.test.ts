// Decisions by a text that anybody could have written: they count only with the word of the card, from whoever it was given to.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { listAudit } from "../../src/store/audit.ts";
import { pendingQuestions } from "../../src/store/questions.ts";
import { createDesk } from "../fakes/desk.ts";
import { createLetters, joinOn, type Letters } from "../fakes/letters.ts";
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
  readonly text: string;
  readonly number: string;
  readonly word: string;
}

/** What Ana's mail says of the question that her task asks. */
async function asked({ letters, spine }: Rig, file: string, account = "1"): Promise<Card> {
  const path = join(spine.workspace, file);
  await letters.write(account, `do ${path}`, { thread: file });
  const pattern = new RegExp(`Question \\d+, word \\w{4}: Create ${file}`);
  const { text } = await letters.until(pattern, account);
  const [, number = "", word = ""] = /Question (\d+), word (\w{4})/.exec(text) ?? [];
  return { path, text, number, word };
}

/** Resolves once each of these was answered. */
async function say({ letters }: Rig, texts: readonly string[], thread = "other") {
  for (const text of texts) {
    const before = letters.to("1").length;
    await letters.write("1", text, { thread });
    await letters.after("1", before);
  }
}

it("asks with number and word first, the whole question, the lines that decide, and what silence means", async (t) => {
  const rig = await open(t);
  const { text, path, word } = await asked(rig, "n.txt");
  assert.match(word, /^[A-HJ-NP-Z2-9]{4}$/);
  assert.equal(
    text,
    [
      `**Question 1, word ${word}: Create n.txt?**`,
      "",
      "New file `n.txt`:",
      "",
      "```txt",
      "did",
      "```",
      "",
      "Begin your reply with one of these lines:",
      "",
      `\`allow 1 ${word}\` – Allow once`,
      "",
      `\`deny 1 ${word} because …\` – Deny; the reason is up to you`,
      "",
      "If nobody answers within 24 hours, it is denied, and I go on without it.",
    ].join("\n"),
  );
  assert.equal(existsSync(path), false);
});

it("takes the line in any spelling that people send back, and looks at nothing below it", async (t) => {
  const rig = await open(t);
  const spellings: ((card: Card) => string)[] = [
    ({ number, word }) => `allow ${number} ${word}`,
    ({ number, word }) => `Allow #${number} ${word.toLowerCase()}.`,
    ({ number, word }) => `"ALLOW ${number} ${word}"\n\nThanks, and deny all the rest\n-- \nAna`,
    ({ number, word }) => `\`allow ${number} ${word}\`.`,
    ({ number, word }) => `“allow ${number}: ${word}”\nno wait`,
    ({ number, word }) => `  /allow ${number} ${word} please`,
    ({ number, word }) => `allow ${number} ${word} – Allow once`,
  ];
  for (const [index, spelling] of spellings.entries()) {
    const card = await asked(rig, `n${index}.txt`);
    const before = rig.letters.to("1").length;
    await rig.letters.write("1", spelling(card), { thread: `n${index}.txt` });
    assert.match((await rig.letters.after("1", before)).part.plain, /answer: once/);
    assert.equal(readFileSync(card.path, "utf8"), "did\n", spelling(card));
    assert.equal(rig.letters.to("1").length, before + 1, "the answer is all that comes");
  }
});

it("carries the reason behind the word of a no, and says elsewhere than in its thread that it counted", async (t) => {
  const rig = await open(t);
  const { path, number, word } = await asked(rig, "n.txt");
  await say(rig, [`deny ${number} ${word} because it is the wrong folder\nUse another.`]);
  await rig.letters.until(/^Denied\.$/);
  const [row] = await rig.spine.store.run(() => listAudit(1, { outcome: "denied" }));
  assert.equal(row?.name, "ana");
  await rig.letters.until(/answer: no/);
  await rig.letters.write("1", "next", { thread: "n.txt" });
  const { text } = await rig.letters.until(/next/);
  assert.match(text, /denied.*Their reason: it is the wrong folder.*Use another/s);
  assert.equal(existsSync(path), false);
});

it("decides nothing without the word, by a bare yes, or by another question's word, says how, and keeps it for the audit", async (t) => {
  const rig = await open(t);
  const { letters, spine } = rig;
  const first = await asked(rig, "a.txt");
  const second = await asked(rig, "b.txt");
  assert.notEqual(first.word, second.word);
  const { number } = first;
  await say(rig, [
    `allow ${number}`,
    `allow ${number} ${second.word}`,
    `deny ${number} because no`,
  ]);
  await say(rig, ["yes", "OK.\n\nAna", "allow"], "a.txt");
  await say(rig, [`> allow ${number} ${first.word}`]);
  assert.deepEqual([existsSync(first.path), existsSync(second.path)], [false, false]);
  assert.equal((await spine.store.run(pendingQuestions)).length, 2);
  const said = letters.see().join("\n--\n");
  assert.match(
    said,
    /Nothing was decided: the word of question 1 is missing\. Begin with `allow 1`/,
  );
  assert.match(said, /Nothing was decided: that is not the word of question 1/);
  const answers = letters.see().filter((text) => text.startsWith("Nothing"));
  assert.equal(answers.length, 6);
  for (const text of answers) assert.doesNotMatch(text, new RegExp(`${first.word}|${second.word}`));
  const rows = await spine.store.run(() => listAudit(50, { outcome: "refused" }));
  assert.deepEqual(rows.map(({ why }) => why).sort(), [
    ...Array.from({ length: 5 }, () => "no word"),
    "wrong word",
  ]);
});

it("counts no word any more after five wrong ones, but a decision on another channel", async (t) => {
  const desk = createDesk("desk");
  const letters = createLetters();
  const spine = await startSpine(t, { desk: letters, more: [desk] });
  await spine.join("1", "ana", "authenticated");
  await joinOn(spine.store, desk, { account: "7", name: "ana", role: "authenticated" });
  const rig = { letters, spine };
  const card = await asked(rig, "n.txt");
  const other = await asked(rig, "m.txt");
  const wrong = card.word === "AAAA" ? "BBBB" : "AAAA";
  const { number, word } = card;
  await say(rig, [...Array.from({ length: 5 }, () => `allow ${number} ${wrong}`)]);
  await say(rig, [`allow ${number} ${word}`, `deny ${number} ${word}`]);
  assert.match(letters.see().at(-1) ?? "", /there were 5 wrong words for question 1/);
  assert.equal(existsSync(card.path), false);
  await letters.write("1", `allow ${other.number} ${other.word}`, { thread: "m.txt" });
  await letters.until(/answer: once/);
  await desk.say("7", `allow ${number}`);
  await desk.until(/^Allowed\.$/, "7");
  await letters.until(/answer: once/);
  await letters.after(
    "1",
    letters.to("1").findIndex(({ part }) => /answer: once/.test(part.plain)) + 1,
  );
  assert.equal(existsSync(card.path), true);
});

it("needs no word where there are none, and takes one there for no part of a reason", async (t) => {
  const desk = createDesk("desk");
  const letters = createLetters();
  const spine = await startSpine(t, { desk: letters, more: [desk] });
  await spine.join("1", "ana", "authenticated");
  await joinOn(spine.store, desk, { account: "7", name: "ana", role: "authenticated" });
  const rig = { letters, spine };
  const first = await asked(rig, "a.txt");
  const second = await asked(rig, "b.txt");
  const third = await asked(rig, "c.txt");
  await desk.say("7", `allow ${first.number} ${first.word}`);
  await desk.until(/^Allowed\.$/, "7");
  await desk.say("7", `deny ${second.number} ${second.word} because not now`);
  await desk.say("7", `deny ${third.number} THAT folder is wrong`);
  await letters.until(/answer: no/);
  for (const [file, reason] of [
    ["b.txt", /Their reason: not now/],
    ["c.txt", /Their reason: THAT folder is wrong/],
  ] as const) {
    await letters.write("1", `after ${file}`, { thread: file });
    assert.match((await letters.until(new RegExp(`after ${file}`))).text, reason);
  }
});

it("gives each owner a word of their own, which nobody else can use", async (t) => {
  const rig = await open(t);
  const { letters, spine } = rig;
  await spine.join("3", "olga", "owner");
  const always = JSON.stringify([{ optionId: "always", name: "Always", kind: "allow_always" }]);
  const path = join(spine.workspace, "n.txt");
  await letters.write("1", `dowith ${always} ${path}`);
  const { text } = await letters.until(/Create n\.txt/, "3");
  assert.match(text, /For: dowith .* \(ana\), on post/);
  assert.match(text, /Always allow \(Always\)/);
  const [, number, word] = /Question (\d+), word (\w{4})/.exec(text) ?? [];
  await letters.write("1", `allow ${number} ${word}`, { thread: "other" });
  await letters.until(/There is no question/, "1");
  assert.equal(existsSync(path), false);
  await letters.write("3", `allow ${number} ${word}`);
  await letters.until(/answer: always/, "1");
  assert.deepEqual(
    letters
      .to("1")
      .slice(1)
      .map(({ part }) => part.plain.split("\n")[0]?.slice(0, 20)),
    ["There is no question", "answer: always"],
    "nobody is told in between that others are asked",
  );
});
