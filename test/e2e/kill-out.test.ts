// The kill matrix on the way out, on Telegram: ten kills at each step.
import { it } from "node:test";
import { killAt } from "./kill-matrix.ts";
import { telegramStage } from "./kill-stage-telegram.ts";
import { stepsOut } from "./kill-steps-out.ts";

for (const step of stepsOut) it(step.title, (t) => killAt(t, telegramStage, step));
