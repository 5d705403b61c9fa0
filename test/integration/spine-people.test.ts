// People we do not know, groups, bounds, and questions that are not approvals.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import type { ChatRef } from "../../src/core/words.ts";
import { listTasks } from "../../src/store/tasks.ts";
import { message } from "../fakes/desk.ts";
import { startSpine } from "../fakes/spine.ts";

const group: ChatRef = { id: "-7", kind: "group" };

it("serves people it does not know within both budgets, and asks owners in their place", async (t) => {
  const settings = { public: "anyone", callerTasksPerHour: 2, listenerTasksPerHour: 3 } as const;
  const { desk, workspace, store, join: pair } = await startSpine(t, { settings });
  await pair("1", "olga", "owner");
  for (const text of ["one", "two", "three"]) {
    await desk.say("8", text);
    await desk.until(text === "three" ? /You have used what I do/ : new RegExp(text), "8");
  }
  await desk.say("9", `do ${join(workspace, "n.txt")}`);
  await desk.until(/Create n\.txt/, "1");
  assert.equal(
    desk.see("9").some((text) => /Create/.test(text)),
    false,
  );
  await desk.say("9", "allow 1");
  await desk.until(/There is no question 1/, "9");
  await desk.press("1", "Deny");
  await desk.until(/answer: no/, "9");
  await desk.say("10", "four");
  await desk.until(/busy with what other people asked/, "10");
  assert.equal((await store.run(() => listTasks(20))).length, 3);
});

it("is silent in a group until an owner enables it, and there for strangers always", async (t) => {
  const { desk, join: pair } = await startSpine(t);
  await pair("1", "olga", "owner");
  await pair("2", "ana", "authenticated");
  await desk.say("2", "hello", { chat: group });
  await desk.say("2", "/enable", { chat: group });
  await desk.say("9", "/enable", { chat: group });
  await desk.say("1", "/enable", { chat: group });
  await desk.until(/I answer here from now on/, "-7");
  await desk.say("2", "not for the bot", { chat: group, addressed: false });
  await desk.say("9", "from a stranger", { chat: group });
  await desk.say("2", "for the bot", { chat: group });
  await desk.until(/for the bot/, "-7");
  assert.deepEqual(
    desk.see("-7").filter((text) => !/Only an owner|I answer here/.test(text)),
    ["for the bot"],
  );
});

it("refuses and burns a code in a group without a word about it", async (t) => {
  const { desk, join: pair } = await startSpine(t);
  await pair("1", "olga", "owner");
  await desk.say("9", "join K7Q2-9XF4", { chat: group });
  await desk.say("1", "/enable", { chat: group });
  await desk.until(/I answer here/, "-7");
  assert.equal(desk.see("-7").length, 1);
  await desk.say("9", "join K7Q2-9XF5", { chat: group });
  await desk.until(/Codes count only in a direct chat/, "-7");
});

it("keeps what one person says in a group from another's conversation", async (t) => {
  const { desk, store, join: pair } = await startSpine(t);
  await pair("1", "olga", "owner");
  await pair("2", "ana", "authenticated");
  await desk.say("1", "/enable", { chat: group });
  await desk.say("1", "from olga", { chat: group });
  await desk.say("2", "from ana", { chat: group });
  await desk.until(/from olga/, "-7");
  await desk.until(/from ana/, "-7");
  const tasks = await store.run(() => listTasks(5));
  assert.equal(new Set(tasks.map(({ conversation }) => conversation)).size, 2);
  await desk.say("2", "/tasks", { chat: group });
  const list = await desk.until(/completed/, "2");
  assert.doesNotMatch(list.text, /olga/);
});

it("takes twenty waiting messages and refuses the next aloud", async (t) => {
  const { desk, workspace, join: pair } = await startSpine(t);
  await pair("1", "ana");
  const gate = join(workspace, "gate");
  await desk.say("1", `stall ${gate}`);
  const burst = Array.from({ length: 21 }, (_, n) => message("1", `number ${n}`, { id: `b${n}` }));
  await desk.send(burst);
  await desk.until(/already wait, so I did not take this one/);
  writeFileSync(gate, "");
  await desk.until(/number 19/);
  assert.equal(
    desk.see().some((text) => text.includes("number 20")),
    false,
  );
});

it("tells those who wait for a place which one they have", async (t) => {
  const { desk, workspace, join: pair } = await startSpine(t, { settings: { concurrent: 1 } });
  await pair("1", "ana");
  await pair("2", "bob");
  const gate = join(workspace, "gate");
  await desk.say("1", `stall ${gate}\ndone`);
  await desk.say("2", "me too");
  await desk.until(/You are next/, "2");
  writeFileSync(gate, "");
  await desk.until(/me too/, "2");
});

it("makes one turn of an album, with every file in the home's inbox", async (t) => {
  const { desk, store, folder, join: pair } = await startSpine(t);
  await pair("1", "ana");
  const file = (id: string) => ({ id, name: `../${id}.png`, mime: "image/png", size: 9 });
  const album = { album: "a1" };
  await desk.send([
    message("1", "three photos", { id: "x1", more: { ...album, files: [file("f1")] } }),
    message("1", "", { id: "x2", more: { ...album, files: [file("f2")] } }),
  ]);
  await desk.send([message("1", "", { id: "x3", more: { ...album, files: [file("f3")] } })]);
  await desk.until(/three photos/);
  assert.equal((await store.run(() => listTasks(5))).length, 1);
  const homes = join(folder, "homes");
  const inbox = join(homes, readdirSync(homes)[0] ?? "", "inbox");
  const kept = readdirSync(inbox).sort();
  assert.deepEqual(kept, ["x1-0-f1.png", "x2-0-f2.png", "x3-0-f3.png"]);
  assert.equal(readFileSync(join(inbox, "x2-0-f2.png"), "utf8"), "content of f2");
});

it("notes an edit without running it, and says nothing when only the platform changed something", async (t) => {
  const { desk, store, join: pair } = await startSpine(t);
  await pair("1", "ana");
  const original = await desk.say("1", "first words");
  await desk.until(/first words/);
  const edited = { key: original.key };
  await desk.say("1", "first words", { edited });
  await desk.say("1", "other words", { edited });
  await desk.until(/you changed a message/);
  assert.equal((await store.run(() => listTasks(5))).length, 1);
  assert.equal(desk.see().filter((text) => /you changed a message/.test(text)).length, 1);
});

it("asks the fields of an agent's form one by one and takes text as the next message", async (t) => {
  const { desk, join: pair } = await startSpine(t);
  await pair("1", "ana");
  const schema = {
    type: "object",
    properties: {
      color: { type: "string", title: "Colour", enum: ["red", "blue"] },
      name: { type: "string", title: "Name" },
    },
    required: ["color", "name"],
  };
  await desk.say("1", `form ${JSON.stringify(schema)}`);
  await desk.until(/Colour/);
  await desk.press("1", "blue");
  await desk.until(/Name\?/);
  await desk.say("1", "Otto");
  const answer = await desk.until(/"action":"accept"/);
  assert.match(answer.text, /"color":"blue","name":"Otto"/);
});

it("expires what is asked in a chat that blocked us, and goes on elsewhere", async (t) => {
  const { desk, workspace, store, join: pair } = await startSpine(t);
  await pair("1", "ana");
  await pair("2", "bob");
  desk.blocked.add("1");
  await desk.say("1", `do ${join(workspace, "n.txt")}`);
  await desk.say("2", "unharmed");
  await desk.until(/unharmed/, "2");
  for (;;) {
    const tasks = await store.run(() => listTasks(5));
    if (tasks.every(({ state }) => state === "completed")) break;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
});
