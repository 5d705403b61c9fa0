// One session of the fake gateway: what it was told, in order, so that it can be told again on resuming.
import type { WebSocket } from "ws";
import type { Id, Json } from "./discord-types.ts";

export const INTENTS = {
  guilds: 1 << 0,
  guildMembers: 1 << 1,
  guildPresences: 1 << 8,
  guildMessages: 1 << 9,
  directMessages: 1 << 12,
  messageContent: 1 << 15,
};

export interface Event {
  type: string;
  /** Undefined: told whatever the intents are. */
  intent?: number;
  /** `content`: whether the session may read what people write. */
  data: (content: boolean) => Json;
}

/** More than a client can miss in any test; keeps long runs small. */
const REMEMBERED = 2_000;

export class Session {
  readonly id: Id;
  readonly intents: number;
  seq = 0;
  resumes = 0;
  ended = false;
  deaf = false;
  socket: WebSocket | undefined;
  #told: { seq: number; frame: string }[] = [];
  /** The last that went out. */
  #sent = 0;
  #expiry: NodeJS.Timeout | undefined;

  constructor(id: Id, intents: number) {
    this.id = id;
    this.intents = intents;
  }

  get connected(): boolean {
    return this.socket !== undefined && this.socket.readyState === 1 && !this.ended;
  }

  attach(socket: WebSocket): void {
    clearTimeout(this.#expiry);
    if (this.socket !== socket) this.socket?.terminate();
    this.socket = socket;
  }

  /** Everything after this number is still known. */
  remembers(seq: number): boolean {
    const oldest = this.#told[0]?.seq ?? this.seq + 1;
    return seq + 1 >= oldest;
  }

  tell(type: string, data: Json): void {
    this.seq += 1;
    const frame = JSON.stringify({ op: 0, t: type, s: this.seq, d: data });
    this.#told.push({ seq: this.seq, frame });
    if (this.#told.length > REMEMBERED) this.#told.shift();
    if (!this.deaf) this.#flush();
  }

  resume(socket: WebSocket, seq: number): void {
    this.attach(socket);
    this.resumes += 1;
    this.#sent = seq;
    this.hear();
    this.tell("RESUMED", {});
  }

  hear(): void {
    this.deaf = false;
    this.#flush();
  }

  /** The connection is gone; the session ends after a while, and tells that. */
  lose(afterMs: number, told: () => void = () => undefined): void {
    this.socket = undefined;
    clearTimeout(this.#expiry);
    const end = () => {
      this.ended = true;
      this.#told = [];
      told();
    };
    if (afterMs <= 0) end();
    else this.#expiry = setTimeout(end, afterMs).unref();
  }

  #flush(): void {
    if (this.socket?.readyState !== 1) return;
    for (const { seq, frame } of this.#told) {
      if (seq <= this.#sent) continue;
      this.socket.send(frame);
      this.#sent = seq;
    }
  }
}
