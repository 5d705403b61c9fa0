// A chat platform in memory with everything a channel can do: for tests of what is in the middle.
import type {
  Accept,
  Button,
  Channel,
  Listener,
  ListenerHealth,
  Part,
} from "../../src/core/channel.ts";
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
  /** What became of presses and slash commands that wait for an answer, oldest first: `p1 closed`, `p2 notice`, `p3 whisper`. */
  answered: string[];
  /** Presses that are too old for a whisper. */
  stale: Set<string>;
  /** Resolves when it is on disk. */
  say(account: string, text: string, more?: Partial<InboundMessage>): Promise<InboundMessage>;
  press(account: string, label: string, more?: Partial<ButtonPress>): Promise<void>;
  send(events: readonly InboundEvent[]): Promise<void>;
  /** Resolves once something in the chat matches. */
  until(pattern: RegExp, chat?: string): Promise<Shown>;
  /** Resolves once it is in `answered`. */
  untilAnswered(wanted: string): Promise<string>;
  blocked: Set<string>;
  /** What its health says. */
  state: { now: ListenerHealth["state"] };
}

const limits = { text: 4000, caption: 1000, buttons: 10, file: 20_000_000, editPace: 0 };

function render(text: string): Part[] {
  const parts: Part[] = [];
  for (let start = 0; start < text.length; start += limits.text)
    parts.push({ plain: text.slice(start, start + limits.text) });
  return parts;
}

/** What the platform holds: rooms, who blocked us, and those who wait for something to appear. */
function createPlatform() {
  const rooms = new Map<string, Shown[]>();
  const watchers = new Set<() => void>();
  let count = 0;
  const room = (chat: string) => {
    const known = rooms.get(chat) ?? [];
    rooms.set(chat, known);
    return known;
  };
  return {
    room,
    blocked: new Set<string>(),
    notices: [] as string[],
    answered: [] as string[],
    stale: new Set<string>(),
    state: { now: "connected" } as Desk["state"],
    accept: undefined as Accept | undefined,
    nextId: () => ++count,
    find: (ref: MessageRef) => room(ref.chat).find((one) => one.ref.id === ref.id),
    forget(ref: MessageRef) {
      const left = room(ref.chat).filter((one) => one.ref.id !== ref.id);
      rooms.set(ref.chat, left);
    },
    watchers,
    changed() {
      for (const watcher of watchers) watcher();
    },
  };
}

type Platform = ReturnType<typeof createPlatform>;

function createListener(id: string, platform: Platform): Listener {
  return {
    id,
    async start(take) {
      platform.accept = take;
    },
    async stop() {
      platform.accept = undefined;
    },
    health: () => ({ state: platform.state.now, lastContact: Date.now() }),
    async send(to, part) {
      if (platform.blocked.has(to.chat)) throw new SendError("gone", "bot was blocked by the user");
      const thread = to.thread ? { thread: to.thread } : {};
      const ref = { chat: to.chat, id: `m${platform.nextId()}`, ...thread };
      const file = part.file ? { file: part.file.name } : {};
      const { plain: text, buttons = [] } = part;
      platform.room(to.chat).push({ ref, text, buttons, edits: 0, ...file });
      platform.changed();
      return ref;
    },
    async edit(ref, part) {
      const shown = platform.find(ref);
      if (!shown) throw new SendError("gone", "message to edit not found");
      shown.text = part.plain;
      shown.buttons = part.buttons ?? [];
      shown.edits += 1;
      platform.changed();
    },
    async answerPress({ id: press }, notice) {
      if (notice) platform.notices.push(notice);
      platform.answered.push(`${press} ${notice ? "notice" : "closed"}`);
      platform.changed();
    },
    openDirect: async (account) => ({ listener: id, chat: account }),
    async remove(ref) {
      platform.forget(ref);
      platform.changed();
    },
    async fetchFile(file, into) {
      const writer = into.getWriter();
      await writer.write(new TextEncoder().encode(`content of ${file.id}`));
      await writer.close();
    },
  };
}

/** What one account alone is shown in a group lies in a room of its own: `-7/2`. */
function whispering(platform: Platform, whispers: DeskOptions["whispers"]): Partial<Listener> {
  if (!whispers) return {};
  const whisper: Listener["whisper"] = async (to, only, part) => {
    const { id } = only.press ?? {};
    if (id ? platform.stale.has(id) : whispers === "to presses")
      throw new SendError("gone", "nothing to answer");
    const room = `${to.chat}/${only.account}`;
    const ref = { chat: room, id: `m${platform.nextId()}` };
    const { plain: text, buttons = [] } = part;
    platform.room(room).push({ ref, text, buttons, edits: 0 });
    if (id) platform.answered.push(`${id} whisper`);
    platform.changed();
  };
  return whispers === "to presses" ? { whisper, whispersToPressesOnly: true } : { whisper };
}

/** Looks again after each change. */
function until<T>(
  { watchers }: Platform,
  find: () => T | undefined,
  problem: () => string,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      watchers.delete(look);
      reject(new Error(problem()));
    }, 10_000);
    const look = () => {
      const found = find();
      if (found === undefined) return;
      clearTimeout(timer);
      watchers.delete(look);
      resolve(found);
    };
    watchers.add(look);
    look();
  });
}

function untilShown(platform: Platform, pattern: RegExp, chat: string): Promise<Shown> {
  const seen = () => platform.room(chat).map(({ text }) => text);
  return until(
    platform,
    () => platform.room(chat).find(({ text }) => pattern.test(text)),
    () => `Never saw ${pattern} in:\n${seen().join("\n--\n")}`,
  );
}

function untilAnswered(platform: Platform, wanted: string): Promise<string> {
  const { answered } = platform;
  return until(
    platform,
    () => answered.find((one) => one === wanted),
    () => `Never saw "${wanted}" in: ${answered.join(", ")}`,
  );
}

function withLabel(messages: readonly Shown[], label: string) {
  for (const shown of [...messages].reverse()) {
    const button = shown.buttons.find((one) => one.label === label);
    if (button) return { message: shown.ref, data: button.data };
  }
  throw new Error(`No button ${label}`);
}

export interface DeskOptions {
  readonly buttons?: number;
  readonly file?: number;
  /** Where a group can show something to one account alone. */
  readonly whispers?: "anywhere" | "to presses";
}

export function createDesk(id = "desk", options: DeskOptions = {}): Desk {
  const { buttons = limits.buttons, file = limits.file, whispers } = options;
  const platform = createPlatform();
  const { room, blocked, notices, answered, stale, state } = platform;
  const listener = { ...createListener(id, platform), ...whispering(platform, whispers) };
  const send = async (events: readonly InboundEvent[]) => {
    if (!platform.accept) throw new Error("the desk is closed");
    await platform.accept(events);
  };
  return {
    channel: { name: "desk", limits: { ...limits, buttons, file }, render, open: () => listener },
    listener,
    notices,
    answered,
    stale,
    blocked,
    state,
    see: (chat = "1") => room(chat).map(({ text }) => text),
    messages: (chat = "1") => room(chat),
    send,
    until: (pattern, chat = "1") => untilShown(platform, pattern, chat),
    untilAnswered: (wanted) => untilAnswered(platform, wanted),
    async say(account, text, more = {}) {
      const event = message(account, text, { id: `i${platform.nextId()}`, more });
      await send([event]);
      return event;
    },
    async press(account, label, more = {}) {
      const pressed = withLabel(room(more.chat?.id ?? account), label);
      await send([pressOf(account, `p${platform.nextId()}`, { ...pressed, ...more })]);
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
