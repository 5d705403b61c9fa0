// Who adds us to a chat: an owner is told what comes next, and of anybody else the owners are told.
import assert from "node:assert/strict";
import { it } from "node:test";
import type { ChatChange } from "../../src/core/events.ts";
import { listAudit } from "../../src/store/audit.ts";
import { chatTitle, isEnabled } from "../../src/store/chats.ts";
import { forgetBefore } from "../../src/store/retention.ts";
import { createDesk, pressOf } from "../fakes/desk.ts";
import { type Spine, startSpine } from "../fakes/spine.ts";

const chat = { id: "-7", kind: "group" } as const;

function added(account: string, more: Partial<ChatChange> = {}): ChatChange {
  const change: ChatChange = {
    kind: "chat",
    key: `added ${more.chat?.id ?? chat.id} ${account} ${Math.random()}`,
    at: Date.now(),
    chat,
    sender: { account, name: account && `Name *of* ${account}` },
    change: "added",
    title: "Build `crew`",
  };
  return { ...change, ...more };
}

/** Resolves once everything said before has been handled: commands of one person are answered in order. */
async function settled({ desk }: Spine, account: string, times: number): Promise<void> {
  await desk.say(account, "/whoami");
  while (desk.see(account).filter((text) => /^You are/.test(text)).length < times)
    await new Promise((resolve) => setTimeout(resolve, 5));
}

it("stays silent where a stranger adds it, and tells the owners who it was and how to open it", async (t) => {
  const spine = await startSpine(t, { desk: createDesk("desk", { whispers: "anywhere" }) });
  const { desk, store, join } = spine;
  await join("1", "olga", "owner");
  await join("2", "ana", "authenticated");
  await join("3", "otto", "owner");
  await desk.send([added("9")]);
  for (const owner of ["1", "3"]) {
    const { text } = await desk.until(/added me/, owner);
    assert.match(
      text,
      /^⚠️ Name \\\*of\\\* 9 \(account `9` on `desk`\) added me to "Build \\`crew\\`"\./,
    );
    assert.match(text, /silent there until an owner sends me \/enable in it/);
  }
  await settled(spine, "2", 1);
  assert.deepEqual([...desk.see("-7"), ...desk.see("-7/9"), ...desk.see("9")], []);
  assert.equal(desk.see("2").length, 2);
  const [row] = await store.run(() => listAudit(1, { action: "chat" }));
  assert.deepEqual(
    [row?.who, row?.name, row?.place, row?.outcome],
    ["a:desk:9", "", "desk -7", "silent"],
  );
  await desk.say("1", "/enable", { chat });
  await desk.until(/I answer here/, "-7");
});

it("tells owners of a paired person too, and of one that the platform does not name", async (t) => {
  const { desk, join } = await startSpine(t);
  await join("1", "olga", "owner");
  await join("2", "ana", "authenticated");
  await desk.send([added("2"), added("", { chat: { id: "-8", kind: "group" }, title: "Other" })]);
  await desk.until(/⚠️ ana \(account `2` on `desk`\) added me to "Build/, "1");
  await desk.until(/⚠️ Somebody \(`desk` does not say who\) added me to "Other"/, "1");
});

it("tells an owner who adds it what comes next, and no other", async (t) => {
  const { desk, join } = await startSpine(t, {
    desk: createDesk("desk", { whispers: "anywhere" }),
  });
  await join("1", "olga", "owner");
  await join("3", "otto", "owner");
  await desk.send([added("1")]);
  await desk.until(/I am in "Build \\`crew\\`" now, and silent there until an owner sends/, "1");
  assert.equal(desk.see("3").length, 1);
  assert.deepEqual([...desk.see("-7"), ...desk.see("-7/1")], []);
});

it("tells of three such chats a day, and keeps a row of each", async (t) => {
  const spine = await startSpine(t);
  const { desk, store, join } = spine;
  await join("1", "olga", "owner");
  for (let n = 0; n < 30; n += 1)
    await desk.send([added(`${900 + n}`, { chat: { id: `-${100 + n}`, kind: "group" } })]);
  for (;;) {
    const rows = await store.run(() => listAudit(100, { action: "chat" }));
    if (rows.length === 30) break;
  }
  await settled(spine, "1", 1);
  assert.equal(desk.see("1").filter((text) => /added me/.test(text)).length, 3);
});

it("closes a chat that was open when somebody else brings it back, but not one that has just moved", async (t) => {
  const { desk, store, join } = await startSpine(t);
  await join("1", "olga", "owner");
  await desk.say("1", "/enable", { chat });
  await desk.until(/I answer here/, "-7");
  const to = "-1007";
  await desk.send([{ ...added("9"), key: "move", change: "migrated", to, title: "Build" }]);
  await desk.send([added("9", { chat: { ...chat, id: to }, title: "Build" })]);
  // Behind it, in the order of that sender.
  await desk.send([pressOf("9", "behind", { data: "none" })]);
  await desk.untilAnswered("behind notice");
  await desk.say("1", "still open?", { chat: { ...chat, id: to } });
  await desk.until(/still open/, to);
  const realNow = Date.now;
  t.after(() => {
    Date.now = realNow;
  });
  Date.now = () => realNow() + 120_000;
  await desk.send([added("8", { chat: { ...chat, id: to }, title: "Build" })]);
  await desk.until(/added me to "Build"\. It was open to me before, and is not any more/, "1");
  assert.equal(await store.run(() => isEnabled("desk", to)), false);
});

it("keeps what a chat is called, also when it moves, until nobody has opened it for long", async (t) => {
  const spine = await startSpine(t);
  const { desk, store, join } = spine;
  await join("1", "olga", "owner");
  const title = (id: string) => store.run(() => chatTitle("desk", id));
  await desk.send([added("9", { title: `${"x".repeat(500)}` })]);
  await desk.until(/added me/, "1");
  assert.equal((await title("-7")).length, 200);
  const { title: _, ...untitled } = added("1");
  await desk.send([{ ...untitled, key: "move", change: "migrated", to: "-1007" }]);
  await settled(spine, "1", 1);
  assert.equal((await title("-1007")).length, 200);
  await desk.say("1", "/enable", { chat: { ...chat, id: "-1007" } });
  await desk.until(/I answer here/, "-1007");
  while ((await store.run(() => forgetBefore(Date.now() + 1000, 200))) > 0);
  assert.deepEqual([await title("-7"), (await title("-1007")).length], ["", 200]);
});
