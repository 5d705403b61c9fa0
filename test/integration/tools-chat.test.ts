// An agent's tools in the chat: a file, a question and a list, from an agent that starts the MCP server it was given.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import type { ChatRef } from "../../src/core/words.ts";
import { givenIn, toolsRig } from "../fakes/tools-rig.ts";

it("sends a file of the workspace into the chat that asked, with the end of the answer", async (t) => {
  const { desk, workspace, join: pair } = await toolsRig(t);
  await pair("1", "ana", "authenticated");
  writeFileSync(join(workspace, "report.pdf"), "%PDF");
  await desk.say("1", 'mcp send_file {"path":"report.pdf","name":"../Q3 report.pdf"}');
  const said = await desk.until(/send_file: /);
  assert.match(said.text, /Q3 report\.pdf \(4 bytes\) goes out with the end of your answer/);
  await desk.say("1", "and now words");
  await desk.until(/and now words/);
  const files = desk.messages().flatMap(({ file }) => file ?? []);
  assert.deepEqual(files, ["Q3 report.pdf"]);
});

it("tells the agent what it can do about a file that cannot be sent", async (t) => {
  const { desk, workspace, join: pair } = await toolsRig(t);
  await pair("1", "ana");
  writeFileSync(join(workspace, "empty"), "");
  const calls = [
    'mcp send_file {"path":"missing.txt"}',
    'mcp send_file {"path":"empty"}',
    'mcp send_file {"file":"x"}',
    "mcp send_file",
  ];
  await desk.say("1", calls.join("\n"));
  const { text } = await desk.until(/(send_file: failed[\s\S]*){4}/);
  assert.match(text, /There is no file missing\.txt/);
  assert.match(text, /was not sent: it is empty/);
  assert.match(text, /input of send_file is not right\. path: /);
  assert.deepEqual(
    desk.messages().filter(({ file }) => file),
    [],
  );
});

it("keeps to the bounds of one answer, however the files come", async (t) => {
  const { desk, workspace, join: pair } = await toolsRig(t, { limits: { files: 2 } });
  await pair("1", "ana");
  writeFileSync(join(workspace, "n.txt"), "n");
  const call = 'mcp send_file {"path":"n.txt"}';
  await desk.say("1", ["file 1 own.bin", call, call].join("\n"));
  const { text } = await desk.until(/more than 2 files in one answer/);
  assert.match(text, /^send_file: n\.txt.*\nsend_file: failed: The file was not sent/);
  await desk.say("1", "next");
  await desk.until(/next/);
  assert.deepEqual(
    desk.messages().flatMap(({ file }) => file ?? []),
    ["own.bin", "n.txt"],
  );
});

it("asks with buttons, and the agent gets the answer that was pressed", async (t) => {
  const { desk, join: pair } = await toolsRig(t);
  await pair("1", "ana", "authenticated");
  await desk.say("1", 'mcp ask_user {"question":"Which one?","options":["red","blue"]}');
  const card = await desk.until(/Which one\?/);
  assert.deepEqual(
    card.buttons.map(({ label }) => label),
    ["red", "blue", "Decline"],
  );
  await desk.press("1", "blue");
  await desk.until(/ask_user: blue/);
});

it("asks in words, and the agent gets the next message; a long question is readable to its end", async (t) => {
  const { desk, join: pair } = await toolsRig(t);
  await pair("1", "ana");
  const question = `${"Some background. ".repeat(60)}What shall it be called?`;
  await desk.say("1", `mcp ask_user ${JSON.stringify({ question })}`);
  await desk.until(/What shall it be called\?/);
  await desk.say("1", "call it *sky*");
  await desk.until(/ask_user: call it \*sky\*/);
});

it("tells the agent that the user declined, and takes the question back at a stop", async (t) => {
  const { desk, join: pair } = await toolsRig(t);
  await pair("1", "ana");
  const ask = 'mcp ask_user {"question":"Go on?","options":["yes","no"]}';
  await desk.say("1", ask);
  await desk.until(/Go on\?/);
  await desk.press("1", "Decline");
  await desk.until(/ask_user: The user declined to answer\./);
  await desk.say("1", ask);
  await desk.until(/\(2\)/);
  await desk.say("1", "/stop");
  await desk.until(/⌛ Stopped/);
});

it("lists the tasks of its own conversation only", async (t) => {
  const { desk, join: pair } = await toolsRig(t);
  await pair("1", "ana");
  await pair("2", "bob");
  await desk.say("2", "something of bob's");
  await desk.until(/something of bob's/, "2");
  await desk.say("1", "the first thing");
  await desk.until(/the first thing/);
  await desk.say("1", "mcp list_tasks");
  const { text } = await desk.until(/list_tasks: /);
  assert.match(
    text,
    /^list_tasks: [\w-]{8} {2}working {2}\S+Z {2}mcp list_tasks\n[\w-]{8} {2}completed {2}\S+Z {2}the first thing$/m,
  );
  assert.doesNotMatch(text, /bob/);
});

const group: ChatRef = { id: "-7", kind: "group" };

it("sends each file to its own chat when two conversations work in one sandbox at once", async (t) => {
  const { desk, workspace, folder, join: pair } = await toolsRig(t);
  await pair("1", "ana");
  await desk.say("1", "/enable", { chat: group });
  await desk.until(/I answer here/, "-7");
  const gate = join(workspace, "gate");
  for (const name of ["private.txt", "public.txt"]) writeFileSync(join(workspace, name), name);
  const order = (name: string, more = {}) =>
    desk.say(
      "1",
      [
        `servers ${join(folder, name)}`,
        `stall ${gate}`,
        `mcp send_file {"path":"${name}"}`,
        "mcp list_tasks",
      ].join("\n"),
      more,
    );
  await order("private.txt");
  await order("public.txt", { chat: group });
  writeFileSync(gate, "");
  await desk.until(/list_tasks: /);
  await desk.until(/list_tasks: /, "-7");
  await desk.say("1", "over");
  await desk.until(/^over$/);
  await desk.say("1", "over", { chat: group });
  await desk.until(/^over$/, "-7");
  const filesIn = (chat: string) => desk.messages(chat).flatMap(({ file }) => file ?? []);
  assert.deepEqual([filesIn("1"), filesIn("-7")], [["private.txt"], ["public.txt"]]);
  const [one, other] = ["private.txt", "public.txt"].map((name) => givenIn(join(folder, name)));
  assert.equal(one?.socket, other?.socket);
  assert.notEqual(one?.secret, other?.secret);
});

it("gives a conversation that people share the same tools, as the turn's person, and says who asked for what", async (t) => {
  const { desk, workspace, join: pair } = await toolsRig(t, { fake: { embeds: true } });
  const chat: ChatRef = { id: "-7", kind: "group" };
  await pair("1", "olga", "owner");
  await pair("2", "ana", "authenticated");
  await desk.say("1", "/share", { chat });
  await desk.until(/From now on/, "-7");
  writeFileSync(join(workspace, "report.pdf"), "%PDF");
  await desk.say("1", 'mcp send_file {"path":"report.pdf"}', { chat });
  await desk.until(/send_file: report\.pdf/, "-7");
  await desk.say("2", "mcp list_tasks {}", { chat });
  const { text } = await desk.until(/list_tasks: /, "-7");
  assert.match(text, / {2}working {2}\S+ {2}ana: mcp list_tasks/);
  assert.match(text, / {2}completed {2}\S+ {2}olga: mcp send_file/);
  assert.deepEqual(
    desk.messages("-7").flatMap(({ file }) => file ?? []),
    ["report.pdf"],
  );
  await desk.say("2", 'mcp ask_user {"question":"Which?","options":["a","b"]}', { chat });
  const card = await desk.until(/Which\?/, "-7");
  assert.ok(card.buttons.length >= 2);
  await desk.press("2", "b", { chat, message: card.ref });
  await desk.until(/ask_user: .*b/, "-7");
});
