// A chat platform in memory with everything a channel can do: for tests of what is in the middle.
import type { Accept, Button, Channel, Listener, Part } from "../../src/core/channel.ts";
import { SendError } from "../../src/core/channel.ts";
import type {
  ButtonPress,
  InboundEvent,
  InboundMessage,
  MessageRef,
} from "../../src/core/events.ts";
import type { ChatRef } from "../../src/core/words.ts";

export interface Shown {
  readonly ref: MessageRef;
  text: string;
  buttons: readonly Button[];
  file?: string;
  edits: number;
}

export interface Desk {
  readonly channel: Channel;
  readonly listener: Listener;
  /** Everything a person sees in this chat, oldest first. */
  see(chat?: string): string[];
  messages(chat?: string): Shown[];
  notices: string[];
  /** Resolves when it is on disk. */
  say(account: string, text: string, more?: Partial<InboundMessage>): Promise<InboundMessage>;
  press(account: string, label: string, more?: Partial<ButtonPress>): Promise<void>;
  send(events: readonly InboundEvent[]): Promise<void>;
  /** Resolves once something in the chat matches. */
  until(pattern: RegExp, chat?: string): Promise<Shown>;
  blocked: Set<string>;
}

const limits = { text: 4000, caption: 1000, buttons: 10, file: 20_000_000, editPace: 0 };

function render(text: string): Part[] {
  const parts: Part[] = [];
  for (let start = 0; start < text.length; start += limits.text)
    parts.push({ plain: text.slice(start, start + limits.text) });
  return parts;
}

export function createDesk(id = "desk"): Desk {
  const chats = new Map<string, Shown[]>();
  const watchers = new Set<() => void>();
  const blocked = new Set<string>();
  const notices: string[] = [];
  let count = 0;
  let accept: Accept | undefined;
  const changed = () => {
    for (const watcher of watchers) watcher();
  };
  const room = (chat: string) => {
    const known = chats.get(chat) ?? [];
    chats.set(chat, known);
    return known;
  };
  const find = (ref: MessageRef) => room(ref.chat).find((one) => one.ref.id === ref.id);
  const listener: Listener = {
    id,
    async start(take) {
      accept = take;
    },
    async stop() {
      accept = undefined;
    },
    health: () => ({ state: "connected", lastContact: Date.now() }),
    async send(to, part) {
      if (blocked.has(to.chat)) throw new SendError("gone", "bot was blocked by the user");
      const ref = { chat: to.chat, id: `m${++count}`, ...(to.thread ? { thread: to.thread } : {}) };
      const file = part.file ? { file: part.file.name } : {};
      room(to.chat).push({ ref, text: part.plain, buttons: part.buttons ?? [], edits: 0, ...file });
      changed();
      return ref;
    },
    async edit(ref, part) {
      const shown = find(ref);
      if (!shown) throw new SendError("gone", "message to edit not found");
      shown.text = part.plain;
      shown.buttons = part.buttons ?? [];
      shown.edits += 1;
      changed();
    },
    async answerPress(_, notice) {
      if (notice) notices.push(notice);
      changed();
    },
    async openDirect(account) {
      return { listener: id, chat: account };
    },
    async remove(ref) {
      const messages = room(ref.chat);
      chats.set(
        ref.chat,
        messages.filter((one) => one.ref.id !== ref.id),
      );
      changed();
    },
    async fetchFile(file, into) {
      const writer = into.getWriter();
      await writer.write(new TextEncoder().encode(`content of ${file.id}`));
      await writer.close();
    },
  };
  const send = async (events: readonly InboundEvent[]) => {
    if (!accept) throw new Error("the desk is closed");
    await accept(events);
  };
  const until = (pattern: RegExp, chat = "1") =>
    new Promise<Shown>((resolve, reject) => {
      const timer = setTimeout(() => {
        watchers.delete(look);
        reject(
          new Error(
            `Never saw ${pattern} in:\n${room(chat)
              .map(({ text }) => text)
              .join("\n--\n")}`,
          ),
        );
      }, 10_000);
      const look = () => {
        const found = room(chat).find(({ text }) => pattern.test(text));
        if (!found) return;
        clearTimeout(timer);
        watchers.delete(look);
        resolve(found);
      };
      watchers.add(look);
      look();
    });
  return {
    channel: { name: "desk", limits, render, open: () => listener },
    listener,
    notices,
    blocked,
    see: (chat = "1") => room(chat).map(({ text }) => text),
    messages: (chat = "1") => room(chat),
    send,
    until,
    async say(account, text, more = {}) {
      const event = message(account, text, { id: `i${++count}`, more });
      await send([event]);
      return event;
    },
    async press(account, label, more = {}) {
      const chat = more.chat?.id ?? account;
      const shown = [...room(chat)]
        .reverse()
        .find(({ buttons }) => buttons.some((b) => b.label === label));
      const button = shown?.buttons.find((one) => one.label === label);
      if (!shown || !button) throw new Error(`No button ${label} in chat ${chat}`);
      await send([
        pressOf(account, `p${++count}`, { data: button.data, message: shown.ref, ...more }),
      ]);
    },
  };
}

export function message(
  account: string,
  text: string,
  { id, more = {} }: { id: string; more?: Partial<InboundMessage> },
): InboundMessage {
  const chat: ChatRef = more.chat ?? { id: account, kind: "direct" };
  return {
    kind: "message",
    key: `${chat.id}:${id}`,
    at: Date.now(),
    chat,
    sender: { account, name: `name of ${account}` },
    message: { chat: chat.id, id },
    text,
    addressed: true,
    files: [],
    ...more,
  };
}

export function pressOf(
  account: string,
  id: string,
  more: Partial<ButtonPress> & { data: string },
): ButtonPress {
  return {
    kind: "press",
    key: id,
    at: Date.now(),
    chat: { id: account, kind: "direct" },
    sender: { account, name: `name of ${account}` },
    press: { id },
    ...more,
  };
}
