// The scene of five people in one group, on Discord.
import { it } from "node:test";
import { playScene } from "./scene-play.ts";
import { discordStage } from "./scene-stage-discord.ts";

it("shows each of five people in a group on Discord exactly what is theirs", async (t) => {
  await playScene(await discordStage(t));
});
