// The kill matrix on mail: every step, with fewer kills.
import { it } from "node:test";
import { withDovecot } from "../fakes/dovecot.ts";
import { killAtEach } from "./kill-matrix.ts";
import { emailStage } from "./kill-stage-email.ts";
import { stepsOutWhole } from "./kill-steps-email.ts";
import { stepsIn } from "./kill-steps-in.ts";
import { stepsInside } from "./kill-steps-turn.ts";

it(
  "loses no mail, changes nothing twice and repeats no answer, wherever it is killed",
  {
    ...withDovecot,
    timeout: 300_000,
  },
  (t) => killAtEach(t, emailStage, [...stepsIn, ...stepsInside, ...stepsOutWhole]),
);
