// The bench of the docker sandbox still runs from end to end; its numbers are not judged here.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { docker, withDocker } from "../fakes/docker-rig.ts";

const bench = fileURLToPath(new URL("../bench/docker.ts", import.meta.url));

it(
  "compares a container of the sandbox with a bare one, and leaves neither",
  withDocker,
  async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [bench, "--quick"]);
    for (const line of ["first byte, warm", "memory of its own, ready", "2 containers in turn"])
      assert.match(stdout, new RegExp(`^${line}.* [\\d.]+ \\w+ +[\\d.]+ \\w+ +[\\d.]+$`, "m"));
    const filters = { label: ["sallyport-bench"] };
    assert.deepEqual(await docker.listContainers({ all: true, filters }), []);
  },
);
