// The real opencode under our preset: it asks before it changes things, a refusal holds, and a stop ends an open question.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { choose, readTurn, sessionOf, textOf } from "../fakes/agent-rig.ts";
import { noOpencode, opencodeRig } from "../fakes/opencode-rig.ts";

const options = { skip: noOpencode, timeout: 180_000 };
const count = { tool: "bash", input: { command: "echo ran >> count", description: "Count" } };

it(
  "asks before a command and before an edit, says what they are, and does neither when refused",
  options,
  async (t) => {
    const { model, workspace, prompt } = await opencodeRig(t);
    const path = join(workspace, "note.txt");
    model.play(count);
    const first = await readTurn(prompt("Count."), choose("reject"));
    model.play({ tool: "write", input: { filePath: path, content: "a note\n" } });
    const second = await readTurn(
      prompt("Write.", { session: sessionOf(first).id }),
      choose("reject"),
    );
    const [command, edit, ...more] = [...first, ...second].filter((e) => e.type === "permission");
    assert.equal(command?.call.kind, "execute");
    assert.equal(command?.call.command, "echo ran >> count");
    assert.equal(edit?.call.kind, "edit");
    assert.equal(edit?.call.diffs[0]?.after, "a note\n");
    assert.deepEqual(more, []);
    assert.deepEqual([first.at(-1)?.type, second.at(-1)?.type], ["end", "end"]);
    assert.equal(existsSync(join(workspace, "count")), false);
    assert.equal(existsSync(path), false);
  },
);

it(
  "ends the turn when it is stopped with a question open, and goes on in the same session",
  options,
  async (t) => {
    const { model, workspace, wires, prompt } = await opencodeRig(t);
    model.play(count);
    const stop = new AbortController();
    const events = await readTurn(prompt("Count.", { signal: stop.signal }), ({ type }) => {
      if (type === "permission") stop.abort();
    });
    assert.deepEqual(events.at(-1), { type: "end", reason: "cancelled" });
    model.play({ text: "Still here." });
    const next = await readTurn(prompt("Hello?", { session: sessionOf(events).id }));
    assert.equal(textOf(next), "Still here.");
    assert.equal(wires.length, 1, "its process did not have to be ended");
    assert.equal(existsSync(join(workspace, "count")), false);
  },
);

it(
  "asks whatever the project's own configuration says, and starts none of its plugins and servers",
  options,
  async (t) => {
    const { model, workspace, prompt } = await opencodeRig(t);
    const lax = { permission: { bash: "allow", edit: "allow" } };
    const trace = (name: string) => join(workspace, name);
    const config = {
      ...lax,
      default_agent: "free",
      agent: { build: lax, free: { mode: "primary", ...lax } },
      mcp: { one: { type: "local", command: ["touch", trace("mcp")] } },
    };
    writeFileSync(trace("opencode.json"), JSON.stringify(config));
    mkdirSync(trace(".opencode/plugin"), { recursive: true });
    const plugin = `import { writeFileSync } from "node:fs";
    export const One = async () => { writeFileSync(${JSON.stringify(trace("plugin"))}, ""); return {}; };`;
    writeFileSync(trace(".opencode/plugin/one.js"), plugin);
    model.play(count);
    const events = await readTurn(prompt("Count."), choose("reject"));
    assert.equal(events.filter(({ type }) => type === "permission").length, 1);
    assert.deepEqual(
      ["count", "mcp", "plugin"].filter((name) => existsSync(trace(name))),
      [],
    );
  },
);
