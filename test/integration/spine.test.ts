// The middle, whole: who may talk, what is asked, what is answered, and in which order.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { listAudit } from "../../src/store/audit.ts";
import { listTasks } from "../../src/store/tasks.ts";
import { message, pressOf } from "../fakes/desk.ts";
import { startSpine } from "../fakes/spine.ts";

it("hints a stranger once, keeps nothing of what they wrote, and lets them in with a code", async (t) => {
  const { desk, store, join: pair, log } = await startSpine(t);
  await desk.say("1", "secret words of a stranger");
  await desk.until(/do not know you/);
  await desk.say("1", "again");
  await pair("1", "ana");
  await desk.say("1", "hello agent");
  await desk.until(/hello agent/);
  assert.equal(desk.see().filter((text) => /do not know you/.test(text)).length, 1);
  const tasks = await store.run(() => listTasks(10));
  assert.deepEqual(
    tasks.map(({ title, state }) => [title, state]),
    [["hello agent", "completed"]],
  );
  assert.ok(!log.lines.join("\n").includes("secret words"));
});

it("asks before a change, runs it once when allowed, and shows who decided", async (t) => {
  const { desk, workspace, join: pair } = await startSpine(t);
  await pair("1", "ana");
  const path = join(workspace, "notes.txt");
  await desk.say("1", `do ${path}`);
  const card = await desk.until(/Create notes\.txt/);
  assert.match(card.text, /did/);
  assert.deepEqual(
    card.buttons.map(({ label }) => label),
    ["Allow once", "Allow notes.txt for this task", "Deny"],
  );
  assert.equal(existsSync(path), false);
  await desk.press("1", "Allow once");
  await desk.until(/answer: once/);
  assert.equal(readFileSync(path, "utf8"), "did\n");
  await desk.until(/✅ Allow once · ana/);
  assert.deepEqual(desk.messages().find(({ text }) => /✅/.test(text))?.buttons, []);
});

it("runs nothing when denied, by text, with the reason carried into the next prompt", async (t) => {
  const { desk, workspace, store, join: pair } = await startSpine(t, { fake: { embeds: true } });
  await pair("1", "ana");
  const path = join(workspace, "notes.txt");
  await desk.say("1", `do ${path}`);
  await desk.until(/Create notes\.txt/);
  await desk.say("1", "deny 1 because it is the wrong folder");
  await desk.until(/answer: no/);
  await desk.until(/⛔ Denied by ana: it is the wrong folder/);
  assert.equal(existsSync(path), false);
  const rows = await store.run(() => listAudit(20));
  assert.ok(
    rows.some(
      ({ action, outcome, name }) =>
        action === "question.deny" && outcome === "denied" && name === "ana",
    ),
  );
});

it("allows the same thing for the task without asking again, and asks again in the next task", async (t) => {
  const { desk, workspace, join: pair } = await startSpine(t);
  await pair("1", "ana");
  const path = join(workspace, "n.txt");
  await desk.say("1", `do ${path}\ndo ${path}`);
  await desk.until(/Create n\.txt/);
  await desk.press("1", "Allow n.txt for this task");
  await desk.until(/answer: once\nanswer: once/);
  assert.equal(readFileSync(path, "utf8"), "did\ndid\n");
  await desk.say("1", `do ${path}`);
  const second = await desk.until(/\(2\)/);
  assert.equal(second.buttons.length, 3);
});

it("lets nobody else press, tells them privately, and takes an owner's press", async (t) => {
  const { desk, workspace, join: pair } = await startSpine(t);
  await pair("1", "ana", "authenticated");
  await pair("2", "bob", "authenticated");
  await pair("3", "olga", "owner");
  const path = join(workspace, "n.txt");
  await desk.say("1", `do ${path}`);
  const card = await desk.until(/Create n\.txt/);
  const data = card.buttons[0]?.data ?? "";
  const chat = { id: "1", kind: "direct" } as const;
  await desk.send([pressOf("2", "pb", { data, message: card.ref, chat })]);
  await desk.send([pressOf("9", "pstranger", { data, message: card.ref, chat })]);
  await desk.send([
    pressOf("3", "pelsewhere", {
      data,
      message: { chat: "3", id: "x" },
      chat: { id: "3", kind: "direct" },
    }),
  ]);
  while (desk.notices.length < 3) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(existsSync(path), false);
  assert.equal(desk.messages().find(({ ref }) => ref.id === card.ref.id)?.buttons.length, 3);
  assert.match(desk.notices[0] ?? "", /Only the person who asked, or an owner/);
  assert.match(desk.notices[2] ?? "", /not for here/);
  await desk.send([pressOf("3", "powner", { data, message: card.ref, chat })]);
  await desk.until(/answer: once/);
  await desk.until(/✅ Allow once · olga/);
});

it("runs nothing of what was said before a stop in the same batch, and cancels what runs", async (t) => {
  const { desk, workspace, store, join: pair } = await startSpine(t);
  await pair("1", "ana");
  const path = join(workspace, "n.txt");
  await desk.send([message("1", `sneak ${path}`, { id: "a" }), message("1", "/stop", { id: "b" })]);
  await desk.until(/⏹ Stopped/);
  await desk.say("1", `do ${path}`);
  await desk.until(/Create n\.txt/);
  await desk.say("1", "/stop");
  await desk.until(/⌛ Stopped/);
  await desk.say("1", "still there?");
  await desk.until(/still there/);
  assert.equal(existsSync(path), false);
  const tasks = await store.run(() => listTasks(10));
  assert.deepEqual(tasks.map(({ state }) => state).sort(), ["canceled", "canceled", "completed"]);
});

it("merges what comes while a turn runs into the next turn, in order", async (t) => {
  const { desk, workspace, store, join: pair } = await startSpine(t);
  await pair("1", "ana");
  const gate = join(workspace, "gate");
  await desk.say("1", `wait ${gate}`);
  await desk.say("1", "first");
  await desk.say("1", "second");
  const { writeFileSync } = await import("node:fs");
  writeFileSync(gate, "");
  await desk.until(/second/);
  const tasks = await store.run(() => listTasks(10));
  assert.equal(tasks.length, 2);
});

it("takes an event once, however often the platform delivers it", async (t) => {
  const { desk, store, join: pair } = await startSpine(t);
  await pair("1", "ana");
  const event = await desk.say("1", "only once");
  await desk.until(/only once/);
  await desk.send([event]);
  await desk.send([event, event]);
  await desk.say("1", "and then");
  await desk.until(/and then/);
  const tasks = await store.run(() => listTasks(10));
  assert.equal(tasks.length, 2);
  assert.equal(desk.see().filter((text) => text.includes("only once")).length, 1);
});
