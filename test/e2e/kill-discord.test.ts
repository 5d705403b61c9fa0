// The kill matrix on Discord: every step, with fewer kills.
import { it } from "node:test";
import { killAt } from "./kill-matrix.ts";
import { discordStage } from "./kill-stage-discord.ts";
import { stepsIn } from "./kill-steps-in.ts";
import { stepsOut } from "./kill-steps-out.ts";
import { stepsInside } from "./kill-steps-turn.ts";

for (const step of [...stepsIn, ...stepsInside, ...stepsOut])
  it(step.title, (t) => killAt(t, discordStage, step));
