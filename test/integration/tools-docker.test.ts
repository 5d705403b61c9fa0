// Files out of a real container: as its agent may read them, from workspace and home, and from nowhere else.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { it } from "node:test";
import { promisify } from "node:util";
import { dockerAt } from "../../src/sandbox/docker/engine.ts";
import { readFileInside } from "../../src/sandbox/docker/read-file.ts";
import { temporaryFolder } from "../fakes/agent-rig.ts";
import { dockerRig, shell, withDocker } from "../fakes/docker-rig.ts";
import { containerTools } from "../fakes/tools-docker.ts";

it("sends what lies in workspace and home, whatever its name", withDocker, async (t) => {
  const { sendFile, sent } = await containerTools(
    t,
    `printf one > /workspace/a.txt; mkdir /workspace/out; printf two > "/workspace/out/it's \\$(odd) *.txt"
     printf three > /home/agent/notes.md; printf four > /workspace/-n
     ln -s out/../a.txt /workspace/link; head -c 1000000 /dev/urandom > /workspace/big.bin
     sha256sum < /workspace/big.bin | head -c 64 > /workspace/big.sum`,
  );
  for (const path of [
    "a.txt",
    "/workspace/out/it's $(odd) *.txt",
    "/home/agent/notes.md",
    "-n",
    "link",
    "../home/agent/notes.md",
    "big.bin",
    "big.sum",
  ])
    assert.doesNotMatch(await sendFile(path), /^failed/, path);
  const texts = sent.map(({ bytes }) => (bytes.length > 100 ? "" : Buffer.from(bytes).toString()));
  assert.deepEqual(texts.slice(0, 6), ["one", "two", "three", "four", "one", "three"]);
  const { createHash } = await import("node:crypto");
  const sum = createHash("sha256")
    .update(sent[6]?.bytes ?? "")
    .digest("hex");
  assert.equal(sum, texts[7]);
});

it("refuses every way out of them, with a sentence that helps", withDocker, async (t) => {
  const { rig, sendFile, sent } = await containerTools(
    t,
    `cd /workspace; ln -s /etc/passwd passwd; ln -s /proc/self/environ environ; ln -s .. up; ln -s loop loop
     mkdir folder; printf x > closed; chmod 0 closed; ln -s /dev/zero zero
     mkdir /tmp/workspace`,
  );
  await promisify(execFile)("mkfifo", ["-m", "666", join(rig.workspace, "pipe")]);
  writeFileSync(join(rig.workspace, "huge"), "");
  truncateSync(join(rig.workspace, "huge"), 3e9);
  const expected: readonly [string, RegExp][] = [
    ["passwd", /leads out of the workspace \(\/workspace\) and your home/],
    ["/etc/passwd", /leads out of/],
    ["environ", /leads out of/],
    ["/proc/self/environ", /leads out of/],
    ["up/etc/passwd", /leads out of/],
    ["../workspace2", /leads out of/],
    ["/workspace/../workspacesecret/x", /There is no file/],
    ["/tmp/workspace", /leads out of/],
    ["zero", /leads out of/],
    ["/run/sallyport/tools.sock", /leads out of/],
    ["loop", /There is no file/],
    ["missing.txt", /There is no file "missing\.txt"/],
    ["pipe", /is not a regular file/],
    ["folder", /is a folder/],
    ["/workspace", /is a folder/],
    ["huge", /is larger than 20 MB/],
    ["closed", /You may not read/],
    ["a\0b", /not a path/],
    ["x".repeat(4096), /There is no file/],
  ];
  for (const [path, sentence] of expected) {
    const answer = await sendFile(path);
    assert.match(answer, /^failed: /, path);
    assert.match(answer, sentence, path);
  }
  assert.deepEqual(sent, []);
  assert.doesNotMatch(rig.log.lines.join("\n"), /A tool failed/);
});

it("reads in the container of its own scope only, while one runs", withDocker, async (t) => {
  const rig = dockerRig(t);
  const read = (key: string) => rig.sandbox.readFile(key, "/home/agent/mine", 100);
  assert.match(String(await read("p-1")), /^The sandbox does not run/);
  for (const key of ["p-1", "p-2"])
    await rig.sandbox.spawn(rig.scope(key), shell(`printf ${key} > ~/mine; sleep 600`));
  for (const key of ["p-1", "p-2"]) {
    let found = await read(key);
    while (typeof found === "string") found = await read(key);
    assert.equal(Buffer.from(found).toString(), key);
  }
  assert.equal(await read("p-3"), "The sandbox does not run, so nothing can be read in it.");
  assert.match(
    String(await rig.sandbox.readFile("p-1", "/home/agent/mine", 2)),
    /is larger than 0.000002 MB/,
  );
});

it("gives up in time when Docker does not answer", async (t) => {
  const path = join(temporaryFolder(t), "docker.sock");
  const server = createServer(() => {}).listen(path);
  t.after(() => server.close());
  const wish = { docker: dockerAt(path), stateHash: "x", scopeKey: "p-1", path: "a", mostBytes: 9 };
  const found = await readFileInside({ ...wish, withinMs: 200 });
  assert.equal(found, '"a" could not be read in 0.2 seconds.');
});
