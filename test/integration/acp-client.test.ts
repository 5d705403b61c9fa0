// The ACP client with an agent that behaves: text, tools, permissions, forms, sessions, modes.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import type { AgentEvent } from "../../src/core/agent.ts";
import {
  agentRig,
  choose,
  fakePreset,
  readTurn,
  sessionOf,
  temporaryFolder,
  textOf,
} from "../fakes/agent-rig.ts";

function toolsOf(events: readonly AgentEvent[]) {
  return events.flatMap((event) => (event.type === "tool" ? [event.call] : []));
}

it("yields the session, the text in the order of the wire, and the end last", async (t) => {
  const rig = agentRig(t);
  const events = await readTurn(rig.prompt("stream 3000"));
  const expected = Array.from({ length: 3000 }, (_, n) => `${n + 1} `).join("");
  assert.equal(textOf(events), expected);
  assert.equal(events[0]?.type, "session");
  assert.deepEqual(events.at(-1), { type: "end", reason: "end_turn" });
});

it("keeps one process for a scope and another for another scope", async (t) => {
  const rig = agentRig(t);
  const [a, b] = await Promise.all([readTurn(rig.prompt("one")), readTurn(rig.prompt("two"))]);
  const c = await readTurn(rig.prompt("three", { scope: "p-bob" }));
  assert.notEqual(sessionOf(a).id, sessionOf(b).id);
  assert.deepEqual([textOf(a), textOf(b), textOf(c)], ["one", "two", "three"]);
  assert.equal(rig.processes.length, 2);
});

it("goes on in the session it is given, while its process lives", async (t) => {
  const rig = agentRig(t);
  const first = sessionOf(await readTurn(rig.prompt("one")));
  const second = sessionOf(await readTurn(rig.prompt("two", { session: first.id })));
  assert.deepEqual(second, { id: first.id, resumed: true });
});

it("asks with all that is known of the call, and what is allowed is done once", async (t) => {
  const rig = agentRig(t);
  const file = join(rig.folder, "effects");
  const events = await readTurn(rig.prompt(`do ${file}`), choose("once"));
  const question = events.find((event) => event.type === "permission");
  assert.equal(question?.call.title, `Append to ${file}`);
  assert.equal(question?.call.kind, "edit");
  assert.deepEqual(question?.call.diffs, [{ path: file, before: null, after: "did\n" }]);
  assert.deepEqual(
    question?.options.map((option) => option.kind),
    ["allow_once", "allow_always", "reject_once"],
  );
  assert.equal(readFileSync(file, "utf8"), "did\n");
  assert.equal(toolsOf(events).at(-1)?.status, "completed");
  assert.equal(toolsOf(events).at(-1)?.title, `Append to ${file}`);
});

it("does nothing when the answer is a rejection", async (t) => {
  const rig = agentRig(t);
  const file = join(rig.folder, "effects");
  const events = await readTurn(rig.prompt(`do ${file}`), choose("no"));
  assert.equal(textOf(events), "answer: no\n");
  assert.equal(existsSync(file), false);
});

it("takes a permission request for a call it has not heard of", async (t) => {
  const rig = agentRig(t);
  const file = join(rig.folder, "effects");
  const events = await readTurn(rig.prompt(`dobare ${file}`), choose("once"));
  const question = events.find((event) => event.type === "permission");
  assert.deepEqual(question?.call.locations, [file]);
  assert.equal(readFileSync(file, "utf8"), "did\n");
});

it("returns option ids byte for byte", async (t) => {
  const rig = agentRig(t);
  const id = "erlauben_für_sitzung\u202E ✓";
  const options = JSON.stringify([{ optionId: id, name: "Ja", kind: "allow_once" }]);
  const file = join(rig.folder, "effects");
  const events = await readTurn(rig.prompt(`dowith ${options} ${file}`), choose(id));
  assert.equal(textOf(events), `answer: ${id}\n`);
});

it("offers only what the agent offers, and tells it `cancelled` for an answer that is none of them", async (t) => {
  const rig = agentRig(t);
  const options = JSON.stringify([
    { optionId: "always", name: "Always", kind: "allow_always" },
    { optionId: "no", name: "No", kind: "reject_once" },
  ]);
  const file = join(rig.folder, "effects");
  const events = await readTurn(rig.prompt(`dowith ${options} ${file}`), choose("once"));
  assert.equal(textOf(events), "answer: cancelled\n");
  assert.equal(existsSync(file), false);
});

it("counts only the first answer", async (t) => {
  const rig = agentRig(t);
  const file = join(rig.folder, "effects");
  const events = await readTurn(rig.prompt(`do ${file}`), (event) => {
    choose("no")(event);
    choose("once")(event);
  });
  assert.equal(textOf(events), "answer: no\n");
  assert.equal(existsSync(file), false);
});

it("asks a form by its fields and gives the answer back", async (t) => {
  const rig = agentRig(t);
  const schema = {
    properties: {
      colour: { type: "string", title: "Colour", oneOf: [{ const: "r", title: "Red" }] },
      sizes: { type: "array", items: { type: "string", enum: ["s", "m"] } },
      count: { type: "integer" },
      sure: { type: "boolean" },
      note: { type: "string" },
    },
    required: ["colour"],
  };
  const content = { colour: "r", sizes: ["m"], count: 2, sure: true, note: "ok" };
  const events = await readTurn(rig.prompt(`form ${JSON.stringify(schema)}`), (event) => {
    if (event.type === "form") event.answer({ action: "accept", content });
  });
  const form = events.find((event) => event.type === "form");
  assert.deepEqual(
    form?.fields.map(({ name, kind, required }) => [name, kind, required]),
    [
      ["colour", "choice", true],
      ["sizes", "choices", false],
      ["count", "integer", false],
      ["sure", "boolean", false],
      ["note", "text", false],
    ],
  );
  assert.deepEqual(form?.fields[0]?.options, [{ value: "r", label: "Red" }]);
  assert.deepEqual(JSON.parse(textOf(events)), { action: "accept", content });
});

it("declines what cannot be asked in a chat: a URL to open, a field of an unknown kind", async (t) => {
  const rig = agentRig(t);
  const schema = JSON.stringify({ properties: { photo: { type: "image" } } });
  const events = await readTurn(rig.prompt(`form ${schema}\nurl https://example.org/`));
  assert.equal(textOf(events), '{"action":"decline"}'.repeat(2));
  assert.equal(
    events.some((event) => event.type === "form"),
    false,
  );
});

it("names files by their place inside, and quotes context apart from what a person said", async (t) => {
  const record = join(temporaryFolder(t), "record");
  const rig = agentRig(t, { fake: { embeds: true, record } });
  const home = rig.scope().home;
  const content = [
    { type: "context", name: "quoted message", text: "delete all" },
    { type: "text", text: "look" },
    {
      type: "file",
      path: join(home, "inbox/a b.txt"),
      name: "a b.txt",
      mime: "text/plain",
      size: 3,
    },
  ] as const;
  await readTurn(rig.prompt("", { content }));
  const lines = readFileSync(record, "utf8").trim().split("\n");
  const prompt = lines.map((line) => JSON.parse(line)).find((m) => m.method === "session/prompt");
  const [quoted, said, file] = prompt.params.prompt;
  assert.deepEqual([quoted.type, quoted.resource.text], ["resource", "delete all"]);
  assert.deepEqual(said, { type: "text", text: "look" });
  assert.equal(file.uri, `file://${home}/inbox/a%20b.txt`);
});

it("forces the mode that asks and undoes a switch away from it", async (t) => {
  for (const modeAsOption of [false, true]) {
    const record = join(temporaryFolder(t), "record");
    const fake = { modes: ["auto", "default"], mode: "auto", modeAsOption, record };
    const rig = agentRig(t, { preset: fakePreset(fake, { mode: "default" }) });
    const session = sessionOf(await readTurn(rig.prompt("mode auto\nhello"))).id;
    await readTurn(rig.prompt("hello", { session }));
    const sent = readFileSync(record, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const method = modeAsOption ? "session/set_config_option" : "session/set_mode";
    const sets = sent.filter((message) => message.method === method);
    assert.deepEqual(
      sets.map(({ params }) => params.modeId ?? params.value),
      ["default", "default"],
    );
  }
});

it("refuses to work with an agent that lacks the mode that asks", async (t) => {
  const fake = { modes: ["auto", "yolo"], mode: "auto" };
  const rig = agentRig(t, { preset: fakePreset(fake, { mode: "default" }) });
  const events = await readTurn(rig.prompt("sneak x"));
  assert.deepEqual(events, [
    {
      type: "failed",
      why: 'The agent has no mode "default" in which it asks; it offers: auto, yolo.',
    },
  ]);
});

it("answers for our own tools itself, once, and asks people about everything else", async (t) => {
  const preset = fakePreset({}, { isOwnTool: ({ title }) => title.endsWith("/own") });
  const rig = agentRig(t, { preset });
  const asked = async (step: string) => {
    const events = await readTurn(rig.prompt(step), choose("no"));
    return [events.filter(({ type }) => type === "permission").length, textOf(events)];
  };
  const own = join(rig.folder, "own");
  const always = JSON.stringify([{ optionId: "a", name: "Always", kind: "allow_always" }]);
  assert.deepEqual(await asked(`do ${own}`), [0, "answer: once\n"]);
  assert.equal(readFileSync(own, "utf8"), "did\n");
  assert.deepEqual(await asked(`do ${own}er`), [1, "answer: no\n"]);
  assert.deepEqual(await asked(`dowith ${always} ${own}`), [1, "answer: cancelled\n"]);
  assert.equal(readFileSync(own, "utf8"), "did\n");
});
