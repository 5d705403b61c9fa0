// What the fake platform holds: users, chats with their messages, files, presses, and counters of what the bot did.
import {
  ApiFailure,
  badRequest,
  type FakeChat,
  type FakeMessage,
  type FakeUser,
} from "./telegram-types.ts";

export interface StoredMessage {
  kind: "message";
  message: FakeMessage;
  edits: number;
  /** What a reader may not notice: no sound, no preview. */
  silent: boolean;
  file?: StoredFile;
}

export interface Notice {
  kind: "notice";
  to: FakeUser;
  text: string;
  alert: boolean;
}

export type Membership = "member" | "administrator" | "left" | "kicked";

export interface Room {
  chat: FakeChat;
  /** In the order shown; notices have negative keys. */
  entries: Map<number, StoredMessage | Notice>;
  /** Topic id to the service message that opened it. General has neither. */
  topics: Map<number, FakeMessage>;
  /** What the bot is here. */
  membership: Membership;
  /** Why the bot may not write here any more. */
  refusal: ApiFailure | undefined;
  lastMessageId: number;
}

export interface StoredFile {
  id: string;
  uniqueId: string;
  name: string;
  mime: string;
  size: number;
  /** Undefined for a file that only pretends to be that large. */
  bytes: Uint8Array | undefined;
  path: string;
}

export interface Press {
  id: string;
  from: FakeUser;
  chatId: number;
  messageId: number;
  at: number;
  answers: { text: string; alert: boolean }[];
}

export interface Counters {
  calls: Record<string, number>;
  sent: number;
  edited: number;
  deleted: number;
  refused: number;
}

export interface WorldOptions {
  me: FakeUser;
  now: () => number;
  /** How many messages a chat keeps. */
  keep: number;
  pressLifetimeMs: number;
}

export class World {
  readonly me: FakeUser;
  readonly now: () => number;
  readonly users = new Map<number, FakeUser>();
  readonly rooms = new Map<number, Room>();
  readonly files = new Map<string, StoredFile>();
  readonly presses = new Map<string, Press>();
  readonly commands = new Map<string, unknown>();
  readonly counters: Counters = { calls: {}, sent: 0, edited: 0, deleted: 0, refused: 0 };
  pressLifetimeMs: number;
  readonly #keep: number;
  #lastSharedId = 0;
  #lastSerial = 0;

  constructor(options: WorldOptions) {
    this.me = options.me;
    this.now = options.now;
    this.#keep = options.keep;
    this.pressLifetimeMs = options.pressLifetimeMs;
    this.users.set(this.me.id, this.me);
  }

  get seconds(): number {
    return Math.floor(this.now() / 1_000);
  }

  serial(): number {
    this.#lastSerial += 1;
    return this.#lastSerial;
  }

  addRoom(chat: FakeChat): Room {
    const room: Room = {
      chat,
      entries: new Map(),
      topics: new Map(),
      membership: "member",
      refusal: undefined,
      lastMessageId: 0,
    };
    this.rooms.set(chat.id, room);
    return room;
  }

  /** The room as a test names it: unknown is the test's mistake. */
  roomOf(chatId: number): Room {
    const room = this.rooms.get(chatId);
    if (!room) throw new Error(`the fake has no chat ${chatId}`);
    return room;
  }

  /** The room as the bot names it: refused as the platform refuses. */
  roomForBot(chatId: number | undefined): Room {
    if (chatId === undefined) throw badRequest("chat_id is empty");
    const room = this.rooms.get(chatId);
    if (!room) {
      if (!this.users.has(chatId)) throw badRequest("chat not found");
      throw new ApiFailure(403, "Forbidden: bot can't initiate conversation with a user");
    }
    if (room.refusal) throw room.refusal;
    return room;
  }

  /** As on the platform, supergroups count for themselves; all other chats of an account share one count. */
  nextMessageId(room: Room): number {
    if (room.chat.type === "supergroup") {
      room.lastMessageId += 1;
      return room.lastMessageId;
    }
    this.#lastSharedId += 1;
    return this.#lastSharedId;
  }

  store(room: Room, message: FakeMessage, more: Partial<StoredMessage> = {}): StoredMessage {
    const stored: StoredMessage = { kind: "message", edits: 0, silent: false, ...more, message };
    this.#add(room, message.message_id, stored);
    return stored;
  }

  storeNotice(chatId: number, notice: Omit<Notice, "kind">): void {
    const room = this.rooms.get(chatId);
    if (room) this.#add(room, -this.serial(), { kind: "notice", ...notice });
  }

  find(room: Room, messageId: number | undefined): StoredMessage | undefined {
    const entry = messageId === undefined ? undefined : room.entries.get(messageId);
    return entry?.kind === "message" ? entry : undefined;
  }

  addFile(file: Omit<StoredFile, "id" | "uniqueId" | "path"> & { folder: string }): StoredFile {
    const { folder, ...content } = file;
    const number = this.serial();
    const extension = /\.\w{1,8}$/.exec(file.name)?.[0] ?? "";
    const stored = {
      ...content,
      id: `fake-file-${number}`,
      uniqueId: `unique-${number}`,
      path: `${folder}/file_${number}${extension}`,
    };
    this.files.set(stored.id, stored);
    return stored;
  }

  #add(room: Room, key: number, entry: StoredMessage | Notice): void {
    room.entries.set(key, entry);
    if (room.entries.size <= this.#keep) return;
    for (const oldest of room.entries.keys()) {
      room.entries.delete(oldest);
      break;
    }
  }
}
