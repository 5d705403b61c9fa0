// The state is one folder: stopped, copied with its modes and put elsewhere, another gateway goes on with it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { it } from "node:test";
import { cliRig } from "../fakes/cli-rig.ts";

it("goes on with a copy of its state, with its audit, its tasks and its secrets as closed as before", async (t) => {
  const [here, there] = [cliRig(t), cliRig(t)];
  const first = await here.start();
  assert.equal((await here.run(["secret", "set", "NAME"], "a secret")).code, 0);
  await here.run(["pair", "invite", "--name", "ana"]);
  assert.match((await here.run(["chat"], "list\n")).out, /> list/);
  assert.equal(await first.stop(), 0);

  const [from, to] = [here, there].map(({ state }) => dirname(state));
  assert.ok(from && to);
  const copy = join(from, "state.tar.gz");
  execFileSync("tar", ["--create", "--gzip", "--file", copy, "--directory", from, "state"], {
    stdio: "pipe",
  });
  mkdirSync(to, { recursive: true });
  const back = ["--extract", "--gzip", "--file", copy, "--directory", to];
  execFileSync("tar", [...back, "--same-owner", "--preserve-permissions"]);

  const modes = ["", "secrets", "secrets/NAME", "server.db"].map(
    (name) => statSync(join(there.state, name)).mode & 0o777,
  );
  assert.deepEqual(modes, [0o700, 0o700, 0o600, 0o600]);
  const second = await there.start();
  const tasks = (await there.json(["task", "list"])) as unknown[];
  assert.equal(tasks.length, 1);
  assert.match((await there.run(["audit", "list"])).out, /ana/);
  assert.match((await there.run(["secret", "list"])).out, /NAME/);
  assert.match((await there.run(["chat"], "list\n")).out, /> list/);
  assert.equal(await second.stop(), 0);
});
