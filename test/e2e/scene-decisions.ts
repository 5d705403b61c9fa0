// Second act: who may decide what runs, and who hears of it.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join as joined } from "node:path";
import { type Asking, ask, decided, join, type Scene } from "./scene.ts";
import type { Actor, Sight } from "./scene-stage.ts";

const notYours = "Only the person who asked, or an owner, can answer this.";

function made({ stage }: Scene, file: string): boolean {
  return existsSync(joined(stage.rig.workspace, file));
}

/** Only the presser hears of it, and the card stays as it is. */
export async function refusesPress(
  { eye, alone }: Scene,
  who: Actor,
  { card, why = notYours, button = "Allow once" }: { card: Sight; why?: string; button?: string },
): Promise<void> {
  await eye.step({
    name: `${who.name} presses`,
    act: () => who.presses(card, button),
    sees: [alone(who, "press", why, card.where === "thread" ? "thread" : "group")],
  });
}

export async function allows(
  scene: Scene,
  by: Actor,
  { card, ...asking }: Asking & { card: Sight },
) {
  const { eye, alone, answer } = scene;
  const { where = "group" } = asking;
  assert.equal(made(scene, asking.file), false);
  await eye.step({
    name: `${by.name} allows ${asking.file}`,
    act: () => by.presses(card, "Allow once"),
    sees: [
      // Where it would stay, the card is enough.
      ...(scene.stage.asides.press === "notice" ? [alone(by, "press", "Allowed.", where)] : []),
      decided(scene, asking, new RegExp(`\\n\\n✅ Allow once · ${by.name}$`)),
      answer(asking.who, "answer: once", where),
    ],
  });
  assert.equal(made(scene, asking.file), true);
}

export async function decisions(scene: Scene): Promise<void> {
  const { olga, ana, ben, uwe } = scene;
  const hers = { who: ana, file: "ana.txt" };
  const card = await ask(scene, hers);
  await refusesPress(scene, ben, { card });
  await refusesPress(scene, uwe, { card });
  await refusesPress(scene, uwe, { card, button: "Deny" });
  await allows(scene, ana, { ...hers, card });
  const his = { who: ben, file: "ben.txt", where: "thread" } as const;
  const other = await ask(scene, his);
  await refusesPress(scene, ana, { card: other });
  await allows(scene, olga, { ...his, card: other });
}

/** A button counts where it was shown, and for whom it counts is asked when it is pressed. */
export async function changesOfRights(scene: Scene): Promise<void> {
  await replay(scene);
  await unlinked(scene);
  await promoted(scene);
}

async function replay(scene: Scene): Promise<void> {
  const { ana, olga, eye, stage } = scene;
  const asking = { who: ana, file: "replayed.txt" };
  const card = await ask(scene, asking);
  const place = stage.asides.press === "group" ? "direct" : stage.asides.press;
  for (const who of [ana, olga])
    await eye.step({
      name: `${who.name} presses its button from another chat`,
      act: () => who.replays(card, "Allow once"),
      sees: [
        { by: who.name, where: place, text: "This button is not for here, or no longer known." },
      ],
    });
  await eye.step({
    name: "ana denies it",
    act: () => ana.presses(card, "Deny"),
    sees: [
      scene.alone(ana, "press", "Denied. You can say why in your next message."),
      decided(scene, asking, /\n\n⛔ Denied by ana$/),
      scene.answer(ana, "answer: no"),
    ],
  });
  assert.equal(made(scene, asking.file), false);
}

async function unlinked(scene: Scene): Promise<void> {
  const { ben, eye, stage, alone } = scene;
  const asking = { who: ben, file: "unlinked.txt" };
  const card = await ask(scene, asking);
  await eye.step({
    name: "ben's account is unlinked",
    act: () => stage.rig.admin("pair.unlink", { name: "ben", channel: stage.listener }),
    sees: [
      decided(scene, asking, /\n\n⌛ Stopped: nothing was run$/),
      scene.answer(ben, "⏹ Stopped."),
    ],
  });
  await eye.step({
    name: "ben presses what he still sees",
    act: () => ben.pressesLate(card, "Allow once"),
    sees: [alone(ben, "press", notYours)],
  });
  await scene.silence("ben addresses it", () => ben.says("group", "echo me?", { addressed: true }));
  assert.equal(made(scene, asking.file), false);
  await join(scene, ben, "authenticated");
}

async function promoted(scene: Scene): Promise<void> {
  const { ana, ben, silence, stage } = scene;
  const asking = { who: ben, file: "promoted.txt" };
  const card = await ask(scene, asking);
  await refusesPress(scene, ana, { card });
  const set = (role: string) => stage.rig.admin("pair.set", { name: "ana", role });
  await silence("ana becomes an owner", () => set("owner"));
  await allows(scene, ana, { ...asking, card });
  await silence("ana is no owner any more", () => set("authenticated"));
}
