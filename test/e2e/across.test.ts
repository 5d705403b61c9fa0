// One person with an account on each of three platforms, and one gateway: the same tasks, questions and conversations everywhere.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { startDiscordServer } from "../fakes/discord-server.ts";
import { startSlackServer } from "../fakes/slack-server.ts";
import { startTelegramServer } from "../fakes/telegram-server.ts";
import { come } from "./scene.ts";
import { sessionOf } from "./scene-apart.ts";
import { startStageGateway } from "./scene-gateway.ts";
import type { Actor, Sight, Stage } from "./scene-stage.ts";
import { discordChannel, onDiscord } from "./scene-stage-discord.ts";
import { onSlack, slackChannel } from "./scene-stage-slack.ts";
import { onTelegram, telegramChannel } from "./scene-stage-telegram.ts";

/** Ana on one platform, in her direct chat. */
interface Place {
  readonly stage: Stage;
  readonly ana: Actor;
  /** The newest that she is shown of this. */
  until(pattern: RegExp): Promise<Sight>;
  asks(text: string, pattern: RegExp): Promise<Sight>;
  runs(command: string, pattern: RegExp): Promise<Sight>;
}

function placeOf(stage: Stage): Place {
  const ana = stage.enter("ana");
  const find = (pattern: RegExp, more = 0) => {
    const found = stage
      .look()
      .filter(({ seenBy, text }) => seenBy.join() === ana.name && pattern.test(text));
    return found.length > more ? found : undefined;
  };
  const until = async (pattern: RegExp, more = 0) => {
    await come(stage, () => find(pattern, more) !== undefined);
    const last = find(pattern, more)?.at(-1);
    assert.ok(last);
    return last;
  };
  /** Something new of that kind. */
  const after = (pattern: RegExp, act: () => void) => {
    const before = find(pattern)?.length ?? 0;
    act();
    return until(pattern, before);
  };
  return {
    stage,
    ana,
    until,
    asks: (text, pattern) => after(pattern, () => ana.says("direct", text)),
    runs: (command, pattern) => after(pattern, () => ana.runs("direct", command)),
  };
}

/** All three are hers, by a code each. */
async function everywhere(t: TestContext) {
  const [telegram, discord, slack] = await Promise.all([
    startTelegramServer(),
    startDiscordServer(),
    startSlackServer(),
  ]);
  const rig = await startStageGateway(t, {
    channels: [telegramChannel(telegram), discordChannel(discord), slackChannel(slack)],
    async after() {
      telegram.faults.clear();
      await Promise.all([telegram.close(), discord.close(), slack.close()]);
    },
  });
  const stages = [onTelegram(telegram, rig), await onDiscord(discord, rig), onSlack(slack, rig)];
  const places = stages.map(placeOf);
  for (const { asks } of places) {
    const { code } = (await rig.admin("pair.invite", { name: "ana" })) as { code: string };
    await asks(`join ${code}`, /^Welcome, ana\./);
  }
  const [onTheTelegram, onTheDiscord, onTheSlack] = places;
  assert.ok(onTheTelegram && onTheDiscord && onTheSlack);
  return { rig, places, telegram: onTheTelegram, discord: onTheDiscord, slack: onTheSlack };
}

it("shows one person's tasks and questions the same on each, and takes the answer on any", async (t) => {
  const { rig, places, telegram, discord, slack } = await everywhere(t);
  await telegram.asks("echo from the phone", /^from the phone/);
  await discord.asks("echo from the game", /^from the game/);
  const path = join(rig.workspace, "n.txt");
  await slack.asks(`dobare ${path}`, /^Create n\.txt\?/);
  const lists = await Promise.all(
    places.map(({ runs }) => runs("/tasks", /waits for an answer ·/)),
  );
  assert.match(
    lists[0]?.text ?? "",
    /waits for an answer · dobare.*\n.*from the game\n.*from the phone/,
  );
  assert.deepEqual([...new Set(lists.map(({ text }) => text))].length, 1);
  const pattern = /^Create n\.txt\?/;
  const cards = [await slack.until(pattern)];
  for (const { runs } of [telegram, discord]) cards.push(await runs("/approvals", pattern));
  const buttons = cards.map((card) => card.buttons.join());
  assert.deepEqual(new Set(buttons), new Set(["Allow once,Allow n.txt for this task,Deny"]));
  const [, onPhone] = cards;
  assert.ok(onPhone && !existsSync(path));
  telegram.ana.presses(onPhone, "Allow once");
  for (const { until } of places) await until(/^Create n\.txt\?[\s\S]*✅ Allow once · ana$/);
  await slack.until(/^answer: once$/);
  assert.equal(existsSync(path), true);
  for (const { runs, stage } of places) {
    await runs("/approvals", /^Nothing waits for a decision\.$/);
    const open = stage.look().filter((sight) => sight.buttons.length > 0);
    assert.deepEqual(open, []);
  }
});

it("lists one person's conversations of each on the others, and goes on with one there", async (t) => {
  const { rig, telegram, discord, slack } = await everywhere(t);
  await discord.asks("echo plans for the summer", /^plans for the summer/);
  await slack.asks("echo notes of work", /^notes of work/);
  await telegram.asks("echo something else", /^something else/);
  const list = await telegram.runs("/resume", /\/resume 1 goes on/);
  assert.match(list.text, /1\. "echo notes of work" · slack, direct chat · just now/);
  assert.match(list.text, /2\. "echo plans for the summer" · discord, direct chat · just now/);
  assert.doesNotMatch(list.text, /something else/);
  await telegram.runs("/resume 2", /^We go on here with "echo plans for the summer"/);
  await telegram.asks("echo and more of it", /^and more of it/);
  const given = sessionOf(rig.heard(), "plans for the summer");
  assert.deepEqual(given, ["echo plans for the summer", "echo and more of it"]);
  await discord.asks("echo afresh here", /^afresh here/);
  assert.ok(!sessionOf(rig.heard(), "afresh here").includes("echo plans for the summer"));
  await discord.runs("/resume", /"echo something else" · telegram, direct chat, set aside/);
});
