// What the fake Slack knows: people, conversations, messages and files of one workspace and one app.
import { randomBytes } from "node:crypto";
import {
  type FakeMember,
  type Room,
  SlackFailure,
  type SlackMessage,
  type StoredFile,
  type StoredMessage,
  type Upload,
} from "./slack-types.ts";

export interface AppNames {
  readonly user: string;
  readonly botId: string;
  readonly appId: string;
  readonly team: string;
  readonly enterprise: string | undefined;
  readonly name: string;
}

export interface WorldOptions {
  readonly me: AppNames;
  readonly now: () => number;
  /** How many messages of a conversation are kept. */
  readonly keep: number;
}

/** What an answer to a press or to a command may be posted to. */
export interface ResponseUrl {
  readonly secret: string;
  readonly room: string;
  readonly user: string;
  /** The message with the pressed button. */
  readonly ts?: string;
  readonly at: number;
  uses: number;
}

const firstSerial = 1_000_000;

export class SlackWorld {
  readonly me: AppNames;
  readonly now: () => number;
  readonly members = new Map<string, FakeMember>();
  readonly rooms = new Map<string, Room>();
  readonly files = new Map<string, StoredFile>();
  readonly responses = new Map<string, ResponseUrl>();
  /** What each person's App Home shows. */
  readonly homes = new Map<string, Record<string, unknown>>();
  readonly counters = { sent: 0, edits: 0, ephemerals: 0, unseen: 0, refused: 0 };
  readonly #dms = new Map<string, Room>();
  readonly #keep: number;
  #serial = firstSerial;
  #lastMicros = 0;

  constructor({ me, now, keep }: WorldOptions) {
    this.me = me;
    this.now = now;
    this.#keep = keep;
  }

  /** As in `U`, `C`, `Ev`: unique, and of Slack's shape. */
  id(prefix: string): string {
    this.#serial += 1;
    return `${prefix}0${this.#serial.toString(36).toUpperCase().padStart(9, "0")}`;
  }

  secret(): string {
    return randomBytes(12).toString("hex");
  }

  /** Later than every other, in microseconds. */
  ts(): string {
    this.#lastMicros = Math.max(Math.floor(this.now()) * 1_000, this.#lastMicros + 1);
    const micros = String(this.#lastMicros);
    return `${micros.slice(0, -6)}.${micros.slice(-6)}`;
  }

  /** Of a conversation that the app may know of. */
  roomOf(id: unknown): Room {
    const room = this.rooms.get(String(id));
    if (!room) throw new SlackFailure("channel_not_found");
    return room;
  }

  memberOf(id: unknown): FakeMember {
    const member = this.members.get(String(id));
    if (!member) throw new SlackFailure("user_not_found");
    return member;
  }

  /** The direct conversation of a person with the app, made when new. */
  dm(user: string): Room {
    const known = this.#dms.get(user);
    if (known) return known;
    const room = this.addRoom({ name: "", kind: "im", members: [user, this.me.user] });
    this.#dms.set(user, room);
    return room;
  }

  addRoom(spec: Pick<Room, "name" | "kind"> & { members: string[]; shared?: boolean }): Room {
    const room: Room = {
      id: this.id({ im: "D", mpim: "G", channel: "C", group: "C" }[spec.kind]),
      name: spec.name,
      kind: spec.kind,
      shared: spec.shared ?? false,
      members: new Set(spec.members),
      archived: false,
      messages: [],
    };
    this.rooms.set(room.id, room);
    return room;
  }

  store(room: Room, stored: StoredMessage): void {
    room.messages.push(stored);
    if (room.messages.length > this.#keep) room.messages.shift();
  }

  find(room: Room, ts: unknown): StoredMessage | undefined {
    return room.messages.find(({ message, gone }) => message.ts === ts && !gone);
  }

  /** Among all conversations: no two messages have the same ts here. */
  locate(ts: string): { room: Room; stored: StoredMessage } | undefined {
    for (const room of this.rooms.values()) {
      const stored = this.find(room, ts);
      if (stored) return { room, stored };
    }
    return undefined;
  }

  repliesTo(room: Room, ts: string): SlackMessage[] {
    return room.messages
      .filter(({ message, onlyFor }) => message.thread_ts === ts && message.ts !== ts && !onlyFor)
      .map(({ message }) => message);
  }

  addFile({ name, content, mime }: Upload, owner: string): StoredFile {
    const file: StoredFile = {
      id: this.id("F"),
      name,
      mime: mime ?? "application/octet-stream",
      owner,
      bytes: new Uint8Array(Buffer.from(content as string)),
      shares: [],
    };
    this.files.set(file.id, file);
    return file;
  }
}
