// The disk that holds the state is full: answers are late, not lost, and whoever writes then is heard later.
import assert from "node:assert/strict";
import { closeSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { listTasks } from "../../src/store/tasks.ts";
import { temporaryFolder } from "../fakes/agent-rig.ts";
import { mountSmallDisk, smallDisk } from "../fakes/small-disk.ts";
import { startSpine } from "../fakes/spine.ts";

/** To the last byte. */
function fill(path: string): void {
  const file = openSync(path, "w");
  for (const bytes of [1_000_000, 4096, 1]) {
    const piece = Buffer.alloc(bytes);
    try {
      for (;;) writeSync(file, piece);
    } catch (error) {
      assert.match(String(error), /ENOSPC/);
    }
  }
  closeSync(file);
}

it("posts an answer once there is room again, and takes no message that it cannot keep", {
  skip: smallDisk.skip,
  timeout: 30_000,
}, async (t) => {
  const disk = mountSmallDisk(t);
  const outside = temporaryFolder(t);
  const { desk, store, stop, log, join: pair } = await startSpine(t, { folder: disk.place });
  disk.ends.push(stop);
  await pair("1", "ana");
  const gate = join(outside, "gate");
  await desk.say("1", `begun\nstall ${gate}\nand the end`);
  await desk.until(/begun/);
  const big = join(disk.place, "big");
  fill(big);
  writeFileSync(gate, "");
  while (!log.lines.some((line) => /The disk is full: answers wait/.test(line)))
    await new Promise((resolve) => setTimeout(resolve, 10));
  // Not acknowledged: its platform sends it again.
  await assert.rejects(desk.say("1", "second"), /full/);
  rmSync(big);
  await desk.until(/begun[\s\S]*and the end/);
  await desk.say("1", "third");
  await desk.until(/^third/);
  const tasks = await store.run(() => listTasks(10));
  assert.deepEqual(
    tasks.map(({ state }) => state),
    ["completed", "completed"],
  );
});
