// What takes long says once that it goes on, where nobody sees an answer grow; and it keeps nobody else from working.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { createLetters, type Letters } from "../fakes/letters.ts";
import { type Spine, startSpine } from "../fakes/spine.ts";

async function open(t: TestContext): Promise<{ letters: Letters; spine: Spine; gate: string }> {
  const letters = createLetters();
  const spine = await startSpine(t, { desk: letters });
  await spine.join("1", "ana");
  // From here on its agent runs: what follows begins at once.
  await letters.write("1", "echo warm");
  await letters.until(/warm/);
  return { letters, spine, gate: join(spine.workspace, "gate") };
}

function notes(letters: Letters): string[] {
  return letters.see().filter((text) => text.startsWith("Still at work"));
}

it("says once that it is still at work, with the tool that runs, and not while somebody is asked", async (t) => {
  const { letters, spine, gate } = await open(t);
  letters.goesOnAfter(400);
  const path = join(spine.workspace, "n.txt");
  const tool = { toolCallId: "c1", title: "npm test", kind: "execute", status: "in_progress" };
  const steps = [`do ${path}`, `tool ${JSON.stringify(tool)}`, `stall ${gate}`, "echo finished"];
  const asked = await letters.write("1", steps.join("\n"));
  const card = await letters.until(/Create n\.txt/);
  await delay(800);
  assert.deepEqual(notes(letters), []);
  await letters.write("1", /`(allow \d+ \w+)`/.exec(card.text)?.[1] ?? "");
  const note = "Still at work on this: `npm test`. The answer comes when it is done.";
  await letters.until(/Still at work/);
  await delay(800);
  writeFileSync(gate, "");
  await letters.until(/finished/);
  await delay(800);
  assert.deepEqual(notes(letters), [note]);
  assert.deepEqual(letters.to("1").at(-2)?.part.replyTo, asked.message);
  assert.match(letters.see().at(-1) ?? "", /finished/);
});

it("says it once for a turn that a restart cut off", async (t) => {
  const { letters, spine, gate } = await open(t);
  letters.goesOnAfter(100);
  await letters.write("1", `stall ${gate}\necho finished`);
  await letters.until(/Still at work on this\. The answer/);
  await spine.stop();
  await startSpine(t, { desk: letters, folder: spine.folder });
  await delay(400);
  writeFileSync(gate, "");
  await letters.until(/finished/);
  assert.equal(notes(letters).length, 1);
});

it("says nothing of a turn that has ended", async (t) => {
  const { letters } = await open(t);
  letters.goesOnAfter(1000);
  await letters.write("1", "echo quick");
  await letters.until(/quick/);
  await delay(1500);
  assert.deepEqual(notes(letters), []);
});

it("gives the place of whom a question waits for to others", async (t) => {
  const letters = createLetters();
  const spine = await startSpine(t, { desk: letters, settings: { concurrent: 1 } });
  await spine.join("1", "ana");
  await spine.join("2", "bob");
  await letters.write("1", `do ${join(spine.workspace, "n.txt")}`);
  await letters.until(/Create n\.txt/);
  await letters.write("2", "bob's");
  await letters.until(/bob's/, "2");
});
