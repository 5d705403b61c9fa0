// Where a task is answered with one message: whole, files and all, once, to what it answers; nothing before it but a word that it goes on.
import assert from "node:assert/strict";
import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { createFiles } from "../../src/admin/files.ts";
import { SendError } from "../../src/core/channel.ts";
import { systemClock } from "../../src/core/clock.ts";
import { findPart } from "../../src/store/outbox.ts";
import type { OutboxRow } from "../../src/store/outbox-row.ts";
import { listTasks } from "../../src/store/tasks.ts";
import { temporaryFolder } from "../fakes/agent-rig.ts";
import { createDesk } from "../fakes/desk.ts";
import { createLetters, joinOn, type Letters, type Sent } from "../fakes/letters.ts";
import { type Spine, startSpine } from "../fakes/spine.ts";

function made(name: string, text: string): string {
  const blob = Buffer.from(text).toString("base64");
  return `content ${JSON.stringify({ type: "resource", resource: { uri: name, blob } })}`;
}

const threeFiles = ["echo here", ...["a.txt", "b.txt", "c.txt"].map((name) => made(name, name))];

async function until<T>(find: () => T | undefined | Promise<T | undefined>): Promise<T> {
  for (const deadline = Date.now() + 10_000; ; await delay(5)) {
    const found = await find();
    if (found !== undefined) return found;
    assert.ok(Date.now() < deadline, "it never came");
  }
}

function names({ part }: Sent): string[] {
  return [part.file, ...(part.along ?? [])].flatMap((file) => (file ? [file.name] : []));
}

async function rowsOf({ store }: Spine): Promise<OutboxRow[]> {
  const rows: OutboxRow[] = [];
  for (let id = 1; ; id++) {
    const row = await store.run(() => findPart(id));
    if (!row) return rows;
    rows.push(row);
  }
}

/** All that went to ana but for the welcome. */
function answers(letters: Letters): Sent[] {
  return letters.to("1").slice(1);
}

it("answers a task with one message that has all its files, and says what it answers", async (t) => {
  const letters = createLetters();
  const spine = await startSpine(t, { desk: letters });
  await spine.join("1", "ana");
  const asked = await letters.write("1", threeFiles.join("\n"));
  await letters.until(/here/);
  const rows = await until(async () => {
    const all = await rowsOf(spine);
    return all.every(({ state }) => state === "sent") ? all : undefined;
  });
  const [answer, ...more] = answers(letters);
  assert.ok(answer);
  assert.deepEqual(more, []);
  assert.equal(answer.part.plain, "here");
  assert.deepEqual(names(answer), ["a.txt", "b.txt", "c.txt"]);
  assert.deepEqual(answer.part.replyTo, asked.message);
  assert.deepEqual(answer.to, { listener: "post", chat: "1", thread: "t1" });
  assert.deepEqual(letters.early, []);
  // A row for each, which pages and links lead to.
  assert.deepEqual(
    rows.flatMap(({ file }) => file?.name ?? []),
    ["a.txt", "b.txt", "c.txt"],
  );
  const key = Buffer.alloc(32, 9);
  const folder = join(spine.folder, "files");
  const files = createFiles({ store: spine.store, clock: systemClock, key, folder });
  const owner = { id: "p:x", pairing: "x", role: "owner", name: "x" } as const;
  for (const row of rows.slice(1))
    assert.deepEqual(await files.forCaller(`o${row.id}`, owner), row.file);
});

it("sends it once, with all its files, after a kill between writing it down and sending it", async (t) => {
  const letters = createLetters();
  const image = temporaryFolder(t);
  const first = await startSpine(t, { desk: letters });
  await first.join("1", "ana");
  const keys: string[] = [];
  letters.onSend(async (one) => {
    keys.push(one.key);
    // What a kill at this moment leaves on the disk.
    if (keys.length === 1) cpSync(first.folder, image, { recursive: true });
    throw new SendError("not-sent", "the network is down");
  });
  await letters.write("1", threeFiles.join("\n"));
  await until(() => keys[0]);
  await first.stop();
  letters.onSend(({ key }) => keys.push(key));
  const second = await startSpine(t, { desk: letters, folder: image });
  await letters.until(/here/);
  await until(async () => {
    const all = await rowsOf(second);
    return all.every(({ state }) => state === "sent") ? all : undefined;
  });
  const [answer, ...more] = answers(letters);
  assert.ok(answer);
  assert.deepEqual(more, []);
  assert.deepEqual(names(answer), ["a.txt", "b.txt", "c.txt"]);
  assert.equal(new Set(keys).size, 1, "each try says that it is the same message");
  await second.stop();
  await startSpine(t, { desk: letters, folder: image });
  await letters.write("1", "echo again");
  await letters.until(/again/);
  assert.equal(answers(letters).length, 2);
});

it("tells in the same message of files that do not fit beside the others, with their links", async (t) => {
  const letters = createLetters({ file: 1000 });
  const fileLink = (part: number) => `https://gate.example/download/o${part}`;
  const spine = await startSpine(t, { desk: letters, fileLink });
  await spine.join("1", "ana");
  const sizes = { "a.bin": 600, "b.bin": 500, "c.bin": 400, "d.bin": 1001 };
  const steps = Object.entries(sizes).map(([name, size]) => `file ${size} ${name}`);
  await letters.write("1", ["echo here", ...steps].join("\n"));
  await letters.until(/here/);
  const [answer, ...more] = answers(letters);
  assert.ok(answer);
  assert.deepEqual(more, []);
  assert.deepEqual(names(answer), ["a.bin", "c.bin"]);
  const links = [...answer.part.plain.matchAll(/📎 (\w\.bin) .*<https:\S+\/o(\d+)>/g)];
  assert.deepEqual(
    links.map(([, name]) => name),
    ["b.bin", "d.bin"],
  );
  for (const [, name, part] of links) {
    const row = await spine.store.run(() => findPart(Number(part)));
    assert.deepEqual([row?.file?.name, row?.state], [name, "failed"]);
  }
});

it("sends the start of a long answer and the whole as a file, in one message with the other files", async (t) => {
  const letters = createLetters();
  const spine = await startSpine(t, { desk: letters });
  await spine.join("1", "ana");
  await letters.write("1", `text 70000\n${made("a.txt", "A")}`);
  await letters.until(/The whole answer is long/);
  const [answer, ...more] = answers(letters);
  assert.ok(answer);
  assert.deepEqual(more, []);
  assert.deepEqual(names(answer), ["answer.md", "a.txt"]);
  assert.ok(answer.part.plain.length < 2000);
  assert.equal(readFileSync(answer.part.file?.path ?? "", "utf8").length, 70_000);
});

it("sends files without a word as one message, and nothing where there is nothing to say", async (t) => {
  const letters = createLetters();
  const spine = await startSpine(t, { desk: letters });
  await spine.join("1", "ana");
  await letters.write("1", ["a.txt", "b.txt"].map((name) => made(name, name)).join("\n"));
  await until(() => answers(letters)[0]);
  await letters.write("1", "echo later", { thread: "t2" });
  await letters.until(/later/);
  assert.deepEqual(answers(letters).map(names), [["a.txt", "b.txt"], []]);
});

it("lets the files fail with their message, and tells an owner elsewhere", async (t) => {
  const desk = createDesk("desk");
  const letters = createLetters();
  const spine = await startSpine(t, { desk, more: [letters] });
  await spine.join("9", "olga", "owner");
  await joinOn(spine.store, letters, { account: "1", name: "ana", role: "authenticated" });
  letters.onSend(() => {
    throw new SendError("rejected", "550 no such mailbox");
  });
  await letters.write("1", threeFiles.join("\n"));
  const { text } = await desk.until(/could not be delivered/, "9");
  assert.match(text, /An answer for \*\*ana\*\* on `post` \(`1`\).*550 no such mailbox/);
  const rows = (await rowsOf(spine)).filter(({ to, turn }) => to.listener === "post" && turn);
  assert.deepEqual(
    rows.map(({ state, file }) => [state, file?.name]),
    ["a.txt", "b.txt", "c.txt"].map((name) => ["failed", name]),
  );
});

it("says nothing before the answer: no typing, no preview, no place in the queue", async (t) => {
  const letters = createLetters();
  const spine = await startSpine(t, { desk: letters, settings: { concurrent: 1 } });
  await spine.join("1", "ana");
  await spine.join("2", "bob");
  const gate = join(spine.workspace, "gate");
  await letters.write("1", `echo begun\nstall ${gate}`);
  await letters.write("2", "bob's");
  await letters.write("2", "more of bob's");
  // Longer than until the first preview.
  await delay(600);
  assert.deepEqual([letters.to("1").length, letters.to("2").length], [1, 1]);
  writeFileSync(gate, "");
  await letters.until(/begun/);
  await letters.until(/bob's/, "2");
  assert.deepEqual(letters.early, []);
  assert.deepEqual([letters.to("1").length, letters.to("2").length], [2, 2]);
});

it("reports a restart as an answer to what was asked, and takes retry as text", async (t) => {
  const letters = createLetters();
  const first = await startSpine(t, { desk: letters });
  await first.join("1", "ana");
  const path = join(first.workspace, "n.txt");
  const asked = await letters.write("1", `sneak ${path}\nhang`);
  await until(() => (existsSync(path) ? true : undefined));
  await first.stop();
  await startSpine(t, { desk: letters, folder: first.folder });
  const report = await letters.until(/A restart cut me off/);
  assert.match(report.text, /then send `retry` to run it once more/);
  assert.doesNotMatch(report.text, /press/i);
  assert.deepEqual(answers(letters)[0]?.part.replyTo, asked.message);
  await letters.write("1", "retry");
  await until(() => (readFileSync(path, "utf8") === "did\ndid\n" ? true : undefined));
  assert.equal(answers(letters).length, 1, "the answer of the task is all that a retry says");
});

it("answers short commands and refusals as what they are answers to", async (t) => {
  const letters = createLetters();
  const spine = await startSpine(t, { desk: letters });
  await spine.join("1", "ana");
  const asked = await letters.write("1", "/whoami");
  await letters.until(/You are \*\*ana/);
  assert.deepEqual(answers(letters)[0]?.part.replyTo, asked.message);
});

it("gives the agent the subject once, on one line, and names a task by it where there is one", async (t) => {
  const letters = createLetters();
  const spine = await startSpine(t, { desk: letters });
  await spine.join("1", "ana");
  const subject = `Build\nfails\u202E ${"x".repeat(500)}`;
  await letters.write("1", "Hi,\nfirst", { subject });
  const { text } = await letters.until(/first/);
  const line = text.split("\n").find((one) => one.includes("Subject:")) ?? text;
  assert.match(line, /Subject: Build fails⟨U\+202E⟩ x{200,300}…/);
  await letters.write("1", "and a second thing to do", { subject: "Build fails" });
  assert.doesNotMatch((await letters.until(/second thing/)).text, /Subject/);
  await letters.write("1", "and a third\nthing");
  await letters.until(/and a third/);
  const tasks = await spine.store.run(() => listTasks(10));
  assert.deepEqual(tasks.map(({ title }) => title.slice(0, 24)).reverse(), [
    "Build fails\u202E xxxxxxxxxxx",
    "Build fails",
    "and a third",
  ]);
});

it("says to the agent and to the person what could not be read beside the words", async (t) => {
  const letters = createLetters();
  const spine = await startSpine(t, { desk: letters });
  await spine.join("1", "ana");
  await letters.write("1", "look at this", { unreadable: "an attachment in Outlook's own format" });
  const { text } = await letters.until(/look at this/);
  assert.match(text, /⚠️ I could not read an attachment in Outlook's own format, which came along/);
});
