// How agents are started.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { it } from "node:test";
import { presetNamed, presetNames, presetOfCommand } from "../../src/agent/presets.ts";

it("knows its presets by name and no others", () => {
  for (const name of presetNames) assert.equal(presetNamed(name)?.name, name);
  assert.equal(presetNamed("constructor"), undefined);
});

it("starts the workspace agent with the Node that runs us", () => {
  const preset = presetNamed("workspace");
  assert.equal(preset?.program, process.execPath);
  assert.ok(existsSync(preset?.args[0] ?? ""));
});

it("sets opencode to ask, as its own default allows everything", () => {
  const config = JSON.parse(presetNamed("opencode")?.env.OPENCODE_CONFIG_CONTENT ?? "");
  assert.deepEqual(config.permission, { edit: "ask", bash: "ask", webfetch: "ask" });
});

it("splits a command as a shell would, and expands nothing", () => {
  const cases: [string, string[] | undefined][] = [
    ["opencode acp", ["opencode", "acp"]],
    [`  my-agent --name "a b"  'c "d"' e\\ f `, ["my-agent", "--name", "a b", 'c "d"', "e f"]],
    [`x --a="b c"'d' "" "q\\"\\$" $HOME;ls`, ["x", "--a=b cd", "", 'q"$', "$HOME;ls"]],
    ["", undefined],
    [`x "open`, undefined],
    ["x \\", undefined],
  ];
  for (const [line, words] of cases) {
    const preset = presetOfCommand(line);
    assert.deepEqual(preset ? [preset.program, ...preset.args] : undefined, words, line);
  }
});

it("splits a long line in linear time", () => {
  const preset = presetOfCommand(`x ${'"a b" '.repeat(20_000)}'`);
  assert.equal(preset, null);
});
