// What the real opencode does over a crash: what it replays, and what its model is told in a re-run. docs/adr/0012 is made of this.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { watch } from "node:fs/promises";
import { join } from "node:path";
import { it } from "node:test";
import type { AgentEvent } from "../../src/core/agent.ts";
import { procTable, psTable } from "../../src/sandbox/local/processes.ts";
import { choose, readTurn, sessionOf, textOf } from "../fakes/agent-rig.ts";
import type { ModelMessage } from "../fakes/model-server.ts";
import {
  noOpencode,
  type OpencodeRig,
  opencodeRig,
  type WireMessage,
  type WireUpdate,
} from "../fakes/opencode-rig.ts";

const options = { skip: noOpencode, timeout: 180_000 };
const count = { tool: "bash", input: { command: "echo ran >> count", description: "Count" } };
const hang = "echo ran >> count; echo $$ > pid; touch running; sleep 600";
const cutOff = {
  type: "failed",
  why: "The agent ended in the middle of its work (killed by SIGKILL).",
};
const ranOnce = "ran\n";

function readCount({ workspace }: OpencodeRig): string {
  const path = join(workspace, "count");
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

function plain(content: unknown): string {
  if (typeof content === "string") return content;
  const parts: unknown[] = Array.isArray(content) ? content : [content];
  return parts.map((part) => (part as { text?: string } | null)?.text ?? "").join("");
}

/** What the model is told, a line for each message but the system's. */
function told(messages: readonly ModelMessage[] | undefined): string[] {
  return (messages ?? []).flatMap(({ role, content, tool_calls: calls = [] }) => {
    const names = calls.map((call) => `calls ${call.function.name}`);
    return role === "system" ? [] : [[role, plain(content), ...names].filter(Boolean).join(" ")];
  });
}

function lineOf({ sessionUpdate, content, toolCallId, status }: WireUpdate): string {
  return [sessionUpdate, toolCallId ?? plain(content), status].filter(Boolean).join(" ");
}

/** The updates between our session/load and its answer, which ends the replay. */
function replayed(wire: readonly WireMessage[] = []): string[] {
  const load = wire.findIndex(({ method }) => method === "session/load");
  assert.notEqual(load, -1, "the session is loaded");
  const { id } = wire[load] ?? {};
  const end = wire.findIndex((m, index) => index > load && m.from === "agent" && m.id === id);
  return wire.slice(load, end).flatMap(({ params, method }) => {
    const update = method === "session/update" ? params?.update : undefined;
    // Sent on its own time, before the answer or after it.
    const isHistory = update && update.sessionUpdate !== "available_commands_update";
    return isHistory ? [lineOf(update)] : [];
  });
}

function callsIn(events: readonly AgentEvent[]): string[] {
  return [...new Set(events.flatMap((e) => (e.type === "tool" ? [e.call.id] : [])))];
}

it(
  "prompt sent: the prompt is in the history, unanswered, and a re-run puts it there twice",
  options,
  async (t) => {
    const rig = await opencodeRig(t);
    const { model } = rig;
    model.play({ text: "Hello." }, "stall");
    const session = sessionOf(await readTurn(rig.prompt("Say hello."))).id;
    void model.request(2).then(rig.kill);
    assert.deepEqual((await readTurn(rig.prompt("Count.", { session }))).at(-1), cutOff);

    model.play({ text: "Counted." });
    const again = await readTurn(rig.prompt("Count.", { session }));
    assert.deepEqual(sessionOf(again), { id: session, resumed: true });
    assert.deepEqual(replayed(rig.wires[1]), [
      "user_message_chunk Say hello.",
      "agent_message_chunk Hello.",
      "user_message_chunk Count.",
    ]);
    assert.equal(textOf(again), "Counted.", "nothing of the replay is in the answer");
    assert.deepEqual(told(model.asked[2]), [
      "user Say hello.",
      "assistant Hello.",
      "user Count.",
      "user Count.",
    ]);
    assert.equal(model.asked.length, 3, "loading alone asks the model nothing");
  },
);

it(
  "asked: the call is replayed as running, told as interrupted, and asked anew in a re-run",
  options,
  async (t) => {
    const rig = await opencodeRig(t);
    const { model } = rig;
    model.play(count);
    const first = await readTurn(rig.prompt("Count."), ({ type }) => {
      if (type === "permission") rig.kill();
    });
    assert.deepEqual(first.at(-1), cutOff);

    model.play(count, { text: "Counted." });
    const session = sessionOf(first).id;
    const again = await readTurn(rig.prompt("Count.", { session }), (event) => {
      if (event.type === "permission") assert.equal(readCount(rig), "", "nothing ran unasked");
      choose("once")(event);
    });
    assert.deepEqual(replayed(rig.wires[1]), [
      "user_message_chunk Count.",
      "tool_call call_1 pending",
      "tool_call_update call_1 in_progress",
    ]);
    assert.deepEqual(callsIn(again), ["call_2"], "the replayed call is not shown again");
    assert.deepEqual(told(model.asked[1]), [
      "user Count.",
      "assistant calls bash",
      "tool [Tool execution was interrupted]",
      "user Count.",
    ]);
    assert.equal(again.filter(({ type }) => type === "permission").length, 1);
    assert.equal(readCount(rig), ranOnce);
  },
);

it(
  "allowed and done: the call is replayed with its end, and the model is told its result",
  options,
  async (t) => {
    const rig = await opencodeRig(t);
    const { model } = rig;
    model.play(count, "stall");
    void model.request(2).then(rig.kill);
    const first = await readTurn(rig.prompt("Count."), choose("once"));
    assert.deepEqual(first.at(-1), cutOff);
    assert.equal(readCount(rig), ranOnce);

    model.play({ text: "It was counted before." });
    const again = await readTurn(rig.prompt("Count.", { session: sessionOf(first).id }));
    assert.deepEqual(replayed(rig.wires[1]), [
      "user_message_chunk Count.",
      "tool_call call_1 pending",
      "tool_call_update call_1 completed",
    ]);
    assert.deepEqual(callsIn(again), []);
    assert.equal(textOf(again), "It was counted before.");
    assert.deepEqual(told(model.asked[2]), [
      "user Count.",
      "assistant calls bash",
      "tool (no output)",
      "user Count.",
    ]);
    assert.equal(readCount(rig), ranOnce, "loading does not run it again");
  },
);

it(
  "allowed and running: what it did stays, what runs is ended, and the model is told no more than if it was only asked",
  options,
  async (t) => {
    const rig = await opencodeRig(t);
    const { model } = rig;
    model.play({ tool: "bash", input: { command: hang, description: "Count, then hang" } });
    const table = process.platform === "linux" ? procTable() : psTable();
    const shell = fileAppears(rig.workspace, "running", t.signal).then(async () => {
      const found = await table.find(Number(readFileSync(join(rig.workspace, "pid"), "utf8")));
      const agentGroup = rig.kill();
      assert.ok(found, "the shell ran");
      assert.notEqual(
        found.group,
        agentGroup,
        "the kill did not reach the shell, our clean-up must",
      );
      return found;
    });
    const first = await readTurn(rig.prompt("Count."), choose("once"));
    assert.deepEqual(first.at(-1), cutOff);
    const { pid, started } = await shell;
    assert.notEqual((await table.find(pid))?.started, started, "the shell is dead");

    model.play({ text: "I do not know." });
    const again = await readTurn(rig.prompt("Count.", { session: sessionOf(first).id }));
    assert.deepEqual(replayed(rig.wires[1]).slice(0, 3), [
      "user_message_chunk Count.",
      "tool_call call_1 pending",
      "tool_call_update call_1 in_progress",
    ]);
    assert.deepEqual(callsIn(again), []);
    assert.deepEqual(told(model.asked[1]), [
      "user Count.",
      "assistant calls bash",
      "tool [Tool execution was interrupted]",
      "user Count.",
    ]);
    assert.equal(readCount(rig), ranOnce, "loading does not run it again");
  },
);

async function fileAppears(folder: string, name: string, signal: AbortSignal): Promise<void> {
  for await (const { filename } of watch(folder, { signal })) if (filename === name) return;
}
