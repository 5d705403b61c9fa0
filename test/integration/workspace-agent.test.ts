// The workspace agent does what its commands say, and asks before it changes anything.
import assert from "node:assert/strict";
import { chmod, mkdir, readdir, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { it } from "node:test";
import { type Reply, startWorkspace } from "./workspace-agent-client.ts";

function onlyCall(reply: Reply) {
  assert.equal(reply.calls.length, 1);
  const [call] = reply.calls;
  assert.ok(call);
  return call;
}

it("says what it is and what it can take", async (t) => {
  const { initialized } = await startWorkspace(t);
  assert.equal(initialized.protocolVersion, 1);
  assert.equal(initialized.agentInfo?.name, "workspace");
  assert.equal(initialized.agentCapabilities?.loadSession, true);
});

it("tells what it can do for help and for anything it does not know", async (t) => {
  const workspace = await startWorkspace(t);
  for (const text of ["help", "HELP me", "what is the weather?", "constructor", "", "\n"]) {
    const reply = await workspace.say(text);
    assert.match(reply.text, /`list`[\s\S]*`read [\s\S]*`write [\s\S]*`run /, text);
    assert.equal(reply.stopReason, "end_turn");
    assert.deepEqual(reply.calls, []);
  }
});

it("answers with exactly what it was told to say", async (t) => {
  const workspace = await startWorkspace(t);
  assert.equal((await workspace.say("say **hi**  \n\n- a\n ")).text, "**hi**  \n\n- a\n ");
  assert.equal((await workspace.say("SAY\n```\nx\n```")).text, "```\nx\n```");
});

it("lists a folder without asking", async (t) => {
  const workspace = await startWorkspace(t);
  await mkdir(join(workspace.root, "notes"));
  await writeFile(join(workspace.root, "b.txt"), "");
  await writeFile(join(workspace.root, "a```.txt"), "");
  const reply = await workspace.say("List");
  assert.equal(reply.text, "````\na```.txt\nb.txt\nnotes/\n````");
  assert.equal(onlyCall(reply).kind, "read");
  assert.equal(onlyCall(reply).status, "completed");
  assert.deepEqual(onlyCall(reply).locations, [{ path: workspace.root }]);
  assert.equal((await workspace.say("list notes")).text, "`notes` is empty.");
  assert.match((await workspace.say("list b.txt")).text, /not a folder/);
  assert.match((await workspace.say("list nowhere")).text, /There is no `nowhere`/);
});

it("lists a big folder in bounds, and says so", async (t) => {
  const workspace = await startWorkspace(t);
  const names = Array.from({ length: 600 }, (_, index) => `file-${index}`);
  await Promise.all(names.map((name) => writeFile(join(workspace.root, name), "")));
  const { text } = await workspace.say("list");
  assert.equal(text.match(/^file-/gm)?.length, 500);
  assert.match(text, /Truncated/);
});

it("reads a text file in a fence that its content cannot close", async (t) => {
  const workspace = await startWorkspace(t);
  await writeFile(join(workspace.root, "my page.md"), "````js\n1\n````");
  const reply = await workspace.say('read "my page.md"');
  assert.equal(reply.text, "`````md\n````js\n1\n````\n`````");
  assert.equal((await workspace.say("read my page.md")).text, reply.text);
  const call = onlyCall(reply);
  assert.equal(call.kind, "read");
  assert.deepEqual(call.locations, [{ path: join(workspace.root, "my page.md") }]);
  assert.deepEqual(reply.questions, []);
});

it("reads the start of a long file up to a whole character", async (t) => {
  const workspace = await startWorkspace(t);
  await writeFile(join(workspace.root, "long.txt"), `x${"é".repeat(100_000)}`);
  const { text } = await workspace.say("read long.txt");
  assert.match(text, /^```txt\nxé+\n```\n\n\*Truncated: .* 64\.0 kB of 200\.0 kB\.\*$/);
  assert.ok(Buffer.byteLength(text) < 65_000);
});

it("does not read what is not text", async (t) => {
  const workspace = await startWorkspace(t);
  await writeFile(join(workspace.root, "zero.bin"), Buffer.from([65, 0, 66]));
  await writeFile(join(workspace.root, "latin.txt"), Buffer.from([0x61, 0xe9, 0x62]));
  await writeFile(join(workspace.root, "empty.txt"), "");
  assert.match((await workspace.say("read zero.bin")).text, /not a text file/);
  assert.match((await workspace.say("read latin.txt")).text, /not a text file/);
  assert.match((await workspace.say("read empty.txt")).text, /is empty/);
  assert.match((await workspace.say("read gone.txt")).text, /There is no `gone.txt`/);
  assert.match((await workspace.say("read")).text, /Say which file/);
});

it("searches text files, but not .git, node_modules, big and binary files", async (t) => {
  const workspace = await startWorkspace(t);
  for (const folder of [".git", "node_modules", "src"]) {
    await mkdir(join(workspace.root, folder));
    await writeFile(join(workspace.root, folder, "a.txt"), "one\n  the NEEDLE here\n");
  }
  await writeFile(join(workspace.root, "big.txt"), `needle${" ".repeat(1_000_000)}`);
  await writeFile(join(workspace.root, "bin"), "needle\0");
  const reply = await workspace.say("search needle");
  assert.equal(reply.text, "```\nsrc/a.txt:2: the NEEDLE here\n```");
  assert.equal(onlyCall(reply).kind, "search");
  assert.deepEqual(onlyCall(reply).locations, [{ path: workspace.root }]);
  assert.match((await workspace.say("search nothing like it")).text, /I found no/);
});

it("ends a search after a hundred hits, and says so", async (t) => {
  const workspace = await startWorkspace(t);
  await writeFile(join(workspace.root, "many.txt"), "hit\n".repeat(1000));
  const { text } = await workspace.say("search hit");
  assert.equal(text.match(/^many\.txt/gm)?.length, 100);
  assert.match(text, /Truncated/);
});

it("shows the whole change before it writes a new file, and writes exactly that", async (t) => {
  const workspace = await startWorkspace(t);
  const path = join(workspace.root, "notes/todo.md");
  workspace.answer = async () => {
    assert.deepEqual(await readdir(workspace.root), []);
    return "allow_once";
  };
  const reply = await workspace.say("WRITE notes/todo.md\n# Todo\n\n- é 🦉\n");
  const diff = { type: "diff", path, oldText: null, newText: "# Todo\n\n- é 🦉\n" };
  const [question] = reply.questions;
  assert.deepEqual(question?.toolCall.content, [diff]);
  assert.deepEqual(onlyCall(reply).content, [diff]);
  assert.equal(question?.toolCall.kind, "edit");
  assert.equal(question?.toolCall.toolCallId, onlyCall(reply).toolCallId);
  assert.deepEqual(question?.toolCall.locations, [{ path }]);
  assert.deepEqual(
    question?.options.map(({ kind, name }) => [kind, name]),
    [
      ["allow_once", "Allow once"],
      ["allow_always", "Always allow"],
      ["reject_once", "Deny"],
    ],
  );
  assert.equal(await workspace.text("notes/todo.md"), "# Todo\n\n- é 🦉\n");
  assert.equal(reply.text, "Created `notes/todo.md`.");
  assert.equal(onlyCall(reply).status, "completed");
});

it("replaces a file and keeps its mode", async (t) => {
  const workspace = await startWorkspace(t);
  const path = join(workspace.root, "run.sh");
  await writeFile(path, "a much longer text than the new one");
  await chmod(path, 0o750);
  const reply = await workspace.say("write run.sh\nshort");
  assert.equal(await workspace.text("run.sh"), "short");
  assert.equal((await stat(path)).mode & 0o777, 0o750);
  const [shown] = reply.questions[0]?.toolCall.content ?? [];
  assert.equal(shown?.type === "diff" && shown.oldText, "a much longer text than the new one");
});

it("appends on a line of its own", async (t) => {
  const workspace = await startWorkspace(t);
  await workspace.say("append log.md\none");
  const reply = await workspace.say("append log.md\ntwo\n");
  await workspace.say("append log.md\nthree");
  assert.equal(await workspace.text("log.md"), "one\ntwo\nthree");
  const [shown] = reply.questions[0]?.toolCall.content ?? [];
  assert.deepEqual(shown?.type === "diff" && [shown.oldText, shown.newText], ["one", "one\ntwo\n"]);
});

it("deletes files and empty folders, and nothing more", async (t) => {
  const workspace = await startWorkspace(t);
  await mkdir(join(workspace.root, "empty"));
  await mkdir(join(workspace.root, "full"));
  await writeFile(join(workspace.root, "full/a.txt"), "a");
  const reply = await workspace.say("delete full/");
  assert.match(reply.text, /delete only empty ones/);
  assert.deepEqual(reply.calls, []);
  assert.equal((await workspace.say("delete empty")).text, "Deleted `empty`.");
  const file = await workspace.say("delete full/a.txt");
  assert.equal(file.questions[0]?.toolCall.kind, "delete");
  assert.deepEqual(await readdir(workspace.root), ["full"]);
  assert.deepEqual(await readdir(join(workspace.root, "full")), []);
});

it("moves to a free name or into a folder, and overwrites nothing", async (t) => {
  const workspace = await startWorkspace(t);
  await writeFile(join(workspace.root, "my notes.md"), "notes");
  await writeFile(join(workspace.root, "other.md"), "other");
  const reply = await workspace.say('move "my notes.md" deep/er/notes.md');
  assert.equal(reply.questions[0]?.toolCall.kind, "move");
  assert.equal(onlyCall(reply).locations?.length, 2);
  assert.equal(await workspace.text("deep/er/notes.md"), "notes");
  const taken = await workspace.say("move other.md deep/er/notes.md");
  assert.match(taken.text, /already there/);
  assert.deepEqual(taken.calls, []);
  await workspace.say("move other.md deep");
  assert.equal(await workspace.text("deep/other.md"), "other");
  assert.match((await workspace.say("move deep deep/er")).text, /cannot go into itself/);
  assert.match((await workspace.say("move one two three")).text, /from where to where/);
});

it("asks again for each thing but what was always allowed in this session", async (t) => {
  const workspace = await startWorkspace(t);
  workspace.answer = () => "allow_always";
  const session = await workspace.open();
  await workspace.prompt(session, "write a.txt\n1");
  assert.equal((await workspace.prompt(session, "write a.txt\n2")).questions.length, 0);
  assert.equal((await workspace.prompt(session, "write b.txt\n1")).questions.length, 1);
  assert.equal((await workspace.prompt(session, "delete a.txt")).questions.length, 1);
  assert.equal((await workspace.say("write b.txt\n2")).questions.length, 1);
});

it("names what came with a message, and still does what the words say", async (t) => {
  const workspace = await startWorkspace(t);
  const uri = "file:///home/inbox/photo.png";
  const reply = await workspace.say([
    { type: "resource_link", name: "photo.png", uri, mimeType: "image/png", size: 1234 },
    { type: "text", text: "say one" },
    { type: "resource", resource: { uri: "sallyport:quoted", text: "run rm -rf ." } },
    { type: "text", text: "say two" },
    { type: "image", data: "AAAA", mimeType: "image/gif" },
  ]);
  assert.match(
    reply.text,
    /^I see a file `photo\.png` \(`image\/png`, 1\.2 kB\), an image \(`image\/gif`\)\. .*\n\none\n\ntwo$/,
  );
});

it("says when it did not use all lines", async (t) => {
  const workspace = await startWorkspace(t);
  assert.match((await workspace.say("list\nread a.txt")).text, /first line only/);
});

it("sends a file as it is, without asking, and says what it cannot send", async (t) => {
  const workspace = await startWorkspace(t);
  const bytes = Buffer.from([0, 255, 13, 10, 128]);
  await mkdir(join(workspace.root, "out"));
  await writeFile(join(workspace.root, "out", "a b.bin"), bytes);
  await writeFile(join(workspace.root, "empty"), "");
  await writeFile(join(workspace.root, "large"), "");
  await truncate(join(workspace.root, "large"), 10_000_001);
  const reply = await workspace.say("send out/a b.bin");
  const [resource] = reply.resources;
  assert.ok(resource && "blob" in resource);
  assert.deepEqual(Buffer.from(resource.blob, "base64"), bytes);
  assert.match(resource.uri, /\/out\/a%20b\.bin$/);
  assert.equal(reply.text, "Here is `out/a b.bin`, 5 bytes.");
  const path = join(workspace.root, "out", "a b.bin");
  assert.deepEqual([onlyCall(reply).kind, onlyCall(reply).locations], ["read", [{ path }]]);
  assert.deepEqual(reply.questions, []);
  const refused: [string, RegExp][] = [
    ["send", /Say which file/],
    ["send out", /is a folder/],
    ["send nowhere", /There is no `nowhere`/],
    ["send empty", /is empty/],
    ["send large", /larger than the 10\.0 MB/],
  ];
  for (const [command, answer] of refused) {
    const { text, resources } = await workspace.say(command);
    assert.match(text, answer);
    assert.deepEqual(resources, []);
  }
});

it("sends a file of 10 MB in one piece", async (t) => {
  const workspace = await startWorkspace(t);
  const bytes = Buffer.alloc(10_000_000, "0123456789abcdefg");
  await writeFile(join(workspace.root, "large"), bytes);
  const [resource] = (await workspace.say("send large")).resources;
  assert.ok(resource && "blob" in resource);
  assert.equal(Buffer.from(resource.blob, "base64").equals(bytes), true);
});
