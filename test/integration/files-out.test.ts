// Files of an agent on their way out: after the text, whole, once; and over HTTP only for those who may have them.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { identify } from "../../src/access/identify.ts";
import { removePairing } from "../../src/access/pairings.ts";
import type { Visitor } from "../../src/access/visitor.ts";
import { createFileTokens } from "../../src/admin/file-tokens.ts";
import { createFiles, type Files } from "../../src/admin/files.ts";
import { SendError } from "../../src/core/channel.ts";
import { systemClock } from "../../src/core/clock.ts";
import { createFileRoutes } from "../../src/http/files/routes.ts";
import { openServer } from "../../src/http/server.ts";
import { findPart } from "../../src/store/outbox.ts";
import { memoryLog, temporaryFolder } from "../fakes/agent-rig.ts";
import { createDesk, type Desk } from "../fakes/desk.ts";
import { anyPort } from "../fakes/server-options.ts";
import { type Spine, startSpine } from "../fakes/spine.ts";

function made(uri: string, text: string): string {
  const blob = Buffer.from(text).toString("base64");
  return `content ${JSON.stringify({ type: "resource", resource: { uri, blob } })}`;
}

/** Resolves once the chat has this many messages. */
async function untilCount(desk: Desk, count: number): Promise<void> {
  for (const deadline = Date.now() + 10_000; desk.messages("1").length < count; await delay(5))
    assert.ok(Date.now() < deadline, `${desk.see("1").length} of ${count} messages`);
}

/** What lies in the folder of files, by name. */
function kept({ folder }: Spine): Map<string, string> {
  const files = join(folder, "files");
  if (!existsSync(files)) return new Map();
  const paths = readdirSync(files).flatMap((one) =>
    readdirSync(join(files, one)).map((name) => [name, join(files, one, name)] as const),
  );
  return new Map(paths);
}

it("sends the files of an answer after its text, in their order, for our eyes only until then", async (t) => {
  const spine = await startSpine(t);
  await spine.join("1", "ana");
  await spine.desk.say("1", [made("b.txt", "B"), "echo here", made("../a.txt", "A")].join("\n"));
  await spine.desk.until(/here/);
  await untilCount(spine.desk, 4);
  const shown = spine.desk.messages("1").slice(1);
  assert.deepEqual(
    shown.map(({ text, file }) => [text, file]),
    [
      ["here", undefined],
      ["", "b.txt"],
      ["", "a.txt"],
    ],
  );
  for (const [name, path] of kept(spine)) {
    assert.equal(readFileSync(path, "utf8"), name === "a.txt" ? "A" : "B");
    assert.equal(statSync(path).mode & 0o777, 0o600);
  }
});

it("sends a file that came without a word, without adding one", async (t) => {
  const spine = await startSpine(t);
  await spine.join("1", "ana");
  await spine.desk.say("1", made("a.txt", "A"));
  await spine.desk.until(/^$/);
  assert.deepEqual(
    spine.desk
      .messages("1")
      .slice(1)
      .map(({ text, file }) => [text, file]),
    [["", "a.txt"]],
  );
});

it("delivers after a restart what was written down before it, and each file once", async (t) => {
  const desk = createDesk();
  let stuck = true;
  const send: typeof desk.listener.send = (to, part, key) =>
    stuck && part.file?.name === "two.txt"
      ? Promise.reject(new SendError("not-sent", "the network is down"))
      : desk.listener.send(to, part, key);
  const shaky = { ...desk, listener: { ...desk.listener, send } };
  const first = await startSpine(t, { desk: shaky });
  await first.join("1", "ana");
  const files = ["one.txt", "two.txt", "three.txt"];
  await desk.say("1", ["echo here", ...files.map((name) => made(name, name))].join("\n"));
  await desk.until(/^$/);
  await first.stop();
  stuck = false;
  await startSpine(t, { desk: shaky, folder: first.folder });
  await untilCount(desk, 5);
  assert.deepEqual(
    desk
      .messages("1")
      .slice(1)
      .map(({ text, file }) => file ?? text),
    ["here", ...files],
  );
});

it("keeps nothing of a run that a stop gave back", async (t) => {
  const first = await startSpine(t);
  await first.join("1", "ana");
  const gate = join(first.workspace, "gate");
  await first.desk.say("1", [made("a.txt", "A"), `stall ${gate}`].join("\n"));
  while (kept(first).size === 0) await delay(5);
  await first.stop();
  assert.deepEqual(kept(first).size, 0);
});

interface Web {
  get(path: string, who?: string): Promise<Response>;
  readonly files: Files;
}

async function startWeb(t: TestContext, spine: Spine): Promise<Web> {
  const { store, folder } = spine;
  const files = filesOf(store, folder);
  const byToken = async (token: string): Promise<Visitor | undefined> => {
    const sender = { listener: "desk", account: token.replace("a2p_", ""), name: "" };
    const caller = await store.run(() => identify(sender));
    if (caller.pairing === null) return undefined;
    return { caller, by: "token", operator: false, session: null, expiresAt: null };
  };
  const server = await openServer({
    ...anyPort,
    log: memoryLog(),
    routes: createFileRoutes(files),
    visitors: { byCookie: async () => undefined, byToken },
  });
  t.after(server.stop);
  return {
    files,
    get: (path, who) =>
      fetch(server.url + path, who ? { headers: { authorization: `Bearer a2p_${who}` } } : {}),
  };
}

function filesOf(store: Spine["store"], folder: string): Files {
  const key = Buffer.alloc(32, 9);
  return createFiles({ store, clock: systemClock, key, folder: join(folder, "files") });
}

/** The row of the only file. */
async function partOf({ store }: Spine): Promise<number> {
  for (let id = 1; ; id++) if ((await store.run(() => findPart(id)))?.file) return id;
}

const nasty = '../ré\u202Esumé "x\r\nSet-Cookie: a=b.html';

it("serves a file as an attachment that runs nowhere, to its own person and to owners alone", async (t) => {
  const spine = await startSpine(t);
  await spine.join("1", "ana", "authenticated");
  await spine.join("2", "bob", "authenticated");
  await spine.join("3", "eve", "owner");
  const web = await startWeb(t, spine);
  await spine.desk.say("1", made(encodeURIComponent(nasty), "<script>alert(1)</script>"));
  await spine.desk.until(/^$/);
  const part = await partOf(spine);
  for (const who of ["1", "3"]) {
    const answer = await web.get(`/api/files/o${part}`, who);
    const { headers } = answer;
    assert.equal(answer.status, 200);
    assert.equal(await answer.text(), "<script>alert(1)</script>");
    assert.equal(headers.get("content-type"), "application/octet-stream");
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.match(headers.get("content-security-policy") ?? "", /^sandbox; default-src 'none'/);
    assert.equal(
      headers.get("content-disposition"),
      `attachment; filename="r__sum_ _x__Set-Cookie_ a_b.html"; filename*=UTF-8''r%C3%A9_sum%C3%A9%20_x__Set-Cookie_%20a_b.html`,
    );
    assert.equal(headers.get("set-cookie"), null);
  }
  const refused = await web.get(`/api/files/o${part}`, "2");
  const unknown = await web.get("/api/files/o999", "2");
  assert.deepEqual([refused.status, unknown.status], [404, 404]);
  assert.equal(await refused.text(), await unknown.text());
  for (const path of [`/view/o${part}`, `/view/o${part}/frame`])
    assert.deepEqual(
      [
        (await web.get(path, "1")).status,
        (await web.get(path, "2")).status,
        (await web.get(path)).status,
      ],
      [200, 404, 401],
    );
  for (const id of ["999", "o0", "o-1", "o1e3", "x", `o${"9".repeat(30)}`, `o${part}%00`])
    assert.ok([400, 404].includes((await web.get(`/api/files/${id}`, "3")).status), id);
  unlinkSync([...kept(spine).values()][0] ?? "");
  assert.equal((await web.get(`/api/files/o${part}`, "1")).status, 410);
  assert.equal((await web.get(`/view/o${part}/frame`, "1")).status, 410);
});

it("names a file that the chat does not take, with a link for a day that only we can make", async (t) => {
  const folder = temporaryFolder(t);
  let files: Files | undefined;
  const fileLink = (part: number) => `https://gate.example/download/${files?.tokenFor(part)}`;
  const desk = createDesk("desk", { file: 1000 });
  const spine = await startSpine(t, { desk, folder, fileLink });
  const web = await startWeb(t, spine);
  files = web.files;
  await spine.join("1", "ana");
  await desk.say("1", ["echo here", "file 1000 fits.bin", "file 1001 large.bin"].join("\n"));
  const { text } = await desk.until(/large/);
  const [, token = ""] =
    /^📎 large\.bin \(0\.0 MB\) .*https:\/\/gate\.example\/download\/(\S+)$/.exec(text) ?? [];
  assert.deepEqual(
    desk
      .messages("1")
      .slice(1, 3)
      .map(({ text, file }) => file ?? text),
    ["here", "fits.bin"],
  );
  for (let times = 0; times < 2; times++) {
    const answer = await web.get(`/download/${token}`);
    assert.equal(answer.status, 200);
    assert.equal((await answer.arrayBuffer()).byteLength, 1001);
    assert.match(
      answer.headers.get("content-disposition") ?? "",
      /^attachment; filename="large\.bin"/,
    );
  }
  const [part = "", until = "", mac = ""] = token.split("-");
  const other = createFiles({ ...spine, clock: systemClock, key: Buffer.alloc(32, 8), folder });
  const late = createFileTokens(Buffer.alloc(32, 9), { now: () => Date.now() - 25 * 3_600_000 });
  const wrong = [
    `${Number(part) + 1}-${until}-${mac}`,
    `0${token}`,
    `${part}-${until}0-${mac}`,
    `${token}A`,
    token.slice(0, -1),
    token.toUpperCase(),
    other.tokenFor(Number.parseInt(part, 36)),
    late.make(Number.parseInt(part, 36)),
    "x",
  ];
  const answers = await Promise.all(wrong.map((one) => web.get(`/download/${one}`)));
  const bodies = new Set(await Promise.all(answers.map((answer) => answer.text())));
  assert.deepEqual(
    [new Set(answers.map(({ status }) => status)), bodies.size],
    [new Set([404]), 1],
  );
  await spine.store.run(() => removePairing("ana", Date.now()));
  assert.equal((await web.get(`/download/${token}`)).status, 404);
});
