// Budgets of the model in the whole middle: what is counted and shown, and how a turn that goes over ends.
import assert from "node:assert/strict";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { identify } from "../../src/access/identify.ts";
import type { SandboxScope } from "../../src/core/sandbox.ts";
import { listAudit } from "../../src/store/audit.ts";
import { listTasks, type Task } from "../../src/store/tasks.ts";
import type { Desk } from "../fakes/desk.ts";
import { type Spine, startSpine } from "../fakes/spine.ts";

interface Model {
  readonly scope: SandboxScope;
  /** A request to the model: refused, or answered with this many tokens. */
  ask(tokens: number): string | undefined;
}

/** As the proxy does it for the sandbox of this account. */
async function modelOf({ gateway, store }: Spine, account: string): Promise<Model> {
  const caller = await store.run(() => identify({ listener: "desk", account, name: "" }));
  const scope = gateway.ports.scopeOf({ caller, conversation: { id: "", caller: caller.id } });
  const { meter } = gateway.ports;
  return {
    scope,
    ask(tokens) {
      const refused = meter.overBudget(scope);
      if (refused) return refused;
      const counts = { inputTokens: tokens - 1, outputTokens: 1 };
      meter.note({ scope, bytesIn: 100, bytesOut: 100, ...counts, complete: true });
      return undefined;
    },
  };
}

async function taskNamed({ store }: Spine, start: string): Promise<Task> {
  const found = (await store.run(() => listTasks(20))).find(({ title }) => title.startsWith(start));
  assert.ok(found, start);
  return found;
}

/** The agent is at work: it makes this file. */
async function there(path: string): Promise<void> {
  for (let look = 0; !existsSync(path); look += 1) {
    assert.ok(look < 2000, `${path} is not there`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** The answer to a command that is sent now. */
async function answerTo(desk: Desk, command: string, pattern: RegExp): Promise<string> {
  const before = desk.see().length;
  await desk.say("1", command);
  for (;;) {
    await desk.until(pattern);
    const answer = desk.see().slice(before).at(-1);
    if (answer && pattern.test(answer)) return answer;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

it("shows what tasks and their caller used, over a restart", async (t) => {
  const first = await startSpine(t, {
    settings: { tokens: { task: 0, caller: 9000, unpaired: 0 } },
  });
  await first.join("1", "ana");
  const model = await modelOf(first, "1");
  const begun = join(first.workspace, "begun");
  await first.desk.say("1", `say something\ntouch ${begun}\nhang`);
  await there(begun);
  model.ask(1200);
  model.ask(34);
  assert.match(
    await answerTo(first.desk, "/status", /Agent:/),
    /at work \(`\S+`, \d+ s, 1,234 tokens in 2 requests to the model\)[\s\S]*You today: 1,234 tokens in 2 requests to the model, of 9,000 tokens in a day\./,
  );
  await first.stop();
  rmSync(begun);
  const second = await startSpine(t, { folder: first.folder, desk: first.desk });
  await there(begun);
  (await modelOf(second, "1")).ask(6);
  assert.match(
    await answerTo(second.desk, "/status", /1,240/),
    /at work \(`\S+`, \d+ s, 1,240 tokens in 3 requests.*[\s\S]*You today: 1,240 tokens in 3 requests to the model\./,
  );
});

it("counts for each of several tasks at once, and tells nobody what others use", async (t) => {
  const spine = await startSpine(t);
  const { desk, workspace, join: pair } = spine;
  await pair("1", "ana", "authenticated");
  await pair("2", "bob", "authenticated");
  const gate = join(workspace, "gate");
  for (const account of ["1", "2"]) {
    await desk.say(account, `begun\nstall ${gate}`);
    await desk.until(/begun/, account);
    (await modelOf(spine, account)).ask(Number(account) * 1000);
  }
  const status = await answerTo(desk, "/status", /Agent:/);
  assert.match(status, /1,000 tokens in 1 request to the model\)/);
  assert.doesNotMatch(status, /2,000/);
  writeFileSync(gate, "");
});

it("stops a runaway task once, with one message that says what the owner can do", async (t) => {
  const spine = await startSpine(t, {
    settings: { tokens: { task: 50_000, caller: 0, unpaired: 0 } },
  });
  const { desk, workspace, store, join: pair } = spine;
  await pair("1", "ana");
  const model = await modelOf(spine, "1");
  await desk.say("1", `working\ndo ${join(workspace, "n.txt")}\nhang`);
  await desk.until(/Create n\.txt/);
  let asked = 0;
  while (!model.ask(9000)) asked += 1;
  for (let n = 0; n < 20; n += 1)
    assert.match(model.ask(9000) ?? "", /This task has used its 50,000 tokens/);
  assert.equal(asked, 6);
  await desk.until(
    /working[\s\S]*⏹ This task has used its 50,000 tokens\. The owner can allow more: `sallyport config set budgets\.tokens\.task N`/,
  );
  // What it asked is no question any more.
  await desk.until(/⌛/);
  await desk.say("1", "still there?");
  await desk.until(/still there/);
  assert.equal(desk.see().filter((text) => /50,000/.test(text)).length, 1);
  const task = await taskNamed(spine, "working");
  assert.equal(task.state, "failed");
  assert.match(task.reason ?? "", /used its 50,000 tokens/);
  const rows = await store.run(() => listAudit(20, { action: "model" }));
  assert.deepEqual(
    rows.map(({ name, target, outcome }) => [name, target, outcome]),
    [["ana", task.id, "refused"]],
  );
  assert.equal(model.ask(9000), undefined);
});

it("tells it as well when the agent gives up by itself before it is stopped", async (t) => {
  const spine = await startSpine(t, { settings: { tokens: { task: 10, caller: 0, unpaired: 0 } } });
  const { desk, workspace, join: pair } = spine;
  await pair("1", "ana");
  const model = await modelOf(spine, "1");
  const gate = join(workspace, "gate");
  await desk.say("1", `begun\nignorecancel\nstall ${gate}\nerror API Error: no tokens`);
  await desk.until(/begun/);
  model.ask(10);
  assert.ok(model.ask(10));
  writeFileSync(gate, "");
  await desk.until(/⏹ This task has used its 10 tokens/);
  assert.equal((await taskNamed(spine, "begun")).state, "failed");
});

it("cuts people it does not know at 200,000 tokens a day together, and starts nothing more for them", async (t) => {
  const spine = await startSpine(t, { settings: { public: "anyone" } });
  const { desk, store, join: pair } = spine;
  await pair("1", "ana");
  await desk.say("7", "from seven\nhang");
  await desk.until(/from seven/, "7");
  const strangers = await modelOf(spine, "7");
  assert.equal(strangers.scope.key, "anonymous");
  strangers.ask(199_999);
  assert.equal(strangers.ask(1), undefined);
  assert.ok(strangers.ask(1));
  await desk.until(/⏹ People I do not know have used the 200,000 tokens/, "7");
  await desk.say("8", "from eight");
  await desk.until(/People I do not know have used the 200,000 tokens/, "8");
  assert.equal((await store.run(() => listTasks(5))).length, 1);
  const rows = await store.run(() => listAudit(20, { outcome: "refused" }));
  assert.deepEqual(
    rows.map(({ who, action, why }) => [who, action, why]),
    [
      ["a:desk:8", "message", "budget"],
      ["a:desk:7", "model", "budgets.tokens.unpaired is 200000"],
    ],
  );
  await desk.say("1", "unharmed");
  await desk.until(/unharmed/);
});

it("goes on with a task over a restart with what it had used before", async (t) => {
  const settings = { tokens: { task: 100, caller: 0, unpaired: 0 } };
  const first = await startSpine(t, { settings });
  await first.join("1", "ana");
  const begun = join(first.workspace, "begun");
  await first.desk.say("1", `touch ${begun}\nhang`);
  await there(begun);
  (await modelOf(first, "1")).ask(99);
  await first.stop();
  rmSync(begun);
  const second = await startSpine(t, { settings, folder: first.folder, desk: first.desk });
  await there(begun);
  const model = await modelOf(second, "1");
  assert.equal(model.ask(1), undefined);
  assert.match(model.ask(1) ?? "", /used its 100 tokens/);
  await second.desk.until(/⏹ This task/);
});
