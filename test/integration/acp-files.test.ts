// Files inside an agent's answer: what becomes a file, under which name, and within which bounds.
import assert from "node:assert/strict";
import { it } from "node:test";
import type { AgentEvent } from "../../src/core/agent.ts";
import { agentRig, readTurn, textOf } from "../fakes/agent-rig.ts";

type Made = Extract<AgentEvent, { type: "file" }>;

function filesOf(events: readonly AgentEvent[]): Made[] {
  return events.filter((event) => event.type === "file");
}

function content(block: unknown): string {
  return `content ${JSON.stringify(block)}`;
}

function blob(uri: string, text: string, more = {}): string {
  const resource = { uri, blob: Buffer.from(text).toString("base64"), ...more };
  return content({ type: "resource", resource });
}

it("makes files of embedded resources, images and sounds, among the text that they came with", async (t) => {
  const rig = agentRig(t);
  const data = Buffer.from("pixels").toString("base64");
  const steps = [
    "echo before",
    blob("file:///workspace/out/r%C3%A9sum%C3%A9.pdf", "%PDF"),
    content({ type: "resource", resource: { uri: "notes.md", text: "# Hi" } }),
    content({ type: "image", data, mimeType: "image/png" }),
    content({ type: "audio", data, mimeType: "audio/wav; rate=8000" }),
    "echo after",
  ];
  const events = await readTurn(rig.prompt(steps.join("\n")));
  assert.equal(textOf(events), "beforeafter");
  assert.deepEqual(
    filesOf(events).map(({ name, mime, bytes }) => [name, mime, String(bytes)]),
    [
      ["résumé.pdf", "application/pdf", "%PDF"],
      ["notes.md", "text/markdown", "# Hi"],
      ["image-3.png", "image/png", "pixels"],
      ["audio-4.wav", "audio/wav", "pixels"],
    ],
  );
});

it("gives every file a name that leads nowhere and hides nothing", async (t) => {
  const rig = agentRig(t);
  const uris = [
    "file:///etc/../../root/.ssh/id_rsa",
    "..%2F..%2Fpasswd",
    "a\\..\\b.txt",
    "file:///.bashrc",
    "invoice\u202Efdp.exe",
    "line%0Abreak%00.txt",
    `${"n".repeat(10_000)}.txt`,
    "%F0%9D%95%8F".repeat(90),
    "https://x.test/",
    "%E0%A4%A",
    "..",
    'quote"; filename=x.html',
  ];
  const files: Made[] = [];
  for (const uri of uris) files.push(...filesOf(await readTurn(rig.prompt(blob(uri, "x")))));
  const names = files.map(({ name }) => name);
  assert.deepEqual(names.slice(0, 6), [
    "id_rsa",
    "passwd",
    "b.txt",
    "_bashrc",
    "invoice_fdp.exe",
    "line_break_.txt",
  ]);
  assert.equal(names[6], `${"n".repeat(96)}.txt`);
  assert.deepEqual(names.slice(8), ["file-1", "_E0_A4_A", "_", "quote__ filename_x.html"]);
  for (const name of names) {
    assert.ok(name.length <= 100 && Buffer.byteLength(name) <= 200, name);
    assert.match(name, /^[\p{L}\p{N}_][\p{L}\p{N}._ -]*$/u);
  }
});

it("tells of a link, and reads nothing behind it", async (t) => {
  const rig = agentRig(t);
  const link = { type: "resource_link", uri: "file:///etc/passwd", name: "pass`word" };
  const events = await readTurn(rig.prompt(content(link)));
  assert.equal(textOf(events).trim(), "📎 `pass'word` `file:///etc/passwd`");
  assert.deepEqual(filesOf(events), []);
});

it("leaves out what is too large, too many or unreadable, and says what", async (t) => {
  const limits = { fileBytes: 1000, files: 3, filesBytes: 2500 };
  const rig = agentRig(t, { limits });
  const unreadable = { uri: "odd.bin", blob: "not base64 at all!" };
  const steps = [
    "file 0 empty.bin",
    "file 1001 large.bin",
    "file 1000 one.bin",
    "file 1000 two.bin",
    "file 501 sum.bin",
    content({ type: "resource", resource: unreadable }),
    "file 500 three.bin",
    ...Array.from({ length: 10 }, (_, n) => `file 1 more-${n}.bin`),
    "echo done",
  ];
  const events = await readTurn(rig.prompt(steps.join("\n")));
  assert.deepEqual(
    filesOf(events).map(({ name }) => name),
    ["one.bin", "two.bin", "three.bin"],
  );
  assert.match(
    textOf(events),
    /^done\n\n⚠️ Not sent along:\n\n- empty\.bin \(it is empty\)\n- large\.bin \(larger than 0 MB\)\n- sum\.bin \(more than 0 MB in one answer\)\n- odd\.bin \(its content could not be read\)\n- more-0\.bin \(more than 3 files in one answer\)\n- and 9 more$/,
  );
  assert.deepEqual(events.at(-1), { type: "end", reason: "end_turn" });
});

it("ignores blocks that are not what they say they are", async (t) => {
  const rig = agentRig(t);
  const blocks = [
    { type: "resource" },
    { type: "resource", resource: { uri: "x" } },
    { type: "resource", resource: { uri: 7, blob: 7 } },
    { type: "image", mimeType: "image/png" },
    { type: "video", data: "AAAA" },
    null,
    "text",
  ];
  const events = await readTurn(rig.prompt([...blocks.map(content), "echo fine"].join("\n")));
  assert.equal(textOf(events), "fine");
  assert.deepEqual(filesOf(events), []);
});
