// What a restart leaves behind: what waited runs, what was asked has expired, what may have changed something is only reported.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { pressOf } from "../fakes/desk.ts";
import { startSpine } from "../fakes/spine.ts";

it("runs again what a stop cut off before it changed anything, and what waited behind it, in order", async (t) => {
  const first = await startSpine(t);
  await first.join("1", "ana");
  const gate = join(first.workspace, "gate");
  await first.desk.say("1", `stall ${gate}\nthe first`);
  await first.desk.say("1", "the second");
  await first.stop();
  writeFileSync(gate, "");
  const { desk } = await startSpine(t, { folder: first.folder, desk: first.desk });
  await desk.until(/the second/);
  const answers = desk.see().filter((text) => /the (first|second)/.test(text));
  assert.deepEqual(answers, ["the first", "the second"]);
});

it("takes up all that waited in a lane, also when messages are not merged", async (t) => {
  const settings = { merge: false };
  const first = await startSpine(t, { settings });
  await first.join("1", "ana");
  const gate = join(first.workspace, "gate");
  await first.desk.say("1", `stall ${gate}\nmessage 1`);
  for (const number of [2, 3, 4]) await first.desk.say("1", `message ${number}`);
  await first.stop();
  writeFileSync(gate, "");
  const { desk } = await startSpine(t, { settings, folder: first.folder, desk: first.desk });
  await desk.until(/message 4/);
  const answers = desk.see().filter((text) => /^message/.test(text));
  assert.deepEqual(answers, ["message 1", "message 2", "message 3", "message 4"]);
});

it("waits after a restart for the rest of an album that was arriving", async (t) => {
  const first = await startSpine(t);
  await first.join("1", "ana");
  await first.desk.say("1", "piece one", { album: "a1" });
  await first.stop();
  const { desk } = await startSpine(t, { folder: first.folder, desk: first.desk });
  await desk.until(/piece one/);
});

it("says on the card that a restart ended the question, refuses a late press, and asks anew", async (t) => {
  const first = await startSpine(t);
  await first.join("1", "ana");
  const path = join(first.workspace, "n.txt");
  await first.desk.say("1", `do ${path}`);
  const card = await first.desk.until(/Create n\.txt/);
  const data = card.buttons[0]?.data ?? "";
  await first.stop();
  assert.match(card.text, /Expired by a restart/);
  const { desk } = await startSpine(t, { folder: first.folder, desk: first.desk });
  await desk.until(/\(2\)/);
  await desk.send([pressOf("1", "late", { data, message: card.ref })]);
  while (desk.notices.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(
    desk.notices[0],
    "This question has expired: nothing was run. A restart ended it. If it still matters, it is asked again in a new message.",
  );
  assert.equal(existsSync(path), false);
  await desk.press("1", "Allow once");
  await desk.until(/answer: once/);
  assert.equal(readFileSync(path, "utf8"), "did\n");
});

it("reports a turn in which something was allowed, and runs it again only on Retry, once", async (t) => {
  const first = await startSpine(t);
  await first.join("1", "ana");
  const path = join(first.workspace, "n.txt");
  await first.desk.say("1", `do ${path}\nhang`);
  await first.desk.until(/Create n\.txt/);
  await first.desk.press("1", "Allow once");
  await first.desk.until(/answer: once/);
  await first.stop();
  const { desk } = await startSpine(t, { folder: first.folder, desk: first.desk });
  await desk.until(/A restart cut me off.*something may have been changed/);
  assert.equal(readFileSync(path, "utf8"), "did\n");
  await desk.say("1", "retry");
  await desk.until(/\(2\)/);
  await desk.say("1", "/stop");
  await desk.until(/⏹ Stopped/);
  await desk.say("1", "retry");
  await desk.until(/nothing to retry/);
  assert.equal(readFileSync(path, "utf8"), "did\n");
});

it("does not run again what an agent that never asks had begun", async (t) => {
  const first = await startSpine(t, { asks: false });
  await first.join("1", "ana");
  await first.desk.say("1", "hang");
  await first.stop();
  const { desk } = await startSpine(t, { asks: false, folder: first.folder, desk: first.desk });
  await desk.until(/has not been seen to ask before it changes things/);
});

it("counts a change nobody was asked about as a change", async (t) => {
  const first = await startSpine(t);
  await first.join("1", "ana");
  const path = join(first.workspace, "n.txt");
  await first.desk.say("1", `sneak ${path}\nsaid\nhang`);
  await first.desk.until(/said/);
  await first.stop();
  const { desk } = await startSpine(t, { folder: first.folder, desk: first.desk });
  await desk.until(/something may have been changed/);
  assert.equal(readFileSync(path, "utf8"), "did\n");
});
