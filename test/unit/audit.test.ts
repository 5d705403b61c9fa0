// What anybody can repeat leaves a row a minute, not a row each time.
import assert from "node:assert/strict";
import { it } from "node:test";
import { auditSeldom } from "../../src/access/audit.ts";
import { accessRig, minute, second, start } from "../fakes/access-rig.ts";

it("writes what is refused for one reason beside what is refused for another", async (t) => {
  const { run, audits } = accessRig(t);
  const row = { who: "p:ana", name: "", place: "sandbox", action: "egress", outcome: "refused" };
  for (const [n, why] of ["denied", "denied", "not-allowed", "denied"].entries())
    await run(() => auditSeldom({ ...row, at: start + n * second, target: `host ${n}`, why }));
  const seen = (await audits()).map(({ target }) => target);
  assert.deepEqual(seen, ["host 2", "host 0"]);
});

it("writes what somebody repeats once a minute, and what somebody else does at once", async (t) => {
  const { run, audits } = accessRig(t);
  const look = (who: string, at: number, target: string) =>
    run(() =>
      auditSeldom({
        at,
        who,
        name: who,
        place: "web",
        action: "look",
        target,
        outcome: "refused",
        why: "not theirs",
      }),
    );
  for (let n = 0; n < 50; n += 1) await look("p:ana", start + n * second, `conversation ${n}`);
  await look("p:ben", start + 50 * second, "conversation 1");
  await look("p:ana", start + minute, "conversation 2");
  const seen = (await audits()).map(({ who, target }) => `${who} ${target}`);
  assert.deepEqual(seen, ["p:ana conversation 2", "p:ben conversation 1", "p:ana conversation 0"]);
});
