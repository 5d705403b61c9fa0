// Answers as they arrive in a Telegram chat: growing, long, oddly formatted, refused, slowed down.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { nastyAnswers } from "./telegram-nasty.ts";
import { type Member, scripted, startRig, untilDone } from "./telegram-rig.ts";

it("lets an answer grow in one message that ends whole", async (t) => {
  const rig = await startRig(t);
  const ana = await rig.member("ana");
  ana.says("run for n in 1 2 3 4; do echo line $n; sleep 0.5; done");
  await rig.until(ana.chat, /Run a command/);
  rig.press(ana, "Allow once");
  const answer = await rig.until(ana.chat, /Exit code 0/);
  assert.equal(answer.text, "line 1\nline 2\nline 3\nline 4\n\nExit code 0.");
  assert.ok(answer.edits >= 2, `it was edited ${answer.edits} times`);
  assert.equal(rig.said(ana.chat).filter(({ text }) => /line 1/.test(text)).length, 1);
});

it("sends 9,000 characters with a code block as parts that are whole by themselves", async (t) => {
  const rig = await startRig(t);
  const ana = await rig.member("ana");
  const code = Array.from({ length: 260 }, (_, n) => `const x${n} = ${n}; // a line`).join("\n");
  const prose = "Some words before it. ".repeat(60).trim();
  // What people type has 4096 characters at most, so the text comes from a file.
  writeFileSync(join(rig.workspace, "long.md"), code);
  rig.fake.push({
    message: longMessage(ana, `say ${prose}\n\n\`\`\`ts\n${code}\n\`\`\`\n\nThe end.`),
  });
  await rig.until(ana.chat, /The end\.$/);
  const parts = rig.said(ana.chat).slice(1);
  assert.ok(parts.length >= 3);
  assert.ok(parts.every(({ text }) => text.length <= 4096));
  assert.equal(parts[0]?.text.startsWith(prose.slice(0, 200)), true);
  const shown = parts.flatMap(({ text, entities }) =>
    entities
      .filter(({ type }) => type === "pre")
      .map(({ offset, length, language }) => ({
        language,
        text: text.slice(offset, offset + length),
      })),
  );
  assert.ok(shown.every(({ language }) => language === "ts"));
  assert.equal(shown.map(({ text }) => text).join("\n"), code);
});

it("delivers every one of thirty nasty answers, formatted or plain", async (t) => {
  const rig = await startRig(t);
  const ana = await rig.member("ana");
  for (const [n, { text, sees }] of nastyAnswers.entries()) {
    const before = rig.said(ana.chat).length;
    ana.says(`say ${text}\n\nanswer ${n} ends`);
    const end = await rig.until(ana.chat, new RegExp(`answer ${n} ends$`));
    const seen = rig
      .said(ana.chat)
      .slice(before)
      .map((one) => one.text)
      .join("\n");
    for (const piece of sees) assert.ok(seen.includes(piece), `${n}: ${piece} is not in\n${seen}`);
    assert.equal(end.linkPreview, false);
  }
  assert.equal(nastyAnswers.length, 30);
  const refused = rig.fake.calls.filter(({ status }) => status !== undefined && status >= 400);
  assert.deepEqual(refused, []);
});

it("sends plain text when the platform cannot parse what it is given", async (t) => {
  const rig = await startRig(t);
  const ana = await rig.member("ana");
  rig.fake.faults.status("sendMessage", {
    code: 400,
    description: "Bad Request: can't parse entities: Unsupported start tag",
    match: ({ parse_mode }) => parse_mode === "HTML",
  });
  ana.says("say **bold** and `code` & <b>");
  const answer = await rig.until(ana.chat, /bold and code & <b>/);
  assert.deepEqual(answer.entities, []);
});

it("sends an answer above 64 kB as a file, with its beginning and a word about it", async (t) => {
  const rig = await startRig(t, { flags: scripted() });
  const ana = await rig.member("ana");
  ana.says("text 70000");
  const answer = await rig.until(ana.chat, /so it is in this file/);
  assert.equal(answer.file?.name, "answer.md");
  assert.ok((answer.file?.size ?? 0) >= 70_000);
  assert.match(answer.text, /69 kB/);
});

it("obeys a 429 in the middle of a growing answer, and ends with the whole text", async (t) => {
  const limits = { burst: 4, perChatMs: 2_000, perSecond: 30, perGroupAMinute: 20 };
  const rig = await startRig(t);
  const ana = await rig.member("ana");
  rig.fake.useLimits(limits);
  ana.says("run for n in 1 2 3 4 5 6 7 8; do echo line $n; sleep 0.45; done");
  await rig.until(ana.chat, /Run a command/);
  rig.press(ana, "Allow once");
  const answer = await rig.until(ana.chat, /Exit code 0/);
  assert.match(answer.text, /^line 1\n[\s\S]*line 8\n\nExit code 0\.$/);
  const { tooMany, violations } = rig.fake.counters;
  assert.ok(tooMany > 0, "the platform refused nothing, so nothing was shown");
  assert.equal(violations, 0);
});

it("never lets a preview that is late in flight come after the end", async (t) => {
  const rig = await startRig(t, { flags: scripted() });
  const ana = await rig.member("ana");
  const gates = ["one", "two"].map((name) => join(rig.workspace, name));
  ana.says(`echo first \nstall ${gates[0]}\necho second \nstall ${gates[1]}\necho the end`);
  await rig.until(ana.chat, /first/);
  const held = rig.fake.faults.stallAt("editMessageText");
  writeFileSync(gates[0] ?? "", "");
  await held.arrived;
  writeFileSync(gates[1] ?? "", "");
  // The turn has ended by now; its end waits behind the preview.
  await untilDone(rig, 1);
  held.release();
  await rig.until(ana.chat, /the end/);
  await rig.stop();
  assert.match(rig.said(ana.chat).at(-1)?.text ?? "", /^first second the end/);
});

it("ends a turn whose first message cannot be sent, so that it holds up nobody", async (t) => {
  const settings = { "turns.concurrent": ["1"] };
  const rig = await startRig(t, { flags: scripted(), settings });
  const ana = await rig.member("ana");
  const bob = await rig.member("bob");
  const gate = join(rig.workspace, "gate");
  rig.fake.faults.status("sendMessage", {
    code: 429,
    description: "Too Many Requests: retry after 600",
    parameters: { retry_after: 600 },
    times: 100,
    match: ({ chat_id }) => chat_id === ana.chat.id,
  });
  ana.says(`echo something\nstall ${gate}`);
  await rig.fake.waitFor(({ calls }) =>
    calls.some(({ method, status }) => method === "sendMessage" && status === 429),
  );
  writeFileSync(gate, "");
  bob.says("echo unharmed");
  await rig.until(bob.chat, /unharmed/);
});

/** Longer than a person can type: as another client's bug would send it. */
function longMessage({ person, chat }: Member, text: string) {
  return {
    message_id: 9_000_000,
    date: Math.floor(Date.now() / 1000),
    chat,
    from: person.user,
    text,
  };
}
