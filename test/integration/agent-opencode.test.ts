// The real opencode under our preset for a sandbox: it works with the models of other makers, too.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import type { ModelApi } from "../../src/core/egress.ts";
import { readTurn, textOf } from "../fakes/agent-rig.ts";
import {
  commandStep,
  decide,
  fakeModelName,
  localAgent,
  permissionsIn,
  realKey,
  without,
} from "../fakes/agents-rig.ts";

const options = { skip: without("opencode"), timeout: 120_000 };
/** The API that it speaks by default is that of test/e2e/agents-opencode.test.ts. */
const paths: readonly (readonly [api: ModelApi, path: string])[] = [
  ["openai", "/v1/chat/completions"],
  ["gemini", `/v1beta/models/${fakeModelName}:streamGenerateContent`],
];

for (const [api, path] of paths)
  it(`speaks to a model by the API ${api}`, options, async (t) => {
    const wish = { modelName: fakeModelName, api };
    const { model, workspace, prompt } = await localAgent(t, "opencode", wish);
    model.play(commandStep.opencode("echo ran >> count"), { text: "Counted." });
    const events = await readTurn(prompt("Count."), decide("allow_once"));
    assert.equal(permissionsIn(events).length, 1);
    assert.equal(textOf(events), "Counted.");
    assert.equal(readFileSync(join(workspace, "count"), "utf8"), "ran\n");
    assert.deepEqual([...new Set(model.asked.map((asked) => asked.path))], [path]);
    assert.deepEqual([...model.keys], [realKey]);
  });
