// The kill matrix on Slack: every step, with fewer kills.
import { it } from "node:test";
import { killAt } from "./kill-matrix.ts";
import { slackStage } from "./kill-stage-slack.ts";
import { stepsIn } from "./kill-steps-in.ts";
import { stepsOut } from "./kill-steps-out.ts";
import { stepsInside } from "./kill-steps-turn.ts";

for (const step of [...stepsIn, ...stepsInside, ...stepsOut])
  it(step.title, (t) => killAt(t, slackStage, step));
