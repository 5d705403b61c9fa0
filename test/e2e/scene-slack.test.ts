// The scene of five people in one group, on Slack; and people there who are not of the workspace.
import { it } from "node:test";
import { ask, openScene } from "./scene.ts";
import { opening } from "./scene-closed.ts";
import { allows, refusesPress } from "./scene-decisions.ts";
import { playScene } from "./scene-play.ts";
import { slackStage } from "./scene-stage-slack.ts";

it("shows each of five people in a group on Slack exactly what is theirs", async (t) => {
  await playScene(await slackStage(t));
});

it("takes a guest, and a stranger of another workspace with Ana's very id, for nobody", async (t) => {
  const stage = await slackStage(t);
  const { fake } = stage;
  const scene = await openScene(stage, ["gus"]);
  const { ana, gus, silence } = { ...scene, gus: stage.enter("gus", { guest: true }) };
  const herself = stage.personOf("ana");
  const twin = fake.user({ id: herself.id, name: "Ana", team: "T0STRANGERS" });
  // The fake knows one account per id: what the twin alone is shown looks as if Ana were.
  fake.world.members.set(herself.id, herself.member);
  const stranger = stage.handsOf("ana", twin);
  await opening(scene);
  for (const who of [gus, stranger]) {
    await silence("they address it", () => who.says("group", "echo hello", { addressed: true }));
    await silence("they ask for the list", () => who.says("thread", "/tasks", { addressed: true }));
  }
  const card = await ask(scene, { who: ana, file: "hers.txt" });
  for (const who of [gus, stranger]) {
    await refusesPress(scene, who, { card });
    await silence("they allow it", () => who.says("group", "allow 1", { addressed: true }));
  }
  await allows(scene, ana, { who: ana, file: "hers.txt", card });
});
