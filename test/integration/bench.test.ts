// The bench still runs from end to end on every platform and prints what it is for; its numbers are not judged here.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const bench = fileURLToPath(new URL("../bench/run.ts", import.meta.url));
const skip = existsSync("/proc/self/smaps_rollup") ? false : "needs Linux's /proc";

for (const platform of ["telegram", "discord", "slack"])
  it(`compares the gateway with its floor on ${platform}, and loses nothing over a SIGKILL`, {
    skip,
  }, async () => {
    const args = [bench, "--quick", "--platform", platform];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    assert.match(stdout, new RegExp(`^${platform}: 5 chats, medians of 1 rounds`, "m"));
    for (const measure of ["cold start", "round trip p50", "throughput", "CPU per 1000"])
      assert.match(stdout, new RegExp(`^${measure} +[\\d.]+ \\S+ +[\\d.]+ \\S+ +[\\d.]+ `, "m"));
    // Lost, run twice, answered twice (may be; on Discord a repeated send is no second message), out of order.
    const twice = platform === "discord" ? "0" : "\\d+";
    assert.match(stdout, new RegExp(`^gateway, agent asks +0 +\\d+ +${twice} +0 `, "m"));
    assert.match(stdout, new RegExp(`^gateway, agent does not ask +0 +0 +${twice} +0 `, "m"));
    assert.match(stdout, /^floor +\d/m);
    assert.match(stdout, /^50 a commit +\d/m);
  });

it("names the platforms that there are when it is asked for another", async () => {
  const run = promisify(execFile)(process.execPath, [bench, "--platform", "pigeon"]);
  await assert.rejects(run, /There is no platform pigeon.*telegram, discord, slack/);
});
