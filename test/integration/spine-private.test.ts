// What a group does not hear: answers to one person, refusals, and what is said where nobody opened the chat.
import assert from "node:assert/strict";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import type { InboundMessage } from "../../src/core/events.ts";
import type { ChatRef } from "../../src/core/words.ts";
import { listAudit } from "../../src/store/audit.ts";
import { listTasks } from "../../src/store/tasks.ts";
import { createDesk, type DeskOptions, pressOf } from "../fakes/desk.ts";
import { type SpineOptions, startSpine } from "../fakes/spine.ts";

const group: ChatRef = { id: "-7", kind: "group" };
const inGroup = { chat: group };

/** An owner and two others in an open group. */
async function crew(t: TestContext, desk: DeskOptions = {}, more: SpineOptions = {}) {
  const spine = await startSpine(t, { ...more, desk: createDesk("desk", desk) });
  await spine.join("1", "olga", "owner");
  await spine.join("2", "ana", "authenticated");
  await spine.join("3", "ben", "authenticated");
  await spine.desk.say("1", "/enable", inGroup);
  await spine.desk.until(/I answer here/, "-7");
  return spine;
}

/** A slash command: nobody else saw it, and the platform waits for an answer. */
function slash(id: string, chat = group): Partial<InboundMessage> {
  return { chat, press: { id }, message: { chat: chat.id, id: "" } };
}

const own = [
  ["/tasks", /No tasks yet/],
  ["/approvals", /Nothing waits/],
  ["/status", /Nothing of yours is running/],
  ["/whoami", /You are \*\*ana\*\*/],
  ["/help", /Tell me what to do/],
  ["/start", /Tell me what to do/],
  ["/disable", /Only an owner can/],
  ["/stop", /nothing to stop/],
  ["allow 9", /no question 9/],
  ["retry", /nothing to retry/],
  ["", /I am here/],
] as const;

for (const [how, desk, room] of [
  ["in their direct chat", {}, "2"],
  ["in place, where the platform can", { whispers: "anywhere" }, "-7/2"],
  ["in their direct chat, where it could only answer a press", { whispers: "to presses" }, "2"],
] as const)
  it(`answers one person of a group ${how}, and says nothing to the others`, async (t) => {
    const { desk: seen } = await crew(t, desk);
    for (const [text, answer] of own) {
      await seen.say("2", text, inGroup);
      await seen.until(answer, room);
    }
    assert.deepEqual(seen.see("-7").length, 1);
    assert.equal(seen.see(room).length, own.length + (room === "2" ? 1 : 0));
  });

it("says where it was asked, when it answers in the direct chat", async (t) => {
  const { desk } = await crew(t);
  await desk.say("2", "/whoami", inGroup);
  await desk.until(/^\*In the group:\*\n\nYou are \*\*ana/, "2");
  const event = { kind: "chat", change: "added", title: "Build *crew*" } as const;
  const sender = { account: "1", name: "Olga" };
  await desk.send([{ ...event, key: "c1", at: Date.now(), chat: group, sender }]);
  await desk.say("2", "/status", inGroup);
  await desk.until(/^\*In "Build \\\*crew\\\*":\*\n\nNothing of yours/, "2");
});

it("tells the group what all should know: open, closed, stopped, afresh", async (t) => {
  const { desk, workspace } = await crew(t, { whispers: "anywhere" });
  await desk.say("2", "/new", inGroup);
  await desk.until(/starts afresh/, "-7");
  await desk.say("2", `stall ${join(workspace, "gate")}`, inGroup);
  await desk.say("2", "/stop", inGroup);
  await desk.until(/⏹ Stopped/, "-7");
  await desk.say("1", "/disable", inGroup);
  await desk.until(/I am silent here/, "-7");
  assert.deepEqual([...desk.see("-7/1"), ...desk.see("-7/2")], []);
});

it("shows a person in private all that is theirs, also from elsewhere, and nothing of another's", async (t) => {
  const { desk, store, workspace } = await crew(t, { whispers: "anywhere" });
  await desk.say("2", "private plan");
  await desk.until(/private plan/, "2");
  await desk.say("3", "work of ben", inGroup);
  await desk.until(/work of ben/, "-7");
  await desk.say("2", `do ${join(workspace, "n.txt")}`);
  await desk.until(/Create n\.txt/, "2");
  await desk.say("2", "/tasks", inGroup);
  const tasks = await desk.until(/private plan/, "-7/2");
  assert.doesNotMatch(tasks.text, /work of ben/);
  await desk.say("3", "/approvals", inGroup);
  await desk.until(/Nothing waits/, "-7/3");
  await desk.say("2", "/approvals", inGroup);
  await desk.until(/\*\*1\*\* Create n\.txt/, "-7/2");
  await desk.say("2", "deny 1", inGroup);
  await desk.until(/^Denied\.$/, "-7/2");
  await desk.until(/⛔ Denied by ana/, "2");
  assert.ok(desk.see("-7").every((text) => !/plan|n\.txt|Denied/.test(text)));
  assert.equal((await store.run(() => listTasks(9))).length, 3);
});

it("keeps refusals to the one they are for: the queue, an edit, what cannot be read", async (t) => {
  const { desk } = await crew(t, { whispers: "anywhere" }, { settings: { concurrent: 1 } });
  const first = await desk.say("2", "first words", inGroup);
  await desk.until(/first words/, "-7");
  await desk.say("2", "other words", { ...inGroup, edited: { key: first.key } });
  await desk.until(/you changed a message/, "-7/2");
  await desk.say("2", "", { ...inGroup, unreadable: "a sticker" });
  await desk.until(/cannot read a sticker/, "-7/2");
  await desk.say("3", "hang", inGroup);
  await desk.say("2", "me too", inGroup);
  await desk.until(/You are next/, "-7/2");
  const waiting = Array.from({ length: 21 }, (_, n) => desk.say("3", `number ${n}`, inGroup));
  await Promise.all(waiting);
  await desk.until(/already wait/, "-7/3");
  assert.deepEqual(desk.see("-7").slice(1), ["first words"]);
});

it("answers a slash command through the command, and leaves none thinking", async (t) => {
  const { desk } = await crew(t, { whispers: "to presses" });
  await desk.say("2", "/whoami", slash("s1"));
  await desk.until(/You are \*\*ana/, "-7/2");
  await desk.say("2", "/new", slash("s2"));
  await desk.until(/starts afresh/, "-7");
  await desk.say("2", "as a prompt", slash("s3"));
  await desk.until(/as a prompt/, "-7");
  await desk.say("2", "/help", slash("s4", { id: "2", kind: "direct" }));
  await desk.until(/Tell me what to do/, "2");
  await desk.say("2", "/disable", slash("s5"));
  await desk.until(/Only an owner/, "-7/2");
  await desk.say("9", "/status", slash("s6"));
  await desk.say("9", "join K7Q2-9XF4", slash("s7"));
  await desk.say("9", "join K7Q2-9XF4", slash("s8"));
  await desk.say("2", "/status", slash("s9", { id: "-8", kind: "group" }));
  await desk.say("2", "/status", slash("s10", { id: "-8", kind: "group" }));
  await desk.say("9", "/status", slash("s11", { id: "-8", kind: "group" }));
  await desk.say("2", "/taks", slash("s12"));
  await desk.until(/I know no such command\. \/help lists them/, "-7/2");
  for (const one of [
    ...["s1 whisper", "s2 closed", "s3 closed", "s4 closed", "s5 whisper", "s6 closed"],
    ...["s7 whisper", "s8 closed", "s9 whisper", "s10 whisper", "s11 closed", "s12 whisper"],
  ])
    await desk.untilAnswered(one);
  assert.deepEqual([...desk.see("-8"), ...desk.see("-7/9").slice(1), ...desk.see("9")], []);
});

it("goes to the direct chat when a slash command has become too old to be answered", async (t) => {
  const { desk } = await crew(t, { whispers: "to presses" });
  desk.stale.add("s1");
  await desk.say("2", "/whoami", slash("s1"));
  await desk.until(/You are \*\*ana/, "2");
  assert.deepEqual(desk.see("-7/2"), []);
  assert.equal(desk.see("-7").length, 1);
});

it("quotes nothing where there is no message to quote", async (t) => {
  const { desk } = await crew(t, { whispers: "to presses" });
  const sent: unknown[] = [];
  const { send } = desk.listener;
  desk.listener.send = (to, part, key) => {
    sent.push(part.replyTo);
    return send(to, part, key);
  };
  await desk.say("2", "by a slash", slash("s1"));
  await desk.until(/by a slash/, "-7");
  await desk.say("2", "/new", slash("s2"));
  await desk.until(/starts afresh/, "-7");
  assert.deepEqual(sent, [undefined, undefined]);
});

it("is silent in a group that nobody opened, and hints a person it knows alone, once a day and chat", async (t) => {
  const { desk, store } = await crew(t, { whispers: "anywhere" });
  const closed = (id: string) => ({ chat: { id, kind: "group" } as const });
  for (const chat of ["-8", "-8", "-9"]) {
    await desk.say("2", "secret plan", closed(chat));
    await desk.say("1", "/status", closed(chat));
    await desk.say("9", "let me in", closed(chat));
    await desk.say("2", "not for the bot", { ...closed(chat), addressed: false });
  }
  await desk.until(/not open to me[\s\S]*Ask an owner to send me \/enable/, "-9/2");
  await desk.until(/not open to me[\s\S]*To open it, send me \/enable/, "-9/1");
  assert.deepEqual(
    ["-8/1", "-8/2", "-9/1", "-9/2"].map((room) => desk.see(room).length),
    [1, 1, 1, 1],
  );
  assert.deepEqual(
    [...desk.see("-8"), ...desk.see("-9"), ...desk.see("-8/9"), ...desk.see("9")],
    [],
  );
  const rows = await store.run(() => listAudit(50, { outcome: "refused" }));
  const told = rows.filter(({ why }) => why === "chat not open");
  assert.deepEqual(told.map(({ name, place }) => `${name} ${place}`).sort(), [
    "ana desk -8",
    "ana desk -9",
    "olga desk -8",
    "olga desk -9",
  ]);
  await desk.say("9", "hello");
  await desk.until(/do not know you/, "9");
});

it("answers a code in a group to its sender alone, and to the group only where that cannot be", async (t) => {
  for (const [whispers, rooms] of [
    ["anywhere", ["-7/9", "-7/2"]],
    ["to presses", ["-7", "2"]],
    [undefined, ["-7", "2"]],
  ] as const) {
    const { desk, stop } = await crew(t, whispers ? { whispers } : {});
    const [ofStranger, ofAna] = rooms;
    await desk.say("9", "join K7Q2-9XF4", inGroup);
    await desk.say("9", "join K7Q2-9XF5", inGroup);
    await desk.until(/Codes count only in a direct chat/, ofStranger);
    await desk.say("2", "join K7Q2-9XF6", inGroup);
    await desk.until(/Codes count only in a direct chat/, ofAna);
    await desk.say("8", "join K7Q2-9XF7", { chat: { id: "-8", kind: "group" } });
    // Behind it, in the order of that sender.
    await desk.send([pressOf("8", "behind", { data: "none" })]);
    await desk.untilAnswered("behind notice");
    await desk.say("1", "/new", inGroup);
    await desk.until(/starts afresh/, "-7");
    const codes = (room: string) =>
      desk.see(room).filter((text) => /Codes count/.test(text)).length;
    assert.equal(codes(ofStranger), 1, whispers);
    assert.equal(codes("-7") + codes("-7/9") + codes("9"), 1, whispers);
    assert.deepEqual([...desk.see("-8"), ...desk.see("-8/8"), ...desk.see("8")], []);
    await desk.say("9", "hello");
    await desk.until(/do not know you/, "9");
    await stop();
  }
});
