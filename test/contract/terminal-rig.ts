// The terminal listener behind a real control socket, with a chat that follows it.
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { createTerminal } from "../../src/cli/terminal/channel.ts";
import { connect } from "../../src/cli/terminal/connection.ts";
import {
  after,
  type Conversation,
  emptyConversation,
} from "../../src/cli/terminal/conversation.ts";
import { painter } from "../../src/cli/terminal/style.ts";
import { itemLines } from "../../src/cli/terminal/view.ts";
import type { Log } from "../../src/core/log.ts";
import { openControl } from "../../src/http/control.ts";
import { notesInMemory } from "../fakes/notes.ts";
import { type Rig, type Seen, shownWhenDone } from "./rig.ts";

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };
const direct = { listener: "terminal", chat: "local" };

/** `folder` is removed by the caller. */
export async function openTerminalRig(folder: string): Promise<Rig> {
  const channel = createTerminal({ settled: async () => "answered" });
  const listener = channel.open(
    {},
    { listener: "terminal", log: silent, notes: notesInMemory(), fetchFrom: unreachable },
  );
  const control = await openControl({
    path: join(folder, "control.sock"),
    record: join(folder, "control.path"),
    runtimeDir: folder,
    log: silent,
    routes: listener.routes?.() ?? [],
    admin: async () => undefined,
  });
  const chat = openChat(control.path);
  await chat.connection.settled();
  return {
    channel,
    listener: shownWhenDone(listener, { seen: chat.connection.settled }),
    direct,
    says: (_, text) => void chat.connection.say({ id: randomUUID(), text }),
    visible: () => chat.seen(),
    until: chat.until,
    presses: (_, label) => chat.press(label),
    notices: () => chat.notices,
    typing: () => (chat.typing() ? [{ chat: direct.chat }] : []),
    async close() {
      chat.connection.close();
      await control.stop();
    },
  };
}

function unreachable(): never {
  throw new Error("the terminal reaches nothing");
}

function openChat(socket: string) {
  let conversation: Conversation = emptyConversation;
  const notices: string[] = [];
  const presses = new Set<string>();
  const connection = connect({
    socket: () => socket,
    after: "now",
    patience: 5000,
    onState: () => {},
    on(event) {
      if (event.type === "notice") {
        if (presses.has(event.press)) notices.push(event.text);
      } else conversation = after(conversation, event);
    },
  });
  return {
    connection,
    notices,
    typing: () => conversation.typing,
    seen: () => conversation.items.flatMap(toSeen),
    press(label: string) {
      const found = conversation.items.findLast(
        (one) => one.is === "message" && one.buttons.some((button) => button.label === label),
      );
      if (found?.is !== "message") throw new Error(`No button ${label}`);
      const id = randomUUID();
      presses.add(id);
      const data = found.buttons.find((button) => button.label === label)?.data ?? "";
      void connection.press({ id, message: found.id, data });
    },
    async until(what: string, check: () => boolean) {
      const deadline = performance.now() + 10_000;
      while (!check()) {
        if (performance.now() > deadline) throw new Error(`Never saw ${what}`);
        await connection.settled();
      }
    },
  };
}

/** As a person reads it without colours; the lines that open and close code are not the text. */
function toSeen(item: Conversation["items"][number]): Seen[] {
  if (item.is === "note") return [];
  if (item.is === "said") return [{ text: item.text, buttons: [], ours: false }];
  const { file, ...shown } = item;
  const lines = itemLines(shown, false, painter(false));
  const text = lines.filter((line) => !/^`{3}\w*$/.test(line)).join("\n");
  const buttons = item.buttons.map(({ label }) => label);
  return [{ text, buttons, ours: true, ...(file ? { file: file.name } : {}) }];
}
