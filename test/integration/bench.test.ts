// The bench still runs from end to end and prints what it is for; its numbers are not judged here.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const bench = fileURLToPath(new URL("../bench/run.ts", import.meta.url));

it("compares the gateway with its floor, and loses nothing over a SIGKILL", {
  skip: existsSync("/proc/self/smaps_rollup") ? false : "needs Linux's /proc",
}, async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [bench, "--quick"]);
  for (const measure of ["cold start", "round trip p50", "throughput", "CPU per 1000"])
    assert.match(stdout, new RegExp(`^${measure} +[\\d.]+ \\S+ +[\\d.]+ \\S+ +[\\d.]+ `, "m"));
  // Lost, run twice, answered twice (may be), out of order.
  assert.match(stdout, /^gateway, agent asks +0 +\d+ +\d+ +0 /m);
  assert.match(stdout, /^gateway, agent does not ask +0 +0 +\d+ +0 /m);
  assert.match(stdout, /^floor +\d/m);
  assert.match(stdout, /^50 a commit +\d/m);
});
