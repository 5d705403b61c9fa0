// The scene of five people in one group, on Telegram.
import { it } from "node:test";
import { playScene } from "./scene-play.ts";
import { telegramStage } from "./scene-stage-telegram.ts";

it("shows each of five people in a group on Telegram exactly what is theirs", async (t) => {
  await playScene(await telegramStage(t));
});
