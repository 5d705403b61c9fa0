// The web listener behind the real server and its guard, with a page that is open on it.
import { randomUUID } from "node:crypto";
import { painter, styleMarkdown } from "../../src/cli/terminal/style.ts";
import type { Listener } from "../../src/core/channel.ts";
import type { Entry, NewPress } from "../../src/core/page.ts";
import { type Page, uploaded } from "../fakes/web-page.ts";
import { serveWeb, type WebServer } from "../fakes/web-server.ts";
import { type Rig, type Seen, shownWhenDone } from "./rig.ts";

const pairing = "ana";
const direct = { listener: "web", chat: pairing };

/** `folder` is removed by the caller. */
export async function openWebRig(folder: string): Promise<Rig> {
  const server = await serveWeb({ folder });
  const page = server.page("session-of-ana", pairing);
  const { web } = server;
  await caughtUp(server, page);
  const presses = new Set<string>();
  const watched = (listener: Listener) =>
    shownWhenDone(listener, { seen: () => caughtUp(server, page), stopped: page.quiet });
  return {
    channel: web.channel,
    listener: watched(web.listener),
    direct,
    says: ({ chat }, text) => page.say({ chat, text }),
    visible: ({ chat }) => seenIn(page, chat),
    until: page.until,
    unconfirmed: () => page.unconfirmed,
    again: () => watched(server.again().listener),
    presses(_, label) {
      const id = randomUUID();
      presses.add(id);
      const press: NewPress = { id, chat: pairing, ...buttonWith(page, label) };
      void page.post("/api/presses", press);
    },
    notices: () =>
      page.events.flatMap((event) =>
        event.type === "notice" && presses.has(event.press) ? [event.text] : [],
      ),
    sendsFile(_, name, content) {
      void uploaded(page.upload(name, content)).then(({ id }) =>
        page.say({ chat: pairing, text: "", files: [id] }),
      );
    },
    typing: () => [...page.state.typing].map((chat) => ({ chat })),
    close: server.stop,
  };
}

/** Resolves once the page was told everything up to now. */
async function caughtUp({ web }: WebServer, { events, until }: Page): Promise<void> {
  const mark = randomUUID();
  const isMark = (event: (typeof events)[number]) =>
    event.type === "changed" && event.conversations.includes(mark);
  await until("its own stream", () => {
    // Again until it is heard: at first there is nobody who follows.
    if (!events.some(isMark)) web.changed(pairing, { conversations: [mark], what: [] });
    return events.some(isMark);
  });
}

function entriesIn({ state }: Page, chat: string): Entry[] {
  return [...state.entries].flatMap(([key, entry]) => (key.startsWith(`${chat} `) ? [entry] : []));
}

function buttonWith(page: Page, label: string) {
  for (const entry of entriesIn(page, pairing).reverse()) {
    const button =
      entry.is === "posted" ? entry.buttons.find((one) => one.label === label) : undefined;
    if (button) return { message: entry.id, data: button.data };
  }
  throw new Error(`No button ${label}`);
}

/** As a person reads it; the lines that open and close code are not the text. */
function seenIn(page: Page, chat: string): Seen[] {
  return entriesIn(page, chat).map((entry) => {
    if (entry.is === "said") return { text: entry.text, buttons: [], ours: false };
    const lines = styleMarkdown(entry.text, painter(false));
    const read = lines.filter((line) => !/^`{3}\w*$/.test(line)).join("\n");
    const text = entry.format === "markdown" ? read : entry.text;
    const buttons = entry.buttons.map(({ label }) => label);
    return { text, buttons, ours: true, ...(entry.file ? { file: entry.file.name } : {}) };
  });
}
