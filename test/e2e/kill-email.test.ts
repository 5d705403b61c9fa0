// The kill matrix on mail: every step, with fewer kills.
import { it } from "node:test";
import { withDovecot } from "../fakes/dovecot.ts";
import { killAt } from "./kill-matrix.ts";
import { emailStage } from "./kill-stage-email.ts";
import { stepsOutWhole } from "./kill-steps-email.ts";
import { stepsIn } from "./kill-steps-in.ts";
import { stepsInside } from "./kill-steps-turn.ts";

for (const step of [...stepsIn, ...stepsInside, ...stepsOutWhole])
  it(step.title, withDovecot, (t) => killAt(t, emailStage, step));
