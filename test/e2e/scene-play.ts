// The acts of the scene, in order. With SCENE=1 in the environment it shows who saw what.
import { openScene } from "./scene.ts";
import { apart } from "./scene-apart.ts";
import { closedGroup, opening } from "./scene-closed.ts";
import { changesOfRights, decisions } from "./scene-decisions.ts";
import { sharing } from "./scene-shared.ts";
import type { Stage } from "./scene-stage.ts";

export async function playScene(stage: Stage): Promise<void> {
  const scene = await openScene(stage);
  await closedGroup(scene);
  await opening(scene);
  await decisions(scene);
  await changesOfRights(scene);
  await apart(scene);
  await sharing(scene);
  if (process.env.SCENE) console.log([...scene.eye.table, stage.transcript()].join("\n"));
}
