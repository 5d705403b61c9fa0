// Last act: one conversation of all who are paired, then none, then silence.
import assert from "node:assert/strict";
import { ask, type Scene } from "./scene.ts";
import { inAny, sessionOf } from "./scene-apart.ts";
import { closed } from "./scene-closed.ts";
import type { Actor } from "./scene-stage.ts";

const addressed = { addressed: true };

/** Said in the thread, and answered there. */
async function says({ eye, answer }: Scene, who: Actor, words: string): Promise<void> {
  await eye.step({
    name: `${who.name} says "${words}" in the thread`,
    act: () => who.says("thread", `echo ${words}`, addressed),
    sees: [answer(who, words, "thread")],
  });
}

export async function sharing(scene: Scene): Promise<void> {
  const { olga, ana, ben, uwe, rob, stage, eye, silence, alone, told } = scene;
  await says(scene, ben, "before of ben");
  await eye.step({
    name: "ben tries to share",
    act: () => ben.runs("thread", "/share"),
    sees: [alone(ben, "command", /Only an owner can make people share a conversation/, "thread")],
  });
  await eye.step({
    name: "olga shares",
    act: () => olga.runs("thread", "/share"),
    sees: [
      told(
        olga,
        "share",
        /^From now on everybody here who is paired continues one conversation/,
        "thread",
      ),
    ],
  });
  await says(scene, ana, "shared by ana");
  await says(scene, ben, "shared by ben");
  await silence("uwe addresses it", () => uwe.says("thread", "echo me too", addressed));
  await silence("rob addresses it", () => rob.says("thread", "echo beep", addressed));
  const together = sessionOf(stage.rig.heard(), "shared by ana");
  assert.ok(together.includes("ana: echo shared by ana"));
  assert.ok(together.includes("ben: echo shared by ben"));
  assert.ok(!inAny(together, "before of ben"));
  const card = await ask(scene, { who: ana, file: "shared.txt", where: "thread" });
  await eye.step({
    name: "ben presses the card of ana's words",
    act: () => ben.presses(card, "Allow once"),
    sees: [
      alone(ben, "press", "Only the person who asked, or an owner, can answer this.", "thread"),
    ],
  });
  await ended(scene);
}

async function ended(scene: Scene): Promise<void> {
  const { olga, ana, ben, uwe, stage, eye, silence, alone, told, answer } = scene;
  const card = /^Create shared\.txt\? \(\d+\)\n\n[\s\S]*⌛ Stopped: nothing was run$/;
  await eye.step({
    name: "olga ends the sharing, while ana's task waits",
    act: () => olga.runs("thread", "/unshare"),
    sees: [
      told(olga, "unshare", /^Nothing is shared here any more/, "thread"),
      { ...answer(ana, card, "thread"), changed: true },
      answer(ana, "⏹ Stopped.", "thread"),
    ],
  });
  await says(scene, ana, "after of ana");
  await says(scene, ben, "after of ben");
  const heard = stage.rig.heard();
  assert.ok(!inAny(sessionOf(heard, "after of ana"), "shared"));
  const his = sessionOf(heard, "after of ben");
  assert.ok(inAny(his, "before of ben") && !inAny(his, "shared"));
  await eye.step({
    name: "olga closes the group",
    act: () => olga.runs("group", "/disable"),
    sees: [told(olga, "disable", /^I am silent here from now on\.$/)],
  });
  for (const who of [ana, uwe])
    await silence(`${who.name} addresses it`, () => who.says("group", "echo hello?", addressed));
  await eye.step({
    name: "ben addresses it",
    act: () => ben.says("thread", "echo hello?", addressed),
    sees: [alone(ben, "message", closed(scene), "thread")],
  });
}
