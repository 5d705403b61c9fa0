// The kill matrix inside a turn, on Telegram: ten kills at each step.
import { it } from "node:test";
import { killAt } from "./kill-matrix.ts";
import { telegramStage } from "./kill-stage-telegram.ts";
import { stepsInside } from "./kill-steps-turn.ts";

for (const step of stepsInside) it(step.title, (t) => killAt(t, telegramStage, step));
