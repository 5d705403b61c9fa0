// What one person says in private, on each platform with groups: seen by nobody else, wherever they look.
import { it } from "node:test";
import { type CanaryScene, playCanary, recordName, type Speaker } from "./canary-scene.ts";
import { come } from "./scene.ts";
import type { Actor, Sight, Stage } from "./scene-stage.ts";
import { discordStage } from "./scene-stage-discord.ts";
import { slackStage } from "./scene-stage-slack.ts";
import { telegramStage } from "./scene-stage-telegram.ts";
import { scripted } from "./telegram-rig.ts";

const flags = scripted({ record: recordName });

async function sceneOn(stage: Stage): Promise<CanaryScene> {
  const [ana, ben] = [stage.enter("ana"), stage.enter("ben")];
  const { rig } = stage;
  for (const [who, role] of [[ana, "owner"] as const, [ben, "authenticated"] as const]) {
    const { code } = (await rig.admin("pair.invite", { name: who.name, role })) as { code: string };
    who.says("direct", `join ${code}`);
    await seen(stage, (sight) => isFor(sight, who) && /^Welcome/.test(sight.text));
  }
  const inGroup = ({ seenBy }: Sight) => seenBy.length > 1;
  ana.runs("group", "/enable");
  await seen(stage, (sight) => inGroup(sight) && /I answer here/.test(sight.text));
  return {
    ana: speaker(stage, ana),
    ben: speaker(stage, ben),
    seenInGroup: () => everything(stage, inGroup, (seenBy) => seenBy.length > 1),
    untilInGroup: (pattern) => seen(stage, (sight) => inGroup(sight) && pattern.test(sight.text)),
    workspace: rig.workspace,
    homes: rig.place.paths.homes,
    log: rig.log,
    async restart() {
      await rig.stop();
      await rig.start();
    },
  };
}

const menu = /^\/(?:tasks|status|approvals|stop)$/;

function speaker(stage: Stage, who: Actor): Speaker {
  const mine = (sight: Sight) => isFor(sight, who);
  return {
    says: (text, file) => who.says("direct", text, file ? { file } : {}),
    saysInGroup: (text) =>
      menu.test(text) ? who.runs("group", text) : who.says("group", text, { addressed: true }),
    sees: () => everything(stage, mine, (seenBy) => seenBy.join() === who.name),
    until: (pattern) => seen(stage, (sight) => mine(sight) && pattern.test(sight.text)),
    press(label) {
      const card = stage.look().findLast((sight) => mine(sight) && sight.buttons.includes(label));
      if (!card) throw new Error(`${who.name} sees no ${label}\n${stage.transcript()}`);
      who.presses(card, label);
    },
  };
}

function isFor({ seenBy }: Sight, { name }: Actor): boolean {
  return seenBy.join() === name;
}

async function seen(stage: Stage, wanted: (sight: Sight) => boolean): Promise<Sight | undefined> {
  await come(stage, () => stage.look().some(wanted));
  return stage.look().findLast(wanted);
}

/** What stands there now, and all that ever did. */
function everything(
  stage: Stage,
  shown: (sight: Sight) => boolean,
  to: (seenBy: readonly string[]) => boolean,
): string {
  const now = stage.look().filter(shown);
  const ever = stage.sent().filter(({ seenBy }) => to(seenBy));
  return [
    ...now.flatMap(({ text, file }) => [text, file?.name, file?.text]),
    ...ever.map(({ raw }) => raw),
  ].join("\n");
}

for (const [platform, open] of [
  ["Telegram", telegramStage],
  ["Discord", discordStage],
  ["Slack", slackStage],
] as const)
  it(`shows on ${platform} nothing of one person's direct chat to another, a group, an agent, a log or a home`, async (t) => {
    await playCanary(await sceneOn(await open(t, { flags })));
  });
