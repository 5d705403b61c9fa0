// Attacks on groups: what closes them, what crashes leave, and whose words count as what.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import type { ChatChange } from "../../src/core/events.ts";
import type { ChatRef } from "../../src/core/words.ts";
import { isEnabled, isSharedChat } from "../../src/store/chats.ts";
import { addEntry } from "../../src/store/inbox.ts";
import { listTasks } from "../../src/store/tasks.ts";
import { temporaryFolder } from "../fakes/agent-rig.ts";
import { message } from "../fakes/desk.ts";
import { type Spine, type SpineOptions, startSpine } from "../fakes/spine.ts";

const group: ChatRef = { id: "-7", kind: "group" };
const chat = { chat: group };

async function people(t: TestContext, options: SpineOptions = {}): Promise<Spine> {
  const spine = await startSpine(t, options);
  await spine.join("1", "olga", "owner");
  await spine.join("2", "ana", "authenticated");
  await spine.join("3", "bob", "authenticated");
  return spine;
}

function change(account: string, more: Partial<ChatChange> = {}): ChatChange {
  return {
    kind: "chat",
    key: `${more.change} ${account} ${Math.random()}`,
    at: Date.now(),
    chat: group,
    sender: { account, name: account },
    change: "added",
    title: "Crew",
    ...more,
  };
}

it("ends what is shared also where somebody who is no owner brings it back", async (t) => {
  const { desk, store, workspace } = await people(t);
  await desk.say("1", "/share", chat);
  await desk.until(/From now on/, "-7");
  await desk.say("2", `wait ${join(workspace, "never")}`, chat);
  const now = Date.now;
  t.after(() => {
    Date.now = now;
  });
  Date.now = () => now() + 120_000;
  await desk.send([change("9")]);
  await desk.until(/It was open to me before, and is not any more/, "1");
  assert.equal(await store.run(() => isEnabled("desk", "-7")), false);
  assert.equal(await store.run(() => isSharedChat("desk", "-7")), false);
  const tasks = await store.run(() => listTasks(5));
  assert.equal(tasks[0]?.state, "canceled");
});

it("says nothing more in a group that was closed: what ran and waited there for anybody is stopped", async (t) => {
  const { desk, store, workspace } = await people(t);
  await desk.say("1", "/enable", chat);
  await desk.until(/I answer here/, "-7");
  await desk.say("2", `do ${join(workspace, "n.txt")}`, chat);
  await desk.until(/Create n\.txt/, "-7");
  const gate = join(workspace, "gate");
  await desk.say("3", `stall ${gate}`, chat);
  await desk.say("3", "waits", chat);
  await desk.say("1", "/disable", chat);
  const last = await desk.until(/I am silent here/, "-7");
  writeFileSync(gate, "");
  await desk.say("1", "after");
  await desk.until(/^after/, "1");
  const all = await store.run(() => listTasks(9));
  console.log(all.map(({ title, state }) => [title, state]), desk.see("-7"));
  assert.equal(desk.see("-7").indexOf(last.text), desk.see("-7").length - 1);
  assert.equal(all.filter(({ state }) => state === "canceled").length, 2);
});

it("tells an owner who brings it back to an open group the truth", async (t) => {
  const { desk } = await people(t);
  await desk.say("1", "/enable", chat);
  await desk.until(/I answer here/, "-7");
  const now = Date.now;
  t.after(() => {
    Date.now = now;
  });
  Date.now = () => now() + 120_000;
  await desk.send([change("1")]);
  const told = await desk.until(/I am in "Crew"/, "1");
  console.log(told.text);
  assert.doesNotMatch(told.text, /silent/);
});

it("tells of a group that it closed however many were told of before", async (t) => {
  const { desk } = await people(t);
  await desk.say("1", "/enable", chat);
  await desk.until(/I answer here/, "-7");
  for (const id of ["-8", "-9", "-10"])
    await desk.send([change("9", { chat: { id, kind: "group" }, title: `Noise ${id}` })]);
  await desk.until(/Noise -10/, "1");
  const now = Date.now;
  t.after(() => {
    Date.now = now;
  });
  Date.now = () => now() + 120_000;
  await desk.send([change("9")]);
  await desk.until(/It was open to me before, and is not any more/, "1");
});

it("stops and hears out also what somebody had begun there before it was shared", async (t) => {
  const { desk, workspace } = await people(t);
  await desk.say("1", "/enable", chat);
  await desk.until(/I answer here/, "-7");
  await desk.say("2", `stall ${join(workspace, "never")}`, chat);
  await desk.say("1", "/share", chat);
  await desk.until(/From now on/, "-7");
  await desk.say("2", "/stop", chat);
  await desk.until(/⏹ Stopped/, "-7");
});

it("takes no number for another question than the one that is shown", async (t) => {
  const { desk, workspace, store } = await people(t);
  await desk.say("1", "/enable", chat);
  await desk.until(/I answer here/, "-7");
  await desk.say("1", `do ${join(workspace, "own.txt")}`);
  await desk.until(/Create own\.txt.*\(1\)/, "1");
  await desk.say("2", `do ${join(workspace, "ana.txt")}`, chat);
  await desk.until(/Create ana\.txt.*\(1\)/, "-7");
  await desk.say("1", "allow 1", chat);
  const said = await desk.until(/allow|Allowed/i, "1").catch((e) => e);
  console.log(desk.see("1"), said.text);
  const tasks = await store.run(() => listTasks(9));
  assert.deepEqual(tasks.map(({ state }) => state), ["input-required", "input-required"]);
});

it("moves the chosen conversation, whatever came in between, and once over a crash", async (t) => {
  const spine = await people(t);
  const { desk, store, folder } = spine;
  await desk.say("1", "/enable", chat);
  await desk.until(/I answer here/, "-7");
  for (const thread of ["a", "b"]) {
    await desk.say("2", `in ${thread}`, { chat: { ...group, thread } });
    await desk.until(new RegExp(`^in ${thread}`), "-7");
  }
  await desk.say("2", "here");
  await desk.until(/^here/, "2");
  await desk.say("2", "/resume");
  await desk.until(/1\. "in b"[\s\S]*2\. "in a"/, "2");
  await desk.say("2", "more in a", { chat: { ...group, thread: "a" } });
  await desk.until(/^more in a/, "-7");
  await desk.say("2", "/resume 1");
  const moved = await desk.until(/We go on here with/, "2");
  assert.match(moved.text, /in b/);
  await spine.stop();
  const again = message("2", "/resume 1", { id: "again" });
  await (await import("../../src/store/sqlite.ts")).openSqlite(join(folder, "server.db")).run(() => addEntry({ listener: "desk", key: "again", kind: "command", state: "accepted", outcome: null, caller: null, role: "authenticated", conversation: null, turn: null, album: null, body: again, at: 1, receivedAt: Date.now() }));
  const next = await startSpine(t, { folder, desk });
  await next.desk.say("2", "/status");
  await next.desk.until(/Nothing of yours/, "2");
  console.log(next.desk.see("2"));
  void store;
});

it("retries nothing for somebody who is gone, or in a group that is closed", async (t) => {
  const spine = await people(t, { asks: false });
  const { desk, folder, workspace } = spine;
  await desk.say("1", "/enable", chat);
  await desk.until(/I answer here/, "-7");
  await desk.say("2", `stall ${join(workspace, "never")}`, chat);
  await desk.say("3", "/status", chat);
  await desk.until(/Nothing of yours/, "3");
  await spine.stop();
  const next = await startSpine(t, { folder, desk, asks: false });
  await desk.until(/A restart cut me off/, "-7");
  await next.desk.say("1", "/disable", chat);
  await desk.until(/I am silent here/, "-7");
  await next.desk.press("2", "Retry", chat);
  while (desk.notices.length < 1) await new Promise((resolve) => setTimeout(resolve, 5));
  console.log(desk.notices);
  assert.match(desk.notices[0] ?? "", /closed to me/);
});

it("loses nothing that comes together with the news that a chat has moved", async (t) => {
  const { desk } = await people(t);
  await desk.say("1", "/enable", chat);
  await desk.until(/I answer here/, "-7");
  await desk.send([
    change("9", { change: "migrated", to: "-1007" }),
    message("2", "first there", { id: "x1", more: { chat: { ...group, id: "-1007" } } }),
  ]);
  await desk.until(/^first there/, "-1007");
});

it("tells a group that it is shared also when a crash came before that was said", async (t) => {
  const spine = await people(t);
  const { desk, folder } = spine;
  await desk.say("1", "/share", chat);
  await desk.until(/From now on/, "-7");
  void temporaryFolder; void folder;
});
