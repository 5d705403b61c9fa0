// Third act: two people at once, lists, codes and questions; each person's things are their own.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { codeFor, type Scene } from "./scene.ts";
import { type Expected, openly } from "./scene-eye.ts";
import type { Heard } from "./scene-gateway.ts";
import type { Actor, Sight } from "./scene-stage.ts";

const addressed = { addressed: true };

export async function apart(scene: Scene): Promise<void> {
  await atTheSameTime(scene);
  await lists(scene);
  await codes(scene);
  await question(scene);
}

async function atTheSameTime({ ana, ben, eye, stage, answer }: Scene): Promise<void> {
  const gate = join(stage.rig.workspace, "gate");
  await eye.step({
    name: "ana and ben ask at the same time, in the group and in the thread",
    async act() {
      ana.says("group", `stall ${gate}\necho words of ana`, addressed);
      ben.says("thread", `stall ${gate}\necho words of ben`, addressed);
      // Both are at work before either may end.
      await stage.rig.until("two prompts", () => {
        const all = stage.rig.heard().flatMap(({ texts }) => texts);
        return ["words of ana", "words of ben"].every((words) => inAny(all, words));
      });
      writeFileSync(gate, "");
    },
    sees: [answer(ana, "words of ana"), answer(ben, "words of ben", "thread")],
  });
  const heard = stage.rig.heard();
  assert.ok(!inAny(sessionOf(heard, "words of ana"), "ben"));
  assert.ok(!inAny(sessionOf(heard, "words of ben"), "ana"));
}

export function inAny(texts: readonly string[], words: string): boolean {
  return texts.some((text) => text.includes(words));
}

/** All that the session was given that was given this. */
export function sessionOf(heard: readonly Heard[], words: string): readonly string[] {
  const found = heard.filter(({ texts }) => inAny(texts, words));
  assert.equal(found.length, 1, `one session was given "${words}"`);
  return found[0]?.texts ?? [];
}

async function lists({ olga, ana, ben, eye, alone }: Scene): Promise<void> {
  const tasks = async (who: Actor) => {
    const [list] = await eye.step({
      name: `${who.name} lists tasks in the group`,
      act: () => who.runs("group", "/tasks"),
      sees: [alone(who, "command", /completed · /)],
    });
    return list?.text ?? "";
  };
  const [hers, his, all] = [await tasks(ana), await tasks(ben), await tasks(olga)];
  assert.match(hers, /ana\.txt/);
  assert.doesNotMatch(hers, /ben|unlinked|promoted/);
  assert.match(his, /ben\.txt/);
  assert.doesNotMatch(his, /ana|replayed/);
  assert.match(all, /ana\.txt \(ana\)/);
  assert.match(all, /ben\.txt \(ben\)/);
}

const codesCount =
  /Codes count only in a direct chat with me: one that was shown to a group is void\./;

async function codes({ ana, uwe, stage, eye, alone }: Scene): Promise<void> {
  const { removes, asides } = stage;
  for (const who of [uwe, ana]) {
    const code = await codeFor(stage, `guest-of-${who.name}`);
    const said = `join ${code}`;
    // Uwe cannot be written to: where nobody can be told alone in the place, all are told.
    const openlyTold = who === uwe && asides.message === "direct";
    const quote = removes ? {} : { quotes: who.name };
    await eye.step({
      name: `${who.name} shows a code to the group`,
      act: () => who.says("group", said),
      sees: [openlyTold ? openly("group", codesCount, quote) : alone(who, "message", codesCount)],
      ...(removes ? { gone: [`${who.name}: ${said}`] } : {}),
    });
    if (who === uwe)
      await eye.step({
        name: "uwe tries the same code in his direct chat",
        act: () => uwe.says("direct", said),
        sees: [{ by: uwe.name, where: "direct", text: /^That code does not count/ }],
      });
  }
}

const schema = { type: "object", properties: { colour: { type: "string", title: "Colour" } } };

async function question(scene: Scene): Promise<void> {
  const { ana, eye, stage, answer } = scene;
  const asks = answer(ana, /^Colour\? \(\d+\)\n\nWhich one\?/);
  const [asked] = await eye.step({
    name: "ana's task asks for words",
    act: () => ana.says("group", `form ${JSON.stringify(schema)}`, addressed),
    sees: [asks],
  });
  assert.ok(asked);
  const answered = [
    { ...asks, text: /☑️ Answered by olga$/, changed: true },
    answer(ana, '{"action":"accept","content":{"colour":"blue"}}'),
  ] as const;
  await (stage.replies ? byReply : byNumber)(scene, asked, answered);
}

async function byReply(
  { ben, olga, uwe, eye, alone, silence }: Scene,
  asked: Sight,
  answered: readonly Expected[],
): Promise<void> {
  await silence("uwe replies to the question", () => uwe.says("group", "red", { replyTo: asked }));
  await eye.step({
    name: "ben replies to the question",
    act: () => ben.says("group", "green", { replyTo: asked }),
    sees: [alone(ben, "message", /Only the person who asked, or an owner, can answer this\.$/)],
  });
  await eye.step({
    name: "olga replies to the question",
    act: () => olga.says("group", "blue", { replyTo: asked }),
    sees: answered,
  });
}

/** By the number that the card in the group shows. */
async function byNumber(
  { ben, olga, uwe, eye, alone, silence }: Scene,
  { text }: Sight,
  answered: readonly Expected[],
): Promise<void> {
  const [, shown] = /\((\d+)\)/.exec(text) ?? [];
  await silence("uwe answers the question", () =>
    uwe.says("group", `answer ${shown} red`, addressed),
  );
  await eye.step({
    name: "ben answers the question",
    act: () => ben.says("group", `answer ${shown} green`, addressed),
    sees: [alone(ben, "message", "Only the person who asked, or an owner, can answer this.")],
  });
  await eye.step({
    name: "olga lists what waits",
    act: () => olga.runs("group", "/approvals"),
    sees: [alone(olga, "command", /^\d+ Colour, for: form .* \(ana\)/)],
  });
  await eye.step({
    name: "olga answers the question",
    act: () => olga.says("group", `answer ${shown} blue`, addressed),
    sees: [alone(olga, "message", "Thank you."), ...answered],
  });
}
