// The contract of the way out: whole, in the right place, and changed afterwards where the platform can.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import type { Part } from "../../src/core/channel.ts";
import type { Address } from "../../src/core/words.ts";
import { inbox, type Rig, type Setup, withRig } from "./rig.ts";

export function speaking(name: string, setup: Setup): void {
  it(`${name}: shows what is sent, in the right chat and thread`, () => withRig(setup, shows));
  it(`${name}: renders an over-long answer to parts that all arrive, in order`, () =>
    withRig(setup, arrivesWhole));
  it(`${name}: brings every nasty text through`, () => withRig(setup, bringsThrough));
  it(`${name}: edits in place, takes buttons away, and takes the same edit twice`, () =>
    withRig(setup, edits));
  it(`${name}: removes a message, also when it is gone already`, () => withRig(setup, removes));
  it(`${name}: hears a press, and answers it in private, however late`, () =>
    withRig(setup, presses));
  it(`${name}: fetches a file as it was sent, and sends one`, () => withRig(setup, files));
  it(`${name}: shows typing in the thread, and never fails for it`, () => withRig(setup, types));
  it(`${name}: finishes what is being sent when it stops, and can send afterwards`, () =>
    withRig(setup, finishes));
}

const lines = (text: string) => text.replace(/\s+/g, "");

function ours({ visible }: Rig, place: Address) {
  return visible(place).filter((seen) => seen.ours);
}

async function sendAll(rig: Rig, to: Address, parts: readonly Part[]) {
  for (const part of parts) await rig.listener.send(to, part, randomUUID());
}

async function shows(rig: Rig) {
  const { direct, group, thread, listener } = rig;
  const places = [direct, group, thread].filter((place) => place !== undefined);
  for (const [index, place] of places.entries()) {
    const text = `for place ${index}`;
    const ref = await listener.send(place, { plain: text }, `p${index}`);
    assert.equal(ref.chat, place.chat);
    assert.equal(ref.thread, place.thread);
    assert.deepEqual(
      ours(rig, place).map((seen) => seen.text),
      [text],
    );
  }
}

async function arrivesWhole(rig: Rig) {
  const { channel, direct } = rig;
  const paragraphs = Array.from(
    { length: 60 },
    (_, n) => `Paragraph ${n} with **bold** words. ${"More of it. ".repeat(20)}`,
  );
  const code = Array.from({ length: 300 }, (_, n) => `const line${n} = "<${n}>" && ${n};`);
  const text = [...paragraphs, `\`\`\`js\n${code.join("\n")}\n\`\`\``, "The end."].join("\n\n");
  const parts = await channel.render(text);
  assert.ok(parts.length > 1 || channel.limits.text > text.length);
  await sendAll(rig, direct, parts);
  const whole = lines(
    ours(rig, direct)
      .map((seen) => seen.text)
      .join("\n"),
  );
  const wanted = lines([...paragraphs, ...code, "The end."].join("\n").replaceAll("**", ""));
  assert.equal(whole, wanted);
}

const nasty = [
  "_*[]()~`>#+-=|{}.!\\",
  "a_b_c *unclosed **bold _mixed* up_ **",
  "<b>not ours</b> <script>&amp; &lt;/b&gt; &#0; &unknown; </pre>",
  "```\nunclosed fence <b>\n",
  '`code with <tag> & "quotes"` and [a link](https://example.org/?a=1&b="2")',
  "[x](javascript:alert(1)) ![i](https://example.org/i.png)",
  "> quote\n>> deeper\n> - list\n\n1. one\n   - two\n     - three",
  "| a | b |\n|---|--:|\n| `x|y` | **z** |\n| 漢字 | 😀 |",
  "emoji 👨‍👩‍👧‍👦🏳️‍🌈 and e\u0301 and \u202Eright to left",
  "half a character: \uD83D end, \u0000 nul, \u001B[31mred",
  `${"x".repeat(9000)} **${"y".repeat(5000)}**`,
  "😀".repeat(3000),
  '&<>"'.repeat(2000),
];

async function bringsThrough(rig: Rig) {
  for (const [index, text] of nasty.entries()) {
    const before = ours(rig, rig.direct).length;
    const parts = await rig.channel.render(`${text}\n\nThe end of ${index}.`);
    await sendAll(rig, rig.direct, parts);
    const seen = ours(rig, rig.direct).slice(before);
    assert.equal(seen.length, parts.length, `as many messages as parts of ${JSON.stringify(text)}`);
    assert.match(seen.at(-1)?.text ?? "", new RegExp(`The end of ${index}\\.`));
  }
}

async function edits(rig: Rig) {
  const { listener, direct } = rig;
  if (!listener.edit) return;
  const buttons = [{ label: "Yes", data: "y" }];
  const ref = await listener.send(direct, { plain: "asked", buttons }, "e1");
  assert.deepEqual(ours(rig, direct)[0]?.buttons, ["Yes"]);
  await listener.edit(ref, { plain: "answered" });
  await listener.edit(ref, { plain: "answered" });
  const [seen, ...more] = ours(rig, direct);
  assert.deepEqual([seen?.text, seen?.buttons, more.length], ["answered", [], 0]);
}

async function removes(rig: Rig) {
  const { listener, direct } = rig;
  if (!listener.remove) return;
  const ref = await listener.send(direct, { plain: "oops" }, "r1");
  await listener.remove(ref);
  await listener.remove(ref);
  assert.deepEqual(ours(rig, direct), []);
}

async function presses(rig: Rig) {
  const { listener, direct, until } = rig;
  if (!rig.presses || !listener.answerPress) return;
  const box = inbox();
  await listener.start(box.accept);
  const data = "t".repeat(64);
  const ref = await listener.send(direct, { plain: "?", buttons: [{ label: "Go", data }] }, "b1");
  rig.presses(direct, "Go");
  await until("the press", () => box.events.length === 1);
  const [press] = box.events;
  assert.ok(press?.kind === "press");
  assert.deepEqual([press.data, press.message], [data, ref]);
  await listener.answerPress(press.press, "Noted.");
  assert.deepEqual(rig.notices?.(direct), ["Noted."]);
  await listener.answerPress({ id: "long-gone" }, "Too late.");
}

async function files(rig: Rig) {
  const { listener, direct, until } = rig;
  if (!rig.sendsFile || !listener.fetchFile) return;
  const box = inbox();
  await listener.start(box.accept);
  const content = "line\n".repeat(1000);
  rig.sendsFile(direct, "notes.txt", content);
  await until("the file", () => box.events.length === 1);
  const file = box.messages()[0]?.files[0];
  assert.ok(file);
  assert.equal(file.name, "notes.txt");
  assert.equal(await contentOf(rig, file), content);
  const folder = await mkdtemp(join(tmpdir(), "contract-"));
  try {
    const path = join(folder, "report.txt");
    await writeFile(path, content);
    const out = { path, name: "report.txt", mime: "text/plain", size: content.length };
    await listener.send(direct, { plain: "short", file: out }, "f1");
    await listener.send(direct, { plain: "long ".repeat(500).trim(), file: out }, "f2");
  } finally {
    await rm(folder, { recursive: true });
  }
  const sent = ours(rig, direct).filter((seen) => seen.file === "report.txt");
  assert.equal(sent.length, 2);
  const all = ours(rig, direct).map((seen) => seen.text);
  assert.deepEqual(all.filter(Boolean), ["short", "long ".repeat(500).trim()]);
}

async function contentOf(
  { listener }: Rig,
  file: Parameters<NonNullable<Rig["listener"]["fetchFile"]>>[0],
) {
  const chunks: Uint8Array[] = [];
  const into = new WritableStream<Uint8Array>({
    write: (chunk) => {
      chunks.push(chunk);
    },
  });
  await listener.fetchFile?.(file, into);
  return Buffer.concat(chunks).toString();
}

async function types(rig: Rig) {
  const { listener, direct, thread } = rig;
  if (!listener.showTyping) return;
  const place = thread ?? direct;
  await listener.showTyping(place);
  const { chat, thread: topic } = place;
  if (rig.typing) assert.deepEqual(rig.typing(), [topic ? { chat, thread: topic } : { chat }]);
  await listener.showTyping({ ...direct, chat: "1" });
}

async function finishes(rig: Rig) {
  const { listener, direct } = rig;
  await listener.start(inbox().accept);
  let arrived = false;
  const sending = listener.send(direct, { plain: "on its way" }, "s1").then(() => {
    arrived = true;
  });
  await listener.stop();
  assert.equal(arrived, true);
  await sending;
  await listener.send(direct, { plain: "afterwards" }, "s2");
  assert.deepEqual(
    ours(rig, direct).map((seen) => seen.text),
    ["on its way", "afterwards"],
  );
}
