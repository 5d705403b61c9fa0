// The bench of the guard still runs from end to end; its numbers are not judged here.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const bench = fileURLToPath(new URL("../bench/http.ts", import.meta.url));

it("compares a POST through the guard with a bare echo", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [bench, "--quick"]);
  assert.match(stdout, /^requests a second +[\d.]+ +[\d.]+ +[\d.]+$/m);
  assert.match(stdout, /^CPU µs a request +[\d.]+ +[\d.]+ +[\d.]+$/m);
});
