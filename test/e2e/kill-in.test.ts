// The kill matrix on the way in, on Telegram: ten kills at each step.
import { it } from "node:test";
import { killAt } from "./kill-matrix.ts";
import { telegramStage } from "./kill-stage-telegram.ts";
import { stepsIn } from "./kill-steps-in.ts";

for (const step of stepsIn) it(step.title, (t) => killAt(t, telegramStage, step));
