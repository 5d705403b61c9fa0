// The one play that every real agent goes through in its container, whatever lies in project and home.
import assert from "node:assert/strict";
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import type { AgentEvent } from "../../src/core/agent.ts";
import type { KnownAgentName } from "../../src/core/known-agents.ts";
import { readTurn, sessionOf, textOf } from "./agent-rig.ts";
import { type AgentsBox, boxedAgent, ourTool } from "./agents-box.ts";
import { plantedVariable, plantingScript, plants, tracePrefix } from "./agents-plants.ts";
import { commandStep, decide, permissionsIn, realKey } from "./agents-rig.ts";

/** All that the processes inside have in their environments. */
const tellAll = "env; cat /proc/[0-9]*/environ | tr '\\0' '\\n'";
const plantAndTell = `sh plant.sh; echo ran >> count; ${tellAll}`;

function put(root: string, path: string, text: string): void {
  const { uid, gid } = statSync(root);
  const parts = dirname(path).split("/");
  for (const at of parts.keys()) {
    const folder = join(root, ...parts.slice(0, at + 1));
    if (existsSync(folder)) continue;
    mkdirSync(folder);
    chownSync(folder, uid, gid);
  }
  writeFileSync(join(root, path), text);
  chownSync(join(root, path), uid, gid);
}

function plant(name: KnownAgentName, where: "project" | "home", root: string): void {
  for (const [path, text] of Object.entries(plants[name]))
    if (path.startsWith(`${where}/`)) put(root, path.slice(where.length + 1), text);
}

/** The one question of a turn, checked. */
function questionIn(events: readonly AgentEvent[], command: string) {
  const [question, ...more] = permissionsIn(events);
  assert.ok(question, `it asks; instead: ${JSON.stringify(events.at(-1))}`);
  assert.deepEqual(more, [], "it asks once");
  assert.equal(question.call.kind, "execute");
  assert.equal(question.call.command ?? question.call.title, command);
  const kinds = question.options.map(({ kind }) => kind);
  assert.ok(kinds.includes("allow_once") && kinds.includes("reject_once"), kinds.join(", "));
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
  );
}

function checkKeys({ model, workspace, home }: AgentsBox): void {
  assert.deepEqual([...model.keys], [realKey], "the model gets the real key and no other");
  const told = JSON.stringify(model.asked.map(({ body }) => body));
  assert.match(told, /sallyport-[0-9a-f]{48}/, "inside there is a placeholder");
  assert.ok(!told.includes(realKey), "no process inside has the real key");
  for (const file of [...filesBelow(workspace), ...filesBelow(home)])
    assert.ok(!readFileSync(file).includes(realKey), `the real key is in ${file}`);
}

function checkNothingRan({ model, workspace }: AgentsBox): void {
  const traces = readdirSync(workspace).filter((name) => name.startsWith(tracePrefix));
  assert.deepEqual(traces, [], "nothing of what was planted ran");
  const told = JSON.stringify(model.asked.map(({ body }) => body));
  assert.ok(!told.includes(`${plantedVariable}=`), "nothing planted is in an environment");
}

export interface PlayOptions {
  /** Before the session is continued by a new process. */
  readonly between?: (box: AgentsBox) => void;
}

/** Two containers, one after the other, with the same home. */
export async function playInBox(t: TestContext, name: KnownAgentName, options: PlayOptions = {}) {
  const box = await boxedAgent(t, name);
  const { model, workspace } = box;
  plant(name, "project", workspace);
  put(workspace, "plant.sh", plantingScript(name));

  model.play(commandStep[name](plantAndTell), { text: "Counted." });
  const first = await readTurn(box.prompt("Count."), decide("allow_once"));
  questionIn(first, plantAndTell);
  assert.match(textOf(first), /Counted\.$/);
  const count = join(workspace, "count");
  assert.equal(readFileSync(count, "utf8"), "ran\n");
  assert.equal(statSync(count).uid, statSync(workspace).uid, "the file is the project owner's");
  assert.ok(existsSync(join(box.home, "planted")), "the home was planted");

  await box.end();
  // Once more, with nothing in the way and nobody who writes it anew when it ends.
  plant(name, "home", box.home);
  options.between?.(box);
  const again = "echo again >> count";
  model.play(commandStep[name](again), { text: "Not counted." });
  const second = await readTurn(box.prompt("Again.", sessionOf(first).id), decide("reject_once"));
  assert.deepEqual(sessionOf(second), { id: sessionOf(first).id, resumed: true });
  questionIn(second, again);
  assert.match(JSON.stringify(model.asked.at(-1)?.body), /Count\./, "it knows what was before");

  model.play(commandStep[name](again), { text: "Not counted." });
  const third = await readTurn(box.prompt("Once more."), decide("reject_once"));
  assert.equal(sessionOf(third).resumed, false);
  questionIn(third, again);
  assert.equal(readFileSync(count, "utf8"), "ran\n", "what was refused did not run");
  assert.ok(JSON.stringify(model.asked.at(-1)?.body).includes(ourTool), "it has our tools");
  checkKeys(box);
  checkNothingRan(box);
  assert.deepEqual(model.strange, []);
}
