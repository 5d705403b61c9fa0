import assert from "node:assert/strict";
import { existsSync, readdirSync, statSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import type { Listener } from "../../src/core/channel.ts";
import type { FileRef, InboundEvent } from "../../src/core/events.ts";
import type { Uploaded } from "../../src/core/page.ts";
import { temporaryFolder } from "../fakes/agent-rig.ts";
import { uploaded } from "../fakes/web-page.ts";
import { serveWeb } from "../fakes/web-server.ts";

const hour = 3_600_000;

async function rig(t: TestContext) {
  const folder = temporaryFolder(t);
  let time = Date.now();
  const server = await serveWeb({ folder, clock: { now: () => time } });
  t.after(server.stop);
  const taken: InboundEvent[] = [];
  const start = (listener: Listener) => listener.start(async (batch) => void taken.push(...batch));
  await start(server.web.listener);
  const page = server.page("s-ana", "ana");
  let count = 0;
  return {
    server,
    page,
    folder,
    start,
    pass: (ms: number) => {
      time += ms;
    },
    up: (name: string, content = "content") => uploaded(page.upload(name, content)),
    /** Says it, and gives the files of the event. */
    async say(...files: readonly Uploaded[]) {
      count += 1;
      const ids = files.map(({ id }) => id);
      const message = { id: `message-${count}`, chat: "ana", text: "", files: ids };
      const answer = await page.post("/api/messages", message);
      const event = taken.at(-1);
      return { answer, files: event?.kind === "message" ? event.files : [] };
    },
  };
}

async function contentOf(listener: Listener, file: FileRef): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  const into = new WritableStream<Uint8Array>({ write: (chunk) => void chunks.push(chunk) });
  await listener.fetchFile?.(file, into);
  return Buffer.concat(chunks);
}

/** What is on disk of a person's uploads. */
const onDisk = (folder: string, pairing = "ana") =>
  existsSync(join(folder, pairing)) ? readdirSync(join(folder, pairing)) : [];

it("names the file in the event, and hands over the same bytes after a restart", async (t) => {
  const { page, server, say, start } = await rig(t);
  const bytes = new Uint8Array(3_000_000).map((_, n) => (n * 7919) % 251);
  const file = await uploaded(page.upload("photo of Käthe.png", bytes));
  const { id } = file;
  assert.match(id, /^ana\.[\w-]{22}$/);
  assert.deepEqual(file, { id, name: "photo of Käthe.png", size: 3_000_000, mime: "image/png" });
  await server.web.listener.stop();
  const { listener } = server.again();
  await start(listener);
  const { answer, files } = await say(file);
  assert.equal(answer.status, 200);
  assert.deepEqual(files, [{ id, name: file.name, mime: "image/png", size: 3_000_000 }]);
  await page.until("what was said", () => page.events.some(({ type }) => type === "said"));
  const said = page.events.find((event) => event.type === "said");
  assert.deepEqual(said?.type === "said" && said.entry.files, [
    { name: file.name, size: 3_000_000 },
  ]);
  const after = server.again().listener;
  assert.deepEqual(await contentOf(after, files[0] as FileRef), Buffer.from(bytes));
});

it("takes a message with a file that is posted twice at once", async (t) => {
  const { page, up } = await rig(t);
  const { id } = await up("notes.txt");
  const message = { id: "twice-at-once", chat: "ana", text: "", files: [id, id] };
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => page.post("/api/messages", message)),
  );
  assert.deepEqual(
    answers.map(({ status }) => status),
    Array(8).fill(200),
  );
  await page.until("what was said", () => page.events.length > 0);
  const [said, ...more] = page.events;
  assert.deepEqual(said?.type === "said" && said.entry.files, [{ name: "notes.txt", size: 7 }]);
  assert.deepEqual(more, []);
});

it("takes 20 MB and not a byte more, and keeps nothing of what is larger", async (t) => {
  const { page, folder, up } = await rig(t);
  const most = 20_000_000;
  const { size } = await up("just.bin", "x".repeat(most));
  assert.equal(size, most);
  const said = await page.upload("larger.bin", new Uint8Array(most + 1));
  assert.equal(said.status, 413);
  assert.match(said.body.problem, /20 MB/);
  const unsaid = await page.upload("endless.bin", endless(most + 1));
  assert.equal(unsaid.status, 413);
  assert.equal(onDisk(folder).length, 1);
});

function endless(bytes: number): ReadableStream<Uint8Array> {
  let left = bytes;
  return new ReadableStream({
    pull(controller) {
      const chunk = new Uint8Array(Math.min(left, 65_536));
      left -= chunk.byteLength;
      controller.enqueue(chunk);
      if (left === 0) controller.close();
    },
  });
}

it("keeps nothing of a file that broke off", async (t) => {
  const { server, folder, page } = await rig(t);
  const { hostname, port, origin } = new URL(server.url);
  const headers = {
    cookie: `sallyport_${port}=s-ana`,
    origin,
    "content-type": "application/octet-stream",
    "content-length": 1000,
  };
  const path = "/api/files?name=half.txt";
  const request = httpRequest({ hostname, port, path, method: "POST", headers });
  request.on("error", () => {});
  request.write("x".repeat(500));
  await page.until("its beginning", () => onDisk(folder).some((name) => name.endsWith(".part")));
  request.destroy();
  await page.until("its end", () => onDisk(folder).length === 0);
});

it("makes every name harmless, and lets none lead out of its folder", async (t) => {
  const { up, folder } = await rig(t);
  const names: [string, string][] = [
    ["../../../etc/passwd", "passwd"],
    ["..\\..\\windows\\system.ini", "system.ini"],
    ["a/b/", "file"],
    ["..", "file"],
    ["", "file"],
    [" ", "file"],
    ["/", "file"],
    ["exe.\u202Etxt", "exe.⟨U+202E⟩txt"],
    ["a\u0000b\nc\u001B[31m.txt", "a⟨U+0000⟩b⟨U+000A⟩c⟨U+001B⟩[31m.txt"],
    ["zero\u200Bwidth.md", "zero⟨U+200B⟩width.md"],
    ["%2e%2e%2fx", "%2e%2e%2fx"],
    ["meta.json", "meta.json"],
    ["__proto__", "__proto__"],
    ["família 👨‍👩‍👧.JPG", "família 👨‍👩‍👧.JPG"],
  ];
  for (const [sent, shown] of names) assert.equal((await up(sent)).name, shown);
  const long = await up(`${"n".repeat(3000)}.tar.gz`);
  assert.deepEqual([long.name.length, long.name.slice(-5)], [120, "n….gz"]);
  const smiles = await up(`${"😀".repeat(250)}x.txt`);
  assert.doesNotMatch(smiles.name, /[\uD800-\uDBFF](?![\uDC00-\uDFFF])/);
  assert.deepEqual(readdirSync(folder), ["ana"]);
  for (const name of onDisk(folder)) assert.match(name, /^[\w-]{22}$/);
});

it("refuses a name of 10 kB, and makes nothing of it", async (t) => {
  const { page, folder } = await rig(t);
  const { status } = await page.upload(`${"n".repeat(10_000)}.txt`, "x");
  assert.ok(status >= 400 && status < 500, String(status));
  assert.deepEqual(onDisk(folder), []);
});

it("says what kind of file it is by its ending, whatever the sender claims", async (t) => {
  const { up } = await rig(t);
  const kinds = await Promise.all(
    ["a.TXT", "a.pdf", "a.constructor", "a", "photo.jpeg"].map(
      async (name) => (await up(name)).mime,
    ),
  );
  assert.deepEqual(kinds, [
    "text/plain",
    "application/pdf",
    "application/octet-stream",
    "application/octet-stream",
    "image/jpeg",
  ]);
});

it("keeps one person's files from another, and ids from leading elsewhere", async (t) => {
  const { server, up, say } = await rig(t);
  const file = await up("secret.txt");
  const bo = server.page("s-bo", "bo");
  const message = { id: "message-of-bo", chat: "bo", text: "x", files: [file.id] };
  assert.equal((await bo.post("/api/messages", message)).status, 400);
  const own = file.id.split(".")[1] ?? "";
  for (const id of [`bo.../ana/${own}`, `ana.../ana/${own}`, "ana.", own, `.${own}`, `ana.${own}/`])
    assert.equal((await say({ ...file, id })).answer.status, 400, id);
  for (const id of ["../ana", `ana.${own}/../${own}`, "ana.none", ""])
    await assert.rejects(
      contentOf(server.web.listener, { ...file, id }),
      /not kept here any more/,
      id,
    );
});

it("forgets what no message names after an hour, and keeps what one does", async (t) => {
  const { server, up, say, pass, folder } = await rig(t);
  const [unused, used] = [await up("unused.txt"), await up("used.txt")];
  const { files } = await say(used);
  pass(hour + 1000);
  await up("another.txt");
  assert.equal(onDisk(folder).length, 2);
  const { answer } = await say(unused);
  assert.equal(answer.status, 400);
  assert.match(answer.body.problem, /Add it again/);
  pass(29 * 24 * hour);
  assert.equal(String(await contentOf(server.again().listener, files[0] as FileRef)), "content");
  pass(24 * hour);
  await up("much later.txt");
  assert.equal(onDisk(folder).length, 1);
});

it("lets nobody pile up files that are not sent", async (t) => {
  const { page, up, say, pass, server } = await rig(t);
  const files: Uploaded[] = [];
  for (let n = 0; n < 30; n++) files.push(await up(`${n}.txt`));
  const over = await page.upload("one more.txt", "x");
  assert.equal(over.status, 429);
  assert.match(over.body.problem, /Send those first/);
  const bo = server.page("s-bo", "bo");
  assert.equal((await bo.upload("of bo.txt", "x")).status, 200);
  await say(...files.slice(0, 10));
  await up("one more.txt");
  pass(hour + 1000);
  await up("and later.txt");
});

it("keeps files where only its own user can read them", async (t) => {
  const { up, folder } = await rig(t);
  const { id } = await up("secret.txt");
  const place = join(folder, "ana", id.split(".")[1] ?? "");
  const modes = [place, join(place, "content"), join(place, "meta.json")].map(
    (path) => statSync(path).mode & 0o777,
  );
  assert.deepEqual(modes, [0o700, 0o600, 0o600]);
});
