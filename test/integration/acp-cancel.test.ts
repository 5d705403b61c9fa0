// Cancelling a prompt: the agent ends it, or is ended.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { agentRig, readTurn, textOf } from "../fakes/agent-rig.ts";

const cancelled = { type: "end", reason: "cancelled" };

it("answers an open permission request as cancelled and ends as cancelled", async (t) => {
  const rig = agentRig(t);
  const stop = new AbortController();
  const file = join(rig.folder, "effects");
  const signals: AbortSignal[] = [];
  const events = await readTurn(rig.prompt(`do ${file}`, { signal: stop.signal }), (event) => {
    if (event.type !== "permission") return;
    signals.push(event.signal);
    stop.abort();
    event.answer({ optionId: "once" });
  });
  assert.deepEqual(events.at(-1), cancelled);
  assert.equal(textOf(events), "answer: cancelled\n");
  assert.equal(signals[0]?.aborted, true);
  assert.equal(existsSync(file), false);
});

it("takes what the agent says after a cancel as part of the same turn", async (t) => {
  const rig = agentRig(t);
  const stop = new AbortController();
  const events = await readTurn(
    rig.prompt("begun, \naftercancel nearly finished", { signal: stop.signal }),
    (event) => event.type === "text" && stop.abort(),
  );
  assert.equal(textOf(events), "begun, nearly finished");
  assert.deepEqual(events.at(-1), cancelled);
  assert.equal(textOf(await readTurn(rig.prompt("next"))), "next");
  assert.equal(rig.processes.length, 1);
});

it("ends the process of an agent that ignores the cancel", async (t) => {
  const rig = agentRig(t, { limits: { cancelMs: 300 } });
  const stop = new AbortController();
  const events = await readTurn(
    rig.prompt(`ignorecancel\nworking\nstall ${join(rig.folder, "never")}`, {
      signal: stop.signal,
    }),
    (event) => event.type === "text" && stop.abort(),
  );
  assert.deepEqual(events.at(-1), cancelled);
  assert.equal((await rig.processes[0]?.ended)?.signal, "SIGTERM");
  assert.equal(textOf(await readTurn(rig.prompt("next"))), "next");
});

it("sends nothing for a prompt that is cancelled before the agent is ready", async (t) => {
  const rig = agentRig(t);
  const file = join(rig.folder, "effects");
  const stop = new AbortController();
  const turn = readTurn(rig.prompt(`sneak ${file}`, { signal: stop.signal }));
  stop.abort();
  assert.deepEqual(await turn, [cancelled]);
  assert.equal(textOf(await readTurn(rig.prompt("next"))), "next");
  assert.equal(existsSync(file), false);
});

it("cancels the prompt of a reader who leaves", async (t) => {
  const rig = agentRig(t);
  const gone = join(rig.folder, "gone");
  for await (const event of rig.prompt(`hang\ntouch ${gone}`)) if (event.type === "session") break;
  assert.equal(textOf(await readTurn(rig.prompt("next"))), "next");
  assert.equal(existsSync(gone), false);
});
