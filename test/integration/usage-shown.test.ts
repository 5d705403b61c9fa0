// What tasks used of the model, on the command line.
import assert from "node:assert/strict";
import { join } from "node:path";
import { it } from "node:test";
import { dayOf, noUsage } from "../../src/core/usage.ts";
import { openSqlite } from "../../src/store/sqlite.ts";
import { addTask } from "../../src/store/tasks.ts";
import { addUsage } from "../../src/store/usage.ts";
import { cliRig } from "../fakes/cli-rig.ts";

it("prints what a task and its caller used, and gives it as JSON with each task", async (t) => {
  const cli = cliRig(t);
  assert.equal((await cli.run(["task", "list"])).code, 0);
  const store = openSqlite(join(cli.state, "server.db"));
  const now = Date.now();
  const day = dayOf(now);
  const counted = { ...noUsage, requests: 2, bytesIn: 900, inputTokens: 12_000, outputTokens: 345 };
  const guessed = { ...noUsage, requests: 1, uncounted: 1, guessedTokens: 55 };
  await store.run(function* () {
    for (const [id, caller] of [
      ["taskone1", "p:ana"],
      ["tasktwo2", "a:telegram:7"],
    ] as const)
      yield* addTask({ id, conversation: "c", caller, callerName: "n", title: "do it", at: now });
    yield* addUsage({ day: day - 86_400_000, caller: "p:ana", task: "taskone1" }, counted);
    yield* addUsage({ day, caller: "p:ana", task: "taskone1" }, guessed);
    yield* addUsage({ day, caller: "p:ana", task: "gone" }, counted);
  });
  await store.close();
  const shown = await cli.run(["task", "show", "taskone1"]);
  assert.match(
    shown.out,
    /^used +12,400 tokens in 3 requests to the model, 1 of them guessed by size$/m,
  );
  assert.match(shown.out, /^today +12,400 tokens in 3 requests.*, all tasks of this caller$/m);
  const other = await cli.run(["task", "show", "tasktwo2"]);
  assert.doesNotMatch(other.out, /tokens/);
  const rows = (await cli.json(["task", "list"])) as {
    id: string;
    usage: typeof noUsage;
    callerToday: typeof noUsage;
  }[];
  const one = rows.find(({ id }) => id === "taskone1");
  assert.deepEqual([one?.usage.inputTokens, one?.usage.guessedTokens], [12_000, 55]);
  assert.equal(one?.callerToday.requests, 3);
  const two = rows.find(({ id }) => id === "tasktwo2");
  assert.deepEqual([two?.usage, two?.callerToday], [noUsage, noUsage]);
});
