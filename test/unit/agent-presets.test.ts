// How agents are started, at which versions, and what they need in an image.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { makers } from "../../src/agent/presets/makers.ts";
import { modelKey, modelUrl } from "../../src/agent/presets/preset.ts";
import {
  inSandbox,
  type ModelWish,
  presetNamed,
  presetNames,
  presetOfCommand,
} from "../../src/agent/presets.ts";
import { isKnownAgent, type KnownAgentName, knownAgents } from "../../src/core/known-agents.ts";
import { workspaceAgentInside } from "../../src/sandbox/image/own-agent.ts";
import { imagePreset } from "../../src/sandbox/image/presets.ts";
import { temporaryFolder } from "../fakes/agent-rig.ts";

const real = presetNames.filter(isKnownAgent);

function sandboxed(name: string, wish?: ModelWish) {
  const preset = presetNamed(name);
  assert.ok(preset);
  return inSandbox(preset, wish);
}

it("knows its presets by name and no others", () => {
  for (const name of presetNames) assert.equal(presetNamed(name)?.name, name);
  assert.equal(presetNamed("constructor"), undefined);
});

it("starts the workspace agent with the Node that runs us", () => {
  const preset = presetNamed("workspace");
  assert.equal(preset?.program, process.execPath);
  assert.ok(existsSync(preset?.args[0] ?? ""));
});

it("starts the workspace agent in a sandbox from where every image has it", () => {
  assert.deepEqual(sandboxed("workspace"), {
    program: "node",
    args: [workspaceAgentInside],
    env: {},
  });
});

it("shows the version of each real agent, and scripts/agents.sh installs the same", () => {
  const script = readFileSync(new URL("../../scripts/agents.sh", import.meta.url), "utf8");
  for (const name of real) {
    const preset = presetNamed(name);
    const { package: from, version } = knownAgents[name];
    assert.deepEqual([preset?.package, preset?.version], [from, version]);
    assert.ok(preset?.install.endsWith(`npm install -g ${from}@${version}`));
    assert.ok(script.includes(`${name}) echo "${from}@${version}"`), name);
  }
});

it("tells each real agent in a sandbox where the model is and with what for a key, and nothing else of it", () => {
  for (const name of real) {
    const text = JSON.stringify(sandboxed(name, { modelName: "model-of-operator" }));
    for (const part of [modelUrl, modelKey, "model-of-operator"])
      assert.ok(text.includes(part), `${name}: ${part}`);
    for (const { url } of Object.values(makers)) assert.ok(!text.includes(url), name);
    const own = JSON.stringify(sandboxed(name, { login: true }));
    assert.ok(!own.includes("{{"), `${name} uses its own log-in`);
  }
});

it("passes over an API that an agent does not speak", () => {
  for (const name of ["claude", "codex", "gemini"])
    for (const api of ["anthropic", "openai", "gemini"] as const)
      assert.deepEqual(sandboxed(name, { api }), sandboxed(name));
});

it("has opencode speak to a model by the API that the operator names", () => {
  const configOf = (wish: ModelWish) =>
    JSON.parse(sandboxed("opencode", wish).env.OPENCODE_CONFIG_CONTENT ?? "").provider.sallyport;
  assert.equal(configOf({}).npm, "@ai-sdk/anthropic");
  const { npm, options, models } = configOf({ api: "openai", modelName: "qwen/qwen3:8b" });
  assert.equal(npm, "@ai-sdk/openai-compatible");
  assert.deepEqual(options, { baseURL: `${modelUrl}/v1`, apiKey: modelKey });
  assert.deepEqual(Object.keys(models), ["qwen/qwen3:8b"]);
  assert.equal(configOf({ api: "gemini" }).options.baseURL, `${modelUrl}/v1beta`);
});

function install(folder: string, name: KnownAgentName, version: string): string {
  const place = join(folder, name, "node_modules", knownAgents[name].package);
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, "package.json"), JSON.stringify({ version }));
  return place;
}

it("takes for an image only the version of an agent that was tested", async (t) => {
  const folder = temporaryFolder(t);
  install(folder, "opencode", "0.0.1");
  const other = await imagePreset("opencode", folder);
  const line = `npm install -g opencode-ai@${knownAgents.opencode.version}`;
  assert.ok(other.ok || other.problem.includes(line));
  const place = install(folder, "opencode", knownAgents.opencode.version);
  assert.deepEqual(await imagePreset("opencode", folder), {
    ok: true,
    folders: [],
    programs: [join(place, "bin/opencode.exe")],
    links: { opencode: "/usr/local/bin/opencode.exe" },
  });
});

it("says what an installed agent lacks, and how to get it", async (t) => {
  const folder = temporaryFolder(t);
  install(folder, "claude", knownAgents.claude.version);
  const found = await imagePreset("claude", folder);
  assert.match(
    found.ok ? "" : found.problem,
    /is installed without @anthropic-ai\/.+npm install -g/,
  );
  const none = await imagePreset("no-such", folder);
  assert.deepEqual(none, { ok: false, problem: "There is no agent no-such." });
});

it("sets opencode to ask, as its own default allows everything, and to start no tasks, whose questions get lost", () => {
  const config = JSON.parse(presetNamed("opencode")?.env.OPENCODE_CONFIG_CONTENT ?? "");
  assert.deepEqual(config.permission, { edit: "ask", bash: "ask", webfetch: "ask", task: "deny" });
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
