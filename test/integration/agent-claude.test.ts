// The real claude under our preset, without a container: it asks, does what is allowed, and does not do what is refused.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { readTurn, sessionOf, textOf } from "../fakes/agent-rig.ts";
import { commandStep, decide, localAgent, permissionsIn, without } from "../fakes/agents-rig.ts";

const options = { skip: without("claude"), timeout: 120_000 };

it("asks before a command: allowed it runs, refused it does not", options, async (t) => {
  const { model, workspace, prompt } = await localAgent(t, "claude");
  model.play(commandStep.claude("echo ran >> count"), { text: "Counted." });
  const first = await readTurn(prompt("Count."), decide("allow_once"));
  assert.equal(permissionsIn(first).length, 1);
  assert.match(textOf(first), /Counted\.$/);
  assert.equal(readFileSync(join(workspace, "count"), "utf8"), "ran\n");
  model.play(commandStep.claude("touch more"), { text: "Not done." });
  const second = await readTurn(prompt("More.", sessionOf(first).id), decide("reject_once"));
  assert.equal(permissionsIn(second).length, 1);
  assert.equal(existsSync(join(workspace, "more")), false);
});
