// The workspace agent stays in its workspace, and changes nothing that was not allowed or is not what was shown.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { promisify } from "node:util";
import { deferred } from "../../src/agent/deferred.ts";
import { openInside } from "../../src/agent/workspace/paths.ts";
import { startWorkspace, temporaryFolder, type Workspace } from "./workspace-agent-client.ts";

const pathCommands = (path: string) => [
  `read ${path}`,
  `send ${path}`,
  `list ${path}`,
  `write ${path}\nevil`,
  `append ${path}\nevil`,
  `delete ${path}`,
  `move "${path}" stolen.txt`,
  `move mine.txt "${path}"`,
];

async function withOutside(t: TestContext): Promise<{ workspace: Workspace; outside: string }> {
  const workspace = await startWorkspace(t);
  const outside = await temporaryFolder(t);
  await writeFile(join(outside, "secret.txt"), "secret");
  await writeFile(join(workspace.root, "mine.txt"), "mine");
  return { workspace, outside };
}

async function isUntouched(outside: string): Promise<void> {
  assert.deepEqual(await readdir(outside), ["secret.txt"]);
  assert.equal(await readFile(join(outside, "secret.txt"), "utf8"), "secret");
}

it("refuses paths that leave the workspace, with a sentence and no question", async (t) => {
  const { workspace, outside } = await withOutside(t);
  const paths = [
    "../secret.txt",
    "a/../../secret.txt",
    "..",
    join(outside, "secret.txt"),
    join(workspace.root, "mine.txt"),
    `${workspace.root}-evil/x`,
    "a\0b",
  ];
  for (const command of paths.flatMap(pathCommands)) {
    const reply = await workspace.say(command);
    assert.match(reply.text, /(stay inside|NUL).*Name a path from the top/, command);
    assert.deepEqual([reply.calls, reply.questions], [[], []], command);
  }
  await isUntouched(outside);
  assert.deepEqual(await readdir(workspace.root), ["mine.txt"]);
});

it("refuses links out of the workspace, to nowhere, and in circles", async (t) => {
  const { workspace, outside } = await withOutside(t);
  const link = (target: string, name: string) => symlink(target, join(workspace.root, name));
  await link(outside, "folder");
  await link(join(outside, "secret.txt"), "file");
  await link(join(outside, "new.txt"), "dangling");
  await link("round", "round");
  const neighbour = `${workspace.root}-evil`;
  await mkdir(neighbour);
  t.after(() => rm(neighbour, { recursive: true }));
  await writeFile(join(neighbour, "secret.txt"), "secret");
  await link(neighbour, "neighbour");
  const through = [
    "folder/secret.txt",
    "folder/new/deep.txt",
    "neighbour/secret.txt",
    "dangling/x",
    "round/x",
  ];
  const commands = [
    ...through.flatMap(pathCommands),
    ...["file", "folder", "dangling", "round"].flatMap((path) => [
      `read ${path}`,
      `list ${path}`,
      `write ${path}\nevil`,
      `append ${path}\nevil`,
      `move mine.txt ${path}`,
    ]),
  ];
  for (const command of commands) {
    const reply = await workspace.say(command);
    assert.match(reply.text, /is a link that leads out of the workspace or nowhere/, command);
    assert.deepEqual([reply.calls, reply.questions], [[], []], command);
  }
  assert.match((await workspace.say("search secret")).text, /I found no/);
  await isUntouched(outside);
});

it("deletes and moves a link itself, not what it leads to", async (t) => {
  const { workspace, outside } = await withOutside(t);
  await symlink(outside, join(workspace.root, "folder"));
  await symlink(join(outside, "secret.txt"), join(workspace.root, "file"));
  assert.equal((await workspace.say("delete folder")).text, "Deleted `folder`.");
  assert.equal((await workspace.say("move file renamed")).text, "Moved `file` to `renamed`.");
  assert.deepEqual((await readdir(workspace.root)).sort(), ["mine.txt", "renamed"]);
  await isUntouched(outside);
});

it("follows a link that stays inside, and shows where it leads", async (t) => {
  const { workspace } = await withOutside(t);
  await symlink("mine.txt", join(workspace.root, "link"));
  const reply = await workspace.say("write link\nnew");
  const [question] = reply.questions;
  assert.deepEqual(question?.toolCall.locations, [{ path: join(workspace.root, "mine.txt") }]);
  assert.equal(await workspace.text("mine.txt"), "new");
});

it("writes nothing where a link was put in while it asked", async (t) => {
  const { workspace, outside } = await withOutside(t);
  await mkdir(join(workspace.root, "deep"));
  const swaps: [string, () => Promise<void>][] = [
    ["write new.txt\nevil", () => symlink(join(outside, "x"), join(workspace.root, "new.txt"))],
    [
      "append mine.txt\nevil",
      async () => {
        await rm(join(workspace.root, "mine.txt"));
        await symlink(join(outside, "secret.txt"), join(workspace.root, "mine.txt"));
      },
    ],
    [
      "write deep/new.txt\nevil",
      async () => {
        await rename(join(workspace.root, "deep"), join(workspace.root, "was-deep"));
        await symlink(outside, join(workspace.root, "deep"));
      },
    ],
  ];
  for (const [command, swap] of swaps) {
    workspace.answer = async () => {
      await swap();
      return "allow_once";
    };
    const reply = await workspace.say(command);
    assert.match(reply.text, /changed while you were asked, so I wrote nothing/, command);
    assert.equal(reply.calls[0]?.status, "failed");
  }
  await isUntouched(outside);
});

it("opens nothing through a link that was put in between looking and opening", async (t) => {
  const { workspace, outside } = await withOutside(t);
  await symlink(outside, join(workspace.root, "folder"));
  await symlink(join(outside, "secret.txt"), join(workspace.root, "file"));
  for (const path of ["folder/secret.txt", "file"]) {
    assert.equal(await openInside(join(workspace.root, path), constants.O_RDWR), null, path);
  }
  const opened = await openInside(join(workspace.root, "mine.txt"), constants.O_RDONLY);
  assert.ok(opened);
  await opened.close();
});

it("changes nothing when what was shown is not what is there any more", async (t) => {
  const { workspace } = await withOutside(t);
  const path = join(workspace.root, "mine.txt");
  const commands = ["write mine.txt\nnew", "append mine.txt\nnew", "delete mine.txt"];
  for (const [index, command] of [...commands, "move mine.txt x.txt"].entries()) {
    const meanwhile = `somebody else ${"!".repeat(index)}`;
    workspace.answer = async () => {
      await writeFile(path, meanwhile);
      return "allow_once";
    };
    const reply = await workspace.say(command);
    assert.match(reply.text, /changed while you were asked/, command);
    assert.equal(reply.calls[0]?.status, "failed");
    assert.equal(await workspace.text("mine.txt"), meanwhile);
  }
  const target = join(workspace.root, "new.txt");
  for (const command of ["write new.txt\nnew", "move mine.txt new.txt"]) {
    await rm(target, { force: true });
    workspace.answer = async () => {
      await writeFile(target, "first");
      return "allow_once";
    };
    assert.match((await workspace.say(command)).text, /`new.txt` changed while/, command);
    assert.equal(await workspace.text("new.txt"), "first");
  }
});

it("changes nothing when it is denied, or answered with an option it did not offer", async (t) => {
  const { workspace } = await withOutside(t);
  const commands = ["write mine.txt\nnew", "append mine.txt\nnew", "delete mine.txt"];
  for (const answer of ["reject_once", "allow", "ALLOW_ONCE", "", "allow_once "]) {
    workspace.answer = () => answer;
    for (const command of [...commands, "move mine.txt x", "run rm mine.txt"]) {
      const reply = await workspace.say(command);
      assert.match(reply.text, /^Denied: nothing was (changed|run)\.$/, command);
      assert.equal(reply.stopReason, "end_turn");
      assert.equal(reply.calls[0]?.status, "failed");
    }
  }
  assert.deepEqual(await readdir(workspace.root), ["mine.txt"]);
  assert.equal(await workspace.text("mine.txt"), "mine");
});

it("changes nothing when the client cannot ask", async (t) => {
  const { workspace } = await withOutside(t);
  workspace.answer = () => Promise.reject(new Error("nobody there"));
  assert.equal((await workspace.say("delete mine.txt")).text, "Denied: nothing was changed.");
  assert.equal(await workspace.text("mine.txt"), "mine");
});

it("ends the turn as cancelled when the question is dropped", async (t) => {
  const { workspace } = await withOutside(t);
  workspace.answer = () => "cancelled";
  const reply = await workspace.say("delete mine.txt");
  assert.equal(reply.stopReason, "cancelled");
  assert.equal(reply.text, "Stopped: nothing was changed.");
  assert.equal(await workspace.text("mine.txt"), "mine");
});

it("stops at once while a question is open, and a late yes changes nothing", async (t) => {
  const { workspace } = await withOutside(t);
  const session = await workspace.open();
  const late = deferred<string>();
  workspace.answer = () => {
    void workspace.cancel(session);
    return late.promise;
  };
  const reply = await workspace.prompt(session, "delete mine.txt");
  assert.equal(reply.stopReason, "cancelled");
  assert.equal(reply.calls[0]?.status, "failed");
  late.resolve("allow_once");
  assert.match((await workspace.prompt(session, "list")).text, /mine\.txt/);
});

it("stops a turn that is cancelled in the same breath", async (t) => {
  const { workspace } = await withOutside(t);
  const session = await workspace.open();
  const turn = workspace.prompt(session, "delete mine.txt");
  await workspace.cancel(session);
  assert.equal((await turn).stopReason, "cancelled");
  assert.equal(await workspace.text("mine.txt"), "mine");
});

it("refuses changes that it could not show", async (t) => {
  const { workspace } = await withOutside(t);
  await writeFile(join(workspace.root, "bin"), Buffer.from([0, 1]));
  await writeFile(join(workspace.root, "big"), "x".repeat(600_000));
  await mkdir(join(workspace.root, "folder"));
  await promisify(execFile)("mkfifo", [join(workspace.root, "pipe")]);
  assert.match((await workspace.say("write bin\nx")).text, /not a text file/);
  assert.match((await workspace.say("append big\nx")).text, /larger than/);
  assert.match((await workspace.say(`write new\n${"x".repeat(600_000)}`)).text, /too much to show/);
  assert.match((await workspace.say("write folder\nx")).text, /not an ordinary file/);
  assert.match((await workspace.say("write pipe\nx")).text, /not an ordinary file/);
  assert.match((await workspace.say("read pipe")).text, /not an ordinary file/);
  assert.match((await workspace.say("write mine.txt/x\nx")).text, /not a folder/);
  assert.match((await workspace.say("write mine.txt")).text, /Say which file/);
  assert.match((await workspace.say("delete .")).text, /the workspace itself/);
  assert.match(
    (await workspace.say(`write ${"n".repeat(300)}\nx`)).text,
    /did not work: `ENAMETOOLONG: name too long`/,
  );
});
