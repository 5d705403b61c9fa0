import assert from "node:assert/strict";
import { createConnection } from "node:net";
import { it, type TestContext } from "node:test";
import type { WebEvent } from "../../src/core/page.ts";
import type { WebPorts } from "../../src/http/web/channel.ts";
import { temporaryFolder } from "../fakes/agent-rig.ts";
import { blocksOf } from "../fakes/web-page.ts";
import { serveWeb } from "../fakes/web-server.ts";

async function rig(t: TestContext, ports: Partial<WebPorts> = {}) {
  const server = await serveWeb({ folder: temporaryFolder(t), ports });
  t.after(server.stop);
  const { web } = server;
  const page = server.page("s-ana", "ana");
  await page.opened;
  return { server, web, page, listener: web.listener };
}

const to = { listener: "web", chat: "ana" };
const textsOf = (events: readonly WebEvent[]) =>
  events.flatMap((event) =>
    event.type === "posted" || event.type === "edited" ? [event.entry.text] : [event.type],
  );

it("tells of what is sent, changed and taken away, under the name that the history has", async (t) => {
  const { page, listener } = await rig(t);
  const buttons = [{ label: "Go\u202E", data: "d" }];
  const ref = await listener.send(to, { body: "**one**", plain: "one", buttons }, "o7");
  assert.deepEqual(ref, { chat: "ana", id: "o7" });
  assert.deepEqual(await listener.send(to, { plain: "one" }, "o7"), ref);
  await listener.edit?.(ref, { plain: "plain\u001B" });
  await listener.remove?.(ref);
  await page.until("the end", () => page.events.at(-1)?.type === "removed");
  const [posted, edited, removed] = page.events;
  assert.ok(posted?.type === "posted" && edited?.type === "edited");
  const { at, ...entry } = posted.entry;
  assert.ok(Math.abs(Date.now() - at) < 10_000);
  const shown = [{ label: "Go⟨U+202E⟩", data: "d" }];
  assert.deepEqual(entry, {
    is: "posted",
    id: "o7",
    text: "**one**",
    format: "markdown",
    buttons: shown,
  });
  assert.deepEqual([edited.entry.text, edited.entry.format], ["plain⟨U+001B⟩", "plain"]);
  assert.equal(edited.entry.at, at);
  assert.deepEqual(removed, { type: "removed", chat: "ana", id: "o7" });
  assert.equal(page.events.length, 3);
});

it("names a file, and where it is fetched and shown, by the message's own name", async (t) => {
  const { page, listener } = await rig(t);
  const file = { path: "/nowhere", name: "plan\u202E.svg", mime: "image/svg+xml", size: 7 };
  await listener.send(to, { plain: "", file }, "o8");
  await page.until("it", () => page.events.length === 1);
  const [posted] = page.events;
  assert.deepEqual(posted?.type === "posted" && posted.entry.file, {
    name: "plan⟨U+202E⟩.svg",
    mime: "image/svg+xml",
    size: 7,
    url: "/api/files/o8",
    view: "/view/o8",
  });
  assert.doesNotMatch(JSON.stringify(posted), /nowhere/);
});

it("tells of a chat only those whose chat it is, and what to fetch again only those who are meant", async (t) => {
  const { page, listener, web, server } = await rig(t);
  const bo = server.page("s-bo", "bo");
  await bo.opened;
  await listener.send({ ...to, chat: "ana.further-1" }, { plain: "for ana" }, "o1");
  await listener.showTyping?.(to);
  await listener.answerPress?.({ id: "ana.press-0001" }, "private to ana");
  await listener.answerPress?.({ id: "bo.press-0001" });
  web.changed("ana", { conversations: ["c1"], what: ["tasks"] });
  await listener.send({ ...to, chat: "bo" }, { plain: "for bo" }, "o2");
  web.changed("all", { conversations: [], what: ["operator"] });
  const over = ({ events }: typeof page) => events.at(-1)?.type === "changed";
  await page.until("all of it", () => over(page) && page.events.length === 5);
  await bo.until("all of it", () => over(bo));
  assert.deepEqual(textsOf(page.events), ["for ana", "typing", "notice", "changed", "changed"]);
  const notice = { type: "notice", press: "press-0001", text: "private to ana" };
  assert.deepEqual(page.events[2], notice);
  assert.deepEqual(textsOf(bo.events), ["for bo", "changed"]);
});

it("shows a page that opens in the middle of an answer all that there is of it", async (t) => {
  const { listener, server } = await rig(t);
  const ref = await listener.send(to, { plain: "I" }, "o1");
  await listener.send(to, { plain: "Gone" }, "o2");
  await listener.edit?.({ ...ref, id: "o2" }, { plain: "Gone soon" });
  await listener.remove?.({ ...ref, id: "o2" });
  for (let n = 1; n < 50; n++) await listener.edit?.(ref, { plain: `I${" grow".repeat(n)}` });
  const late = server.page("s-ana-2", "ana");
  await late.opened;
  assert.deepEqual(textsOf(late.events), [`I${" grow".repeat(49)}`]);
});

it("goes on after a lost connection with what was missed, and asks for everything after a restart", async (t) => {
  const { page, listener, server } = await rig(t);
  await listener.send(to, { plain: "one" }, "o1");
  await page.until("one", () => page.events.length === 1);
  page.drop();
  await listener.send(to, { plain: "two" }, "o2");
  await listener.send(to, { plain: "three" }, "o3");
  await page.until("three", () => page.events.length === 3);
  assert.deepEqual(textsOf(page.events), ["one", "two", "three"]);
  await server.again().listener.send(to, { plain: "four" }, "o4");
  await page.until("four", () => page.events.length === 5);
  assert.deepEqual(textsOf(page.events.slice(3)), ["reset", "four"]);
});

it("asks for everything when what was missed is too long ago", async (t) => {
  const { listener, server } = await rig(t);
  const first = server.request("s-ana");
  const stop = new AbortController();
  const opened = blocksOf(await first("/api/events", { signal: stop.signal }));
  let last = "";
  while (last === "") last = (await opened.next()).value?.id ?? "";
  stop.abort();
  for (let n = 1; n <= 501; n++) await listener.send(to, { plain: `n${n}` }, `o${n}`);
  const { value } = await firstEvent(await first(`/api/events?after=${last}`));
  assert.deepEqual(value, { type: "reset" });
  // The browser's own position counts more than the one in the address, which grows old.
  const newest = { "last-event-id": last.replace(/-\d+$/, "-500") };
  const next = await firstEvent(await first(`/api/events?after=${last}`, { headers: newest }));
  assert.deepEqual(textsOf([next.value]), ["n501"]);
});

async function firstEvent(response: Response): Promise<{ value: WebEvent }> {
  for await (const { event } of blocksOf(response)) if (event) return { value: event };
  throw new Error("The stream ended");
}

it("watches for who has just lost their page, and tells who was away for long that something is missing", async (t) => {
  const { page, web, server } = await rig(t, { timing: { away: 300 } });
  const viewers = () => new Set(web.viewers().map(({ pairing }) => pairing));
  const last = ({ events }: typeof page) => events.at(-1)?.type;
  const bo = server.page("s-bo", "bo");
  await bo.opened;
  assert.deepEqual(viewers(), new Set(["ana", "bo"]));
  bo.hold();
  assert.deepEqual(viewers(), new Set(["ana", "bo"]));
  web.changed("bo", { conversations: ["c1"], what: [] });
  bo.release();
  await bo.until("what changed meanwhile", () => last(bo) === "changed");
  bo.hold();
  await bo.until("the end of its time", () => !viewers().has("bo"));
  bo.release();
  await bo.until("reset", () => bo.events.some(({ type }) => type === "reset"));
  assert.deepEqual(viewers(), new Set(["ana", "bo"]));
  assert.deepEqual(page.events, []);
});

it("says bye at once when sessions are ended, and soon when one no longer counts", async (t) => {
  const timing = { beat: 60_000, look: 20 };
  const { page, web, server } = await rig(t, { timing });
  const [bo, cy] = [server.page("s-bo", "bo"), server.page("s-cy", "cy")];
  await Promise.all([bo.opened, cy.opened]);
  const hasBye = ({ events }: typeof page) => events.at(-1)?.type === "bye";
  web.endSessions("ana");
  await page.until("bye", () => hasBye(page));
  server.sessions.delete("s-bo");
  await bo.until("bye", () => hasBye(bo));
  assert.equal(hasBye(cy), false);
  web.endSessions();
  await cy.until("bye", () => hasBye(cy));
});

it("ends a page whose session cannot be looked at without a bye, so that it asks at the guard", async (t) => {
  const stillCounts = () => Promise.reject(new Error("no database"));
  const { server } = await rig(t, { stillCounts, timing: { beat: 60_000, look: 20 } });
  const seen: unknown[] = [];
  for await (const { event } of blocksOf(await server.request("s-ana")("/api/events")))
    seen.push(event?.type);
  assert.doesNotMatch(seen.join(), /bye/);
  assert.match(server.log.lines.join(), /Could not look at a session/);
});

it("sends signs of life, so that a lost connection is seen by both sides", async (t) => {
  const { server } = await rig(t, { timing: { beat: 10, look: 60_000 } });
  const response = await server.request("s-ana")("/api/events");
  assert.equal(response.headers.get("content-type"), "text/event-stream");
  let blocks = 0;
  for await (const { event } of blocksOf(response)) {
    assert.equal(event, undefined);
    blocks += 1;
    if (blocks === 6) break;
  }
});

it("keeps at most 16 pages of a session open: the oldest is told to close", async (t) => {
  const { page, server } = await rig(t);
  const more = Array.from({ length: 15 }, () => server.page("s-ana"));
  const other = server.page("s-ana-2", "ana");
  await Promise.all([...more, other].map(({ opened }) => opened));
  assert.deepEqual(page.events, []);
  await server.page("s-ana").opened;
  await page.until("bye", () => page.events.at(-1)?.type === "bye");
  assert.deepEqual(
    [...more, other].flatMap(({ events }) => events),
    [],
  );
});

it("lets go of a page that reads nothing, and goes on with the others", {
  timeout: 30_000,
}, async (t) => {
  const { page, listener, server } = await rig(t);
  const { hostname, port } = new URL(server.url);
  const socket = createConnection({ host: hostname, port: Number(port) });
  t.after(() => socket.destroy());
  const cookie = `sallyport_${port}=s-ana`;
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  socket.write(
    `GET /api/events HTTP/1.1\r\nhost: ${hostname}:${port}\r\ncookie: ${cookie}\r\n\r\n`,
  );
  socket.once("data", () => socket.pause());
  await new Promise((resolve) => socket.once("readable", resolve));
  const text = "x".repeat(30_000);
  for (let n = 1; n <= 600; n++) {
    await listener.send(to, { plain: `${n} ${text}` }, `o${n}`);
    await page.until("it", () => page.events.length === n);
  }
  socket.resume();
  socket.on("error", () => {});
  await closed;
  assert.equal(page.events.length, 600);
});
