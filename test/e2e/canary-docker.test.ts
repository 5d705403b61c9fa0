// What one person keeps in their container: in nobody else's, nor in the one that a group shares.
import assert from "node:assert/strict";
import { it, type TestContext } from "node:test";
import { stateMark } from "../../src/config/secrets.ts";
import { docker, image, withDocker } from "../fakes/docker-rig.ts";
import { come } from "./scene.ts";
import type { Actor, Sight, Stage } from "./scene-stage.ts";
import { telegramStage } from "./scene-stage-telegram.ts";

// Not in one piece, so that the question itself is not what is found.
const [first, second] = ["canary", "7c21e"];
const canary = `${first}-${second}`;
const places = "/home /tmp /workspace /run /var /etc /root /opt /srv /mnt";
const look = `run grep -rlF ${first}'-'${second} ${places} 2>/dev/null; find ${places} -name '*'${second}'*' -o -name kept'.'txt 2>/dev/null; echo looked`;

/** Allowed by whoever asked; gives what came out. */
async function runs(
  stage: Stage,
  who: Actor,
  { where, text }: { where: "direct" | "thread"; text: string },
): Promise<string> {
  const known = new Set(stage.look().map(({ key }) => key));
  const fresh = (sight: Sight) => !known.has(sight.key) && sight.where === where;
  const find = (wanted: (sight: Sight) => boolean) =>
    stage.look().find((sight) => fresh(sight) && wanted(sight));
  who.says(where, text, { addressed: where !== "direct" });
  await come(stage, () => find(({ buttons }) => buttons.includes("Allow once")) !== undefined, 60);
  const card = find(({ buttons }) => buttons.includes("Allow once"));
  assert.ok(card);
  who.presses(card, "Allow once");
  const ended = ({ text: shown }: Sight) => /Exit code \d/.test(shown);
  await come(stage, () => find(ended) !== undefined, 60);
  return find(ended)?.text ?? "";
}

async function comesIn(stage: Stage, name: string, role: string): Promise<Actor> {
  const who = stage.enter(name);
  const { code } = (await stage.rig.admin("pair.invite", { name, role })) as { code: string };
  who.says("direct", `join ${code}`);
  await come(stage, () =>
    stage.look().some(({ seenBy, text }) => seenBy.join() === name && text.startsWith("Welcome")),
  );
  return who;
}

/** Its containers go with it, also when the test fails. */
async function dockerStage(t: TestContext): Promise<Stage> {
  const stage = await telegramStage(t, { flags: { sandbox: "docker", image } });
  const label = [`sallyport=${stateMark(stage.rig.place.paths)}`];
  t.after(async () => {
    for (const { Id } of await docker.listContainers({ all: true, filters: { label } }))
      await docker.getContainer(Id).remove({ force: true });
  });
  return stage;
}

it(
  "keeps one person's files out of another's container, and out of a shared one",
  withDocker,
  async (t) => {
    const stage = await dockerStage(t);
    const ana = await comesIn(stage, "ana", "owner");
    const ben = await comesIn(stage, "ben", "authenticated");
    const file = { name: `${canary}-sent.txt`, content: `${canary} was sent` };
    ana.says("direct", "list", { file });
    const write = `run echo ${first}'-'${second} > ~/kept.txt; echo ${first}'-'${second} > /tmp/kept.txt`;
    await runs(stage, ana, { where: "direct", text: write });
    const hers = await runs(stage, ana, { where: "direct", text: look });
    for (const found of [/home\/agent\/kept\.txt/, /\/tmp\/kept\.txt/, /canary-7c21e-sent\.txt/])
      assert.match(hers, found);
    const his = await runs(stage, ben, { where: "direct", text: look });
    ana.runs("thread", "/share");
    await come(stage, () => stage.look().some(({ text }) => /^From now on everybody/.test(text)));
    const shared = await runs(stage, ben, { where: "thread", text: look });
    const alsoShared = await runs(stage, ana, { where: "thread", text: look });
    for (const seen of [his, shared, alsoShared]) {
      assert.match(seen, /looked/);
      assert.doesNotMatch(seen, /canary|kept\.txt/);
    }
  },
);
