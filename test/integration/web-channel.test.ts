import assert from "node:assert/strict";
import { it, type TestContext } from "node:test";
import type { Accept } from "../../src/core/channel.ts";
import type { InboundEvent } from "../../src/core/events.ts";
import { linkAccount } from "../../src/store/accounts.ts";
import { findPairing } from "../../src/store/pairings.ts";
import type { Store } from "../../src/store/store.ts";
import { temporaryFolder } from "../fakes/agent-rig.ts";
import { startSpine } from "../fakes/spine.ts";
import { serveWeb } from "../fakes/web-server.ts";

async function rig(t: TestContext, accept?: Accept | "not yet") {
  const server = await serveWeb({ folder: temporaryFolder(t) });
  t.after(server.stop);
  const taken: InboundEvent[] = [];
  const keep: Accept = async (batch) => void taken.push(...batch);
  if (accept !== "not yet") await server.web.listener.start(accept ?? keep);
  const page = server.page("s-ana", "ana");
  await page.opened;
  return { server, web: server.web, log: server.log, taken, page };
}

const id = "0123456789";
const message = { id, chat: "ana", text: "hello" };

it("makes one event of a message and of a press, as the person's own account in a direct chat", async (t) => {
  const { page, taken } = await rig(t);
  const answer = await page.post("/api/messages", message);
  assert.deepEqual([answer.status, answer.body], [200, { taken: true }]);
  const press = { id: "press-0001", chat: "ana", message: "o7", data: "d" };
  assert.equal((await page.post("/api/presses", press)).status, 200);
  const [first, second] = taken;
  assert.ok(first?.kind === "message" && second?.kind === "press");
  assert.deepEqual(first.chat, { id: "ana", kind: "direct" });
  assert.deepEqual(first.message, { chat: "ana", id: `m-${id}` });
  assert.deepEqual(first.sender, { account: "ana", name: "name of ana" });
  assert.deepEqual([first.text, first.addressed, first.files], ["hello", true, []]);
  assert.deepEqual([second.data, second.message], ["d", { chat: "ana", id: "o7" }]);
});

it("refuses what is no message or press", async (t) => {
  const { page, taken } = await rig(t);
  for (const body of [
    null,
    [],
    { id, chat: "ana" },
    { ...message, text: " \n" },
    { ...message, id: "short" },
    { ...message, id: "with space in it" },
    { ...message, text: "a".repeat(200_001) },
    { ...message, text: 7 },
    { ...message, files: ["ana.none"] },
    { ...message, files: ["ana.../../etc/passwd"] },
    { ...message, files: Array(11).fill("ana.x") },
  ])
    assert.equal((await page.post("/api/messages", body)).status, 400, JSON.stringify(body));
  const press = { id: "press-0001", chat: "ana", message: "o7", data: "d" };
  for (const more of [{ data: "é".repeat(33) }, { data: "" }, { message: "" }, { message: "a b" }])
    assert.equal((await page.post("/api/presses", { ...press, ...more })).status, 400);
  assert.deepEqual(taken, []);
});

it("takes what is said in chats that begin with the person's own pairing, and in no others", async (t) => {
  const { page, taken } = await rig(t);
  const others = [
    "bo",
    "ana2",
    "an",
    "ana.",
    "ana.short",
    `ana.${"x".repeat(33)}`,
    "ana.with space",
    "ana.abcdefgh.abcdefgh",
    "bo.abcdefgh",
    "ana2abcdefgh",
    "ana\u0000",
    "ana.abcdefgh\n",
  ];
  for (const chat of others) {
    assert.equal((await page.post("/api/messages", { ...message, chat })).status, 403, chat);
    const press = { id: "press-0001", chat, message: "o7", data: "d" };
    assert.equal((await page.post("/api/presses", press)).status, 403, chat);
  }
  assert.deepEqual(taken, []);
  assert.equal(
    (await page.post("/api/messages", { ...message, chat: "ana.a_-9A8b7" })).status,
    200,
  );
});

it("keeps the ids of two persons apart", async (t) => {
  const { page, taken, server } = await rig(t);
  const bo = server.page("s-bo", "bo");
  await page.post("/api/messages", message);
  await bo.post("/api/messages", { ...message, chat: "bo" });
  const keys = taken.map(({ key }) => key);
  assert.equal(new Set(keys).size, 2, keys.join());
});

it("says that it was taken only after the commit", async (t) => {
  let [commit, asked] = [() => {}, 0];
  const { page } = await rig(t, async () => {
    asked += 1;
    await new Promise<void>((resolve) => {
      commit = resolve;
    });
  });
  let answered = false;
  const answering = page.post("/api/messages", message).then((answer) => {
    answered = true;
    return answer;
  });
  await page.until("the offer", () => asked === 1);
  // Time enough for an answer, if there were one: another request goes there and back.
  assert.equal((await page.post("/api/messages", { id })).status, 400);
  assert.equal(answered, false);
  commit();
  assert.equal((await answering).status, 200);
});

it("says so when it could not be kept, and is not ready", async (t) => {
  const { page, log } = await rig(t, () => Promise.reject(new Error("disk full")));
  const failed = await page.post("/api/messages", message);
  assert.deepEqual([failed.status, failed.headers.get("retry-after")], [503, "1"]);
  assert.doesNotMatch(failed.body.problem, /disk full/);
  assert.match(log.lines.join(), /Could not keep/);
  assert.deepEqual(page.events, []);
  const early = await rig(t, "not yet");
  assert.equal((await early.page.post("/api/messages", message)).status, 503);
  const late = await rig(t);
  await late.web.listener.stop();
  const answer = await late.page.post("/api/messages", message);
  assert.equal(answer.status, 503);
  assert.match(answer.body.problem, /starting or stopping/);
  assert.deepEqual(late.taken, []);
});

it("shows what a page said on the person's other pages, once, and on nobody else's", async (t) => {
  const { page, server } = await rig(t);
  const [second, bo] = [server.page("s-ana-2", "ana"), server.page("s-bo", "bo")];
  await Promise.all([second.opened, bo.opened]);
  await Promise.all([page.post("/api/messages", message), page.post("/api/messages", message)]);
  await page.post("/api/messages", { ...message, id: "another-id", text: "and \u202Ethis" });
  await bo.post("/api/messages", { ...message, chat: "bo", text: "of bo" });
  const texts = ({ events }: typeof page) =>
    events.flatMap((event) => (event.type === "said" ? [event.entry.text] : []));
  await page.until("both", () => texts(page).length === 2);
  await second.until("both", () => texts(second).length === 2);
  await bo.until("its own", () => texts(bo).length === 1);
  assert.deepEqual(texts(page), ["hello", "and ⟨U+202E⟩this"]);
  assert.deepEqual(texts(second), texts(page));
  assert.deepEqual(texts(bo), ["of bo"]);
});

async function pairedOnWeb(store: Store): Promise<string> {
  const pairing = await store.run(() => findPairing("ana"));
  assert.ok(pairing);
  const account = { listener: "web", account: pairing.id, pairing: pairing.id, name: "ana" };
  await store.run(() => linkAccount({ ...account, linkedAt: 1 }));
  return pairing.id;
}

it("runs a message once that is sent again: at once, twice at the same time, and after a restart", async (t) => {
  const folder = temporaryFolder(t);
  const server = await serveWeb({ folder: temporaryFolder(t) });
  t.after(server.stop);
  const spine = await startSpine(t, { fake: "echo", folder, more: [server.web] });
  await spine.join("1", "ana");
  const pairing = await pairedOnWeb(spine.store);
  const page = server.page("s-ana", pairing);
  const once = { id: "sent-again", chat: pairing, text: "only once" };
  const twice = [page.post("/api/messages", once), page.post("/api/messages", once)];
  assert.deepEqual(
    (await Promise.all(twice)).map(({ status }) => status),
    [200, 200],
  );
  const answers = () =>
    page.events.flatMap((event) => (event.type === "posted" ? [event.entry.text] : []));
  const with_ = (text: string) => answers().filter((one) => one.includes(text)).length;
  await page.until("the answer", () => with_("only once") === 1);
  await spine.stop();
  const again = server.again();
  await startSpine(t, { fake: "echo", folder, more: [again] });
  assert.equal((await page.post("/api/messages", once)).status, 200);
  await page.post("/api/messages", { ...once, id: "the-next-one", text: "something else" });
  await page.until("the next answer", () => with_("something else") === 1);
  assert.equal(with_("only once"), 1, answers().join("\n"));
});
