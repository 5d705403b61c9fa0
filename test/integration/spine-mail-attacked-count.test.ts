// How many mails there are: one for each task and one for each command, on every road that one can end by.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { createLetters, type Letters } from "../fakes/letters.ts";
import { startSpine } from "../fakes/spine.ts";

/** Longer than whatever follows at once. */
const settled = () => delay(250);

async function mailsFor(letters: Letters, text: string, thread = text) {
  const before = letters.to("1").length;
  await letters.write("1", text, { thread });
  await letters.after("1", before);
  await settled();
  return letters
    .to("1")
    .slice(before)
    .map(({ part, to }) => `${to.thread}: ${part.plain.slice(0, 40)}`);
}

it("sends one for each, however it ends", async (t) => {
  const letters = createLetters();
  const spine = await startSpine(t, { desk: letters });
  await spine.join("1", "ana", "authenticated");
  const roads = [
    "echo fine",
    "echo begun\ndie",
    "error it broke",
    "die",
    "text 70000",
    "file 100 a.bin\nfile 21000000 b.bin",
    "/new",
    "/help",
    "/tasks",
    "/approvals",
    "/resume",
    "/enable",
    "/share",
    "/nonsense",
    "allow 77 K7Q2",
    "answer 77",
    "retry",
    "join K7Q2-9XF4",
    "",
  ];
  for (const text of roads) {
    const mails = await mailsFor(letters, text);
    assert.equal(mails.length, 1, `${JSON.stringify(text)}: ${mails.join(" | ")}`);
    assert.ok(mails[0]?.startsWith(`${text}: `), mails[0]);
  }
  for (const { part } of letters.to("1").slice(1)) assert.ok(part.replyTo, part.plain);
});

it("sends one for a task that is stopped where it runs, and one for a stop that is said elsewhere", async (t) => {
  const letters = createLetters();
  const spine = await startSpine(t, { desk: letters });
  await spine.join("1", "ana", "authenticated");
  const gone = (from: number) =>
    letters
      .to("1")
      .slice(from)
      .map(({ part, to }) => `${to.thread}: ${part.plain}`);
  await letters.write("1", "hang", { thread: "a" });
  assert.deepEqual(await mailsFor(letters, "/stop", "a"), ["a: ⏹ Stopped."]);
  await letters.write("1", "hang", { thread: "b" });
  await letters.write("1", "the next", { thread: "b" });
  const before = letters.to("1").length;
  await letters.write("1", "/stop", { thread: "b" });
  await letters.until(/waiting message dropped/);
  await settled();
  assert.deepEqual(gone(before).toSorted(), ["b: ⏹ 1 waiting message dropped.", "b: ⏹ Stopped."]);
  await letters.write("1", `do ${join(spine.workspace, "n.txt")}`, { thread: "c" });
  await letters.until(/Create n\.txt/);
  const [stopped, ...others] = await mailsFor(letters, "/stop", "c");
  assert.match(stopped ?? "", /^c: .*⏹ Stopped\.$/s);
  assert.deepEqual(others, []);
  await letters.write("1", "hang", { thread: "d" });
  await letters.write("1", "/status", { thread: "e" });
  const [, task] = /at work \(`?([\w-]{8})/.exec((await letters.until(/at work \(/)).text) ?? [];
  const count = letters.to("1").length;
  await letters.write("1", `/stop ${task}`, { thread: "e" });
  await letters.after("1", count + 1);
  await settled();
  assert.deepEqual(gone(count).toSorted(), ["d: ⏹ Stopped.", "e: ⏹ Stopped."]);
  const [nothing, ...more] = await mailsFor(letters, "/stop", "d");
  assert.match(nothing ?? "", /^d: There is nothing to stop here/);
  assert.deepEqual(more, []);
});

it("sends one for what a restart parked, for a queue that is full, and for all that waited", async (t) => {
  const letters = createLetters();
  const first = await startSpine(t, { desk: letters });
  await first.join("1", "ana", "authenticated");
  const gate = join(first.workspace, "gate");
  await letters.write("1", `stall ${gate}\necho done`);
  for (let n = 0; n < 20; n += 1) await letters.write("1", `more ${n}`);
  await first.stop();
  await settled();
  assert.equal(letters.to("1").length, 1);
  await startSpine(t, { desk: letters, folder: first.folder });
  await letters.write("1", "one too many");
  await letters.until(/20 of your messages already wait/);
  writeFileSync(gate, "");
  await letters.until(/more 19/);
  await settled();
  const [, full, done, all, ...others] = letters.to("1").map(({ part }) => part.plain);
  assert.match(full ?? "", /already wait/);
  assert.match(done ?? "", /done/);
  assert.match(all ?? "", /more 0.*more 19/s);
  assert.deepEqual(others, []);
});

it("says what to do about a file that does not fit, and about a mail that cannot be read", async (t) => {
  const letters = createLetters({ file: 1000 });
  const spine = await startSpine(t, { desk: letters });
  await spine.join("1", "ana", "authenticated");
  await letters.write("1", "file 900 a.bin\nfile 800 b.bin\nfile 2000 c.bin");
  const { text } = await letters.until(/b\.bin/);
  assert.match(
    text,
    /b\.bin \(.*does not fit into this message\. Ask for it in a message of its own\./,
  );
  assert.match(text, /c\.bin \(.*does not fit into this message\. Ask for a smaller one\./);
  const why = "a mail of 32 MB: at most 25 MB are taken";
  await letters.write("1", "", { unreadable: why });
  await letters.until(/^I cannot read a mail of 32 MB: at most 25 MB are taken\.$/);
  await letters.write("1", "", { unreadable: "a sticker" });
  await letters.until(/^I cannot read a sticker\. Please send text or a file\.$/);
});
