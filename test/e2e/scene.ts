// Five people in one group: an owner, two who are paired, one who is not, and a bot; and somebody elsewhere who must see nothing.
import { createEye, type Expected, type Eye, openly } from "./scene-eye.ts";
import type { Actor, SendOptions, Sight, Stage, Where } from "./scene-stage.ts";

export interface Cast {
  readonly olga: Actor;
  readonly ana: Actor;
  readonly ben: Actor;
  readonly uwe: Actor;
  readonly rob: Actor;
}

export interface Scene extends Cast {
  readonly stage: Stage;
  readonly eye: Eye;
  /** Nobody sees anything of it. */
  silence(name: string, act: () => unknown): Promise<void>;
  /** What one person alone is shown as an answer to a message, a press or a command in the group. */
  alone(who: Actor, how: keyof Stage["asides"], text: Expected["text"], place?: Where): Expected;
  /** What all are told as an answer to somebody's command. */
  told(who: Actor, command: string, text: RegExp, place?: Where): Expected;
  /** What all are shown as an answer to somebody's message. */
  answer(who: Actor, text: Expected["text"], place?: Where): Expected;
}

export const fay = "fay";
const buttonsOf = (name: string) => ["Allow once", `Allow ${name} for this task`, "Deny"];

/** Everybody has come in, and the bot has said nothing in the group. `more` are there soon, too. */
export async function openScene(stage: Stage, more: readonly string[] = []): Promise<Scene> {
  const [olga, ana, ben, uwe] = ["olga", "ana", "ben", "uwe"].map((name) => stage.enter(name));
  const rob = stage.enter("rob", { bot: true });
  const outsider = stage.enter(fay, { outside: true });
  if (!olga || !ana || !ben || !uwe) throw new Error("nobody came");
  const settle = async () => {
    const seen = () => stage.look().filter(isOutsiders).length;
    const before = seen();
    outsider.says("direct", "/whoami");
    await come(stage, () => seen() > before);
  };
  const members = ["olga", "ana", "ben", "uwe", "rob", ...more];
  const seen = { ...stage, look: () => stage.look().filter((sight) => !isOutsiders(sight)) };
  const eye = createEye(seen, members, settle);
  const scene = { ...{ olga, ana, ben, uwe, rob, stage, eye }, ...words(stage, eye) };
  await join(scene, outsider, "authenticated");
  await join(scene, olga, "owner");
  await join(scene, ana, "authenticated");
  await join(scene, ben, "authenticated");
  return scene;
}

function isOutsiders({ seenBy, where, text }: Sight): boolean {
  return where === "direct" && seenBy.join() === fay && text.includes("You are fay");
}

function words(stage: Stage, eye: Eye): Pick<Scene, "silence" | "alone" | "told" | "answer"> {
  const placeOf = (place: Where) => (stage.commandsInThreads ? place : "group");
  return {
    async silence(name, act) {
      await eye.step({ name, act, sees: [] });
    },
    alone: (who, how, text, place = "group") => {
      const there = how === "command" ? placeOf(place) : place;
      const where = stage.asides[how];
      return { by: who.name, where: where === "group" ? there : where, text };
    },
    told: (who, command, text, place = "group") => {
      if (stage.commandsSeen) return openly(placeOf(place), text, { quotes: who.name });
      const given = `^${who.name}: ${stage.slash}${command}\\n\\n`;
      return openly(placeOf(place), new RegExp(text.source.replace("^", given)), {});
    },
    answer: (who, text, place = "group") => {
      const quoted = place === "group" || stage.quotesInThreads;
      return openly(place, text, quoted ? { quotes: who.name } : {});
    },
  };
}

/** With a real code, in their direct chat. */
export async function join(
  { stage, eye }: Pick<Scene, "stage" | "eye">,
  who: Actor,
  role: "owner" | "authenticated",
): Promise<void> {
  const { name } = who;
  const code = await codeFor(stage, name, role);
  await eye.step({
    name: `${name} comes in`,
    act: () => who.says("direct", `join ${code}`),
    sees: [{ by: name, where: "direct", text: new RegExp(`^Welcome, ${name}\\. You are`) }],
  });
}

export async function codeFor(stage: Stage, name: string, role = "authenticated"): Promise<string> {
  return ((await stage.rig.admin("pair.invite", { name, role })) as { code: string }).code;
}

export function addressed(more: SendOptions = {}): SendOptions {
  return { addressed: true, ...more };
}

export interface Asking {
  readonly who: Actor;
  readonly file: string;
  readonly where?: Where;
}

/** Somebody's task asks whether it may make a file: everybody sees the card, in the place where it was asked for. */
export async function ask(scene: Scene, { who, file, where = "group" }: Asking): Promise<Sight> {
  const { stage, eye } = scene;
  const [card] = await eye.step({
    name: `${who.name} asks for ${file}`,
    act: () => who.says(where, `dobare ${stage.rig.workspace}/${file}`, addressed()),
    sees: [cardOf(scene, { who, file, where })],
  });
  if (!card) throw new Error("no card");
  return card;
}

export function cardOf({ answer }: Scene, { who, file, where }: Asking): Expected {
  const text = new RegExp(
    `^Create ${file.replace(".", "\\.")}\\? \\(\\d+\\)\\n\\nNew file ${file}`,
  );
  return { ...answer(who, text, where), buttons: buttonsOf(file) };
}

/** The same card, with who decided what, and no buttons. */
export function decided(scene: Scene, asking: Asking, outcome: RegExp): Expected {
  const { buttons: _, ...card } = cardOf(scene, asking);
  return { ...card, text: outcome, changed: true };
}

/** Once it is so, looking again after each change. */
export async function come(stage: Stage, done: () => boolean, seconds = 20): Promise<void> {
  if (done()) return;
  await new Promise<void>((resolve, reject) => {
    const end = (settle: () => void) => {
      clearTimeout(timer);
      stop();
      settle();
    };
    const late = () => end(() => reject(new Error(`it did not come\n${stage.transcript()}`)));
    const timer = setTimeout(late, seconds * 1000);
    const stop = stage.watch(() => done() && end(resolve));
    if (done()) end(resolve);
  });
}
