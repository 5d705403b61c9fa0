// What a gateway takes over its socket as the own settings of a channel that is added.
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { runDirectly } from "../../src/admin/direct.ts";
import { readEnvironment } from "../../src/config/environment.ts";
import { placeOf } from "../../src/config/paths.ts";
import { loadSettings } from "../../src/config/settings-file.ts";
import { temporaryFolder } from "../fakes/agent-rig.ts";

it("takes words, numbers and lists by plain keys, and nothing that reaches further", async (t) => {
  const folder = temporaryFolder(t);
  const state = join(folder, "state");
  const placed = placeOf({ workspace: import.meta.dirname, state }, readEnvironment());
  assert.ok(placed.ok);
  const { place } = placed;
  const add = async (config: string) => {
    const input = { id: "email", kind: "email", secrets: { password: "x" } };
    const outcome = await runDirectly(place, "channel.add", {
      ...input,
      config: JSON.parse(config),
    });
    assert.ok(outcome && outcome !== "busy");
    return outcome;
  };
  const refused = [
    '{"__proto__": {"kind": "telegram"}}',
    '{"constructor": "x"}',
    '{"kind": "telegram"}',
    '{"password": "x"}',
    '{"a.b": "x"}',
    '{"a": {"b": "c"}}',
    '{"a": null}',
    `{"a": "${"x".repeat(4097)}"}`,
    JSON.stringify(Object.fromEntries(Array.from({ length: 41 }, (_, at) => [`k${at}`, "x"]))),
    '["x"]',
    '"x"',
  ];
  for (const config of refused) assert.equal((await add(config)).ok, false, config);
  assert.equal(existsSync(place.paths.settings), false);
  assert.deepEqual(readdirSync(place.paths.secrets), []);
  const added = await add('{"address": "a@example.org", "idleSeconds": 60, "arcSealers": ["b.c"]}');
  assert.equal(added.ok, true);
  const loaded = await loadSettings(place.paths);
  assert.deepEqual(loaded.ok && { ...loaded.settings.channels.email }, {
    address: "a@example.org",
    idleSeconds: 60,
    arcSealers: ["b.c"],
    kind: "email",
  });
});
