// The workspace agent's sessions: many at once, one turn at a time in each, loaded again after a restart.
import assert from "node:assert/strict";
import { join } from "node:path";
import { it } from "node:test";
import * as acp from "@agentclientprotocol/sdk";
import { deferred } from "../../src/agent/deferred.ts";
import { heardText, startWorkspace } from "./workspace-agent-client.ts";

const { session: methods } = acp.methods.agent;

it("works for several sessions at once, each in its own folder", async (t) => {
  const workspace = await startWorkspace(t);
  await workspace.say("run mkdir one two");
  const [one, two] = await Promise.all(
    ["one", "two"].map((name) => workspace.open(join(workspace.root, name))),
  );
  assert.ok(one && two);
  const first = workspace.prompt(one, "run until [ -e ../two/go ]; do sleep 0.02; done; pwd");
  const flood = workspace.say("run yes | head -c 50000000");
  const open = deferred<string>();
  workspace.answer = ({ toolCall }) => (toolCall.kind === "delete" ? open.promise : "allow_once");
  const asking = workspace.say("delete one");
  await workspace.prompt(two, "write go\nx");
  assert.match((await first).text, new RegExp(`${join(workspace.root, "one")}\n`));
  assert.match((await flood).text, /Exit code 0\.$/);
  await assert.rejects(
    workspace.prompt(one, "say 1").then(() => workspace.prompt("no such session", "say 1")),
  );
  open.resolve("reject_once");
  assert.match((await asking).text, /Denied/);
});

it("takes one turn at a time in a session, and cancels only that", async (t) => {
  const workspace = await startWorkspace(t);
  const session = await workspace.open();
  const other = await workspace.open();
  const started = heardText(workspace, /up/);
  const turn = workspace.prompt(session, "run echo up; sleep 600");
  await started;
  await assert.rejects(workspace.prompt(session, "say 2"), /a turn is running/);
  await workspace.cancel(other);
  assert.equal((await workspace.prompt(other, "say still here")).text, "still here");
  await workspace.cancel(session);
  assert.equal((await turn).stopReason, "cancelled");
});

it("loads a session of an earlier process as a fresh one in its folder", async (t) => {
  const workspace = await startWorkspace(t);
  const { agent } = workspace.connection;
  const sessionId = "from-before";
  await assert.rejects(workspace.prompt(sessionId, "list"));
  await agent.request(methods.load, { sessionId, cwd: workspace.root, mcpServers: [] });
  assert.match((await workspace.prompt(sessionId, "list")).text, /is empty/);
});

it("refuses a session without a folder", async (t) => {
  const workspace = await startWorkspace(t);
  for (const cwd of ["relative", join(workspace.root, "missing"), "/dev/null"]) {
    await assert.rejects(workspace.open(cwd), /absolute path of a folder/, cwd);
  }
});

it("forgets the oldest session when there are too many, but none that works", async (t) => {
  const workspace = await startWorkspace(t);
  const [busy, idle] = [await workspace.open(), await workspace.open()];
  const asked = deferred<void>();
  const answer = deferred<string>();
  workspace.answer = () => {
    asked.resolve();
    return answer.promise;
  };
  const turn = workspace.prompt(busy, "write a.txt\nx");
  await asked.promise;
  for (let count = 2; count <= 1000; count += 1) await workspace.open();
  await assert.rejects(workspace.prompt(idle, "say 1"), /not found/);
  answer.resolve("allow_once");
  assert.equal((await turn).text, "Created `a.txt`.");
});
