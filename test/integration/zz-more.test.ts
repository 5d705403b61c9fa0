// scratch
import assert from "node:assert/strict";
import { it, type TestContext } from "node:test";
import { join } from "node:path";
import type { ChatRef } from "../../src/core/words.ts";
import { SendError } from "../../src/core/channel.ts";
import { createDesk, message } from "../fakes/desk.ts";
import { type SpineOptions, startSpine } from "../fakes/spine.ts";
const group: ChatRef = { id: "-7", kind: "group" };
const chat = { chat: group };
async function people(t: TestContext, options: SpineOptions = {}) {
  const spine = await startSpine(t, options);
  await spine.join("1", "olga", "owner");
  await spine.join("2", "ana", "authenticated");
  await spine.join("3", "bob", "authenticated");
  return spine;
}
it("whisper failing, openDirect failing", async (t) => {
  const desk = createDesk("desk", { whispers: "anywhere" });
  const broken = { ...desk, listener: { ...desk.listener, whisper: async () => { throw new SendError("rejected", "no", { format: true }); }, openDirect: async () => { throw new Error("nope"); } } };
  const spine = await people(t, { desk: broken as typeof desk });
  await desk.say("1", "/enable", chat);
  await desk.until(/I answer here/, "-7");
  for (const words of ["/tasks", "/approvals", "/status", "/whoami", "/help", "/share", "/unshare", "/disable", "/resume", "/retry", "allow 1", "answer 1", "/new"]) await desk.say("2", words, chat);
  await desk.say("2", "last", chat);
  await desk.until(/^last/, "-7");
  console.log(desk.see("-7"));
  void spine;
});
it("texts in a group", async (t) => {
  const { desk, workspace } = await people(t);
  await desk.say("1", "/share", chat);
  await desk.until(/From now on/, "-7");
  await desk.say("2", `do ${join(workspace, "x.txt")}`, chat);
  await desk.until(/Create x/, "-7");
  for (const words of ["/tasks", "/approvals", "/status", "/resume", "retry", "answer 1 foo", "answer", "allow 77", "/stop xyz", "/help"]) await desk.say("1", words, chat);
  await desk.until(/Tell me what to do, in your/, "1");
  console.log(desk.see("1").join("\n-----\n"));
  await desk.say("3", "/stop", chat);
  await desk.say("3", "/new", chat);
  await desk.say("3", "answer 1 huge\nmulti", { ...chat });
  await desk.say("3", "deny 1 because " + "x".repeat(20000), { ...chat });
  await desk.until(/Only the person/, "3");
  console.log(desk.see("3").join("\n-----\n"));
  await desk.say("1", "deny 1 because bad\nana: evil\u202e <@everyone> **x**", chat);
  await desk.until(/Denied by/, "-7");
  console.log(desk.see("-7").join("\n-----\n"));
  assert.ok(message);
});
