// Drops at any point: on the routes themselves, without a network that would only slow it down.
import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import type { Visitor } from "../../src/access/visitor.ts";
import { systemClock } from "../../src/core/clock.ts";
import { createWeb, type Web } from "../../src/http/web/channel.ts";
import { memoryLog, temporaryFolder } from "../fakes/agent-rig.ts";
import { after, blocksOf, emptyState, type PageState } from "../fakes/web-page.ts";
import { visitorOf } from "../fakes/web-server.ts";

const to = { listener: "web", chat: "ana" };
const place = fc.constantFrom("ana", "ana.further-1");
const name = fc.constantFrom("o1", "o2", "o3", "o4");
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom("edit", "remove"), place, name }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom("send", "type", "change"), place }) },
  { weight: 1, arbitrary: fc.record({ drop: fc.nat(10) }) },
);

it("shows in the end the same to whoever was cut off at any points as to whoever was not", {
  timeout: 60_000,
}, async (t) => {
  const folder = temporaryFolder(t);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 50 }), async (steps) => {
      const web = webWithout(folder);
      const whole = readerOf(web);
      const cut = readerOf(web);
      for (const [n, one] of steps.entries()) {
        if ("drop" in one) await cut.dropAfter(one.drop);
        else await act(web, one, n);
      }
      await web.listener.send(to, { plain: "the end" }, "o-end");
      for (const reader of [whole, cut]) await reader.readTo("ana o-end");
      assert.deepEqual([...cut.state().entries].sort(), [...whole.state().entries].sort());
    }),
    { numRuns: 200 },
  );
});

async function act(web: Web, one: { do: string; place: string; name?: string }, n: number) {
  const { listener } = web;
  const ref = { chat: one.place, id: one.name ?? "" };
  if (one.do === "edit") await listener.edit?.(ref, { plain: `edited ${n}` });
  if (one.do === "remove") await listener.remove?.(ref);
  if (one.do === "send")
    await listener.send({ ...to, chat: one.place }, { plain: `${n}` }, `s${n}`);
  if (one.do === "type") await listener.showTyping?.({ ...to, chat: one.place });
  if (one.do === "change") web.changed("ana", { conversations: [one.place], what: [] });
}

function webWithout(folder: string): Web {
  const unused = () => {
    throw new Error("not used here");
  };
  return createWeb({
    log: memoryLog(),
    clock: systemClock,
    files: folder,
    cookieName: unused,
    about: unused,
    stillCounts: async () => true,
    visitors: { signIn: unused, exchange: unused, signOut: unused },
  });
}

/** A page that reads event by event, and may be cut off after any of them. */
function readerOf(web: Web) {
  const visitor: Visitor = visitorOf("ana", "s-ana");
  const from = { address: "127.0.0.1", local: true, origin: "http://localhost", params: {} };
  const route = web.routes().find(({ path }) => path === "/api/events");
  if (route?.access !== "caller") throw new Error("No such route");
  let [state, last]: [PageState, string] = [emptyState, ""];
  let connection = new AbortController();
  const open = async () => {
    connection = new AbortController();
    const headers = last ? { "last-event-id": last } : {};
    const init = { headers, signal: connection.signal };
    const request = new Request("http://localhost/api/events", init);
    return blocksOf(await route.handle(request, { ...from, visitor }));
  };
  let opening = open();
  const next = async () => {
    const { value } = await (await opening).next();
    if (value?.event) state = after(state, value.event);
    last = value?.id ?? last;
  };
  return {
    state: () => state,
    async dropAfter(blocks: number) {
      // At least its position is known: a page without one fetches everything.
      for (let n = 0; n < blocks || last === ""; n++) {
        const waiting = next();
        const none = new Promise((resolve) => setImmediate(resolve, "none"));
        if ((await Promise.race([waiting, none])) === "none" && last !== "") break;
      }
      connection.abort();
      opening = open();
    },
    async readTo(key: string) {
      while (!state.entries.has(key)) await next();
    },
  };
}
