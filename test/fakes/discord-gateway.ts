// The gateway of the fake Discord: sessions over WebSocket, with resuming, and the faults of a connection.
import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { welcome } from "./discord-events.ts";
import { type Event, INTENTS, Session } from "./discord-session.ts";
import type { Json } from "./discord-types.ts";
import type { World } from "./discord-world.ts";

const RESUMABLE = [4000, 4001, 4002, 4003, 4005, 4008];
const PRIVILEGED = INTENTS.guildMembers | INTENTS.guildPresences;

export interface GatewayOptions {
  world: World;
  token: string;
  heartbeatMs: number;
  /** How long a session that lost its connection can be resumed. */
  resumeMs: number;
  sessionStarts: number;
  url: () => string;
  changed: () => void;
}

/** Faults that last until `calm()`, or count down. */
interface Troubles {
  noHello: number;
  noReady: number;
  noConnection: number;
  refuseResume: number;
  noAck: boolean;
  deaf: boolean;
}

const CALM: Troubles = {
  ...{ noHello: 0, noReady: 0, noConnection: 0, refuseResume: 0, noAck: false, deaf: false },
};

export class Gateway {
  readonly sessions: Session[] = [];
  /** What clients asked for, counted. */
  readonly counters = { connections: 0, identifies: 0, resumes: 0, resumed: 0, heartbeats: 0 };
  startsLeft: number;
  revoked = false;
  readonly #options: GatewayOptions;
  readonly #sockets = new Set<WebSocket>();
  readonly #server = new WebSocketServer({ noServer: true });
  #troubles = { ...CALM };

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.startsLeft = options.sessionStarts;
  }

  attach(server: Server): void {
    server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      socket.on("error", () => socket.destroy());
      if (this.#take("noConnection")) return void socket.destroy();
      this.#server.handleUpgrade(request, socket, head, (opened) => this.#open(opened, request));
    });
  }

  /** Every connection dies without a close frame: the client sees 1006. */
  drop(): void {
    for (const socket of this.#sockets) socket.terminate();
  }

  /** All but some codes end the session as well. */
  close(code: number, reason = ""): void {
    if (!RESUMABLE.includes(code)) for (const session of this.sessions) session.ended = true;
    for (const socket of this.#sockets) socket.close(code, reason);
  }

  /** Asks every client to connect anew and resume. */
  reconnect(): void {
    for (const socket of this.#sockets) write(socket, { op: 7, d: null });
  }

  invalidate({ resumable = false } = {}): void {
    if (!resumable) for (const session of this.sessions) session.ended = true;
    for (const socket of this.#sockets) write(socket, { op: 9, d: resumable });
  }

  askHeartbeat(): void {
    for (const socket of this.#sockets) write(socket, { op: 1, d: null });
  }

  refuseConnections(times = Number.POSITIVE_INFINITY): void {
    this.#troubles.noConnection = times;
  }

  refuseResume(times = 1): void {
    this.#troubles.refuseResume = times;
  }

  /** Connected, and nothing more. */
  noHello(times = 1): void {
    this.#troubles.noHello = times;
  }

  /** Identify and resume are not answered. */
  noReady(times = 1): void {
    this.#troubles.noReady = times;
  }

  noHeartbeatAck(): void {
    this.#troubles.noAck = true;
  }

  /** Connected, heartbeats answered, and no event comes: it waits in the session. */
  deafen(): void {
    this.#troubles.deaf = true;
    for (const session of this.sessions) session.deaf = true;
  }

  /** Ends every trouble; what waited is told. */
  calm(): void {
    this.#troubles = { ...CALM };
    for (const session of this.sessions) session.hear();
  }

  get connected(): boolean {
    return this.sessions.some((session) => session.connected);
  }

  dispatch({ type, intent, data }: Event): boolean {
    let told = false;
    for (const session of this.sessions) {
      if (session.ended || (intent !== undefined && (session.intents & intent) === 0)) continue;
      session.tell(type, data((session.intents & INTENTS.messageContent) !== 0));
      told = true;
    }
    return told;
  }

  async stop(): Promise<void> {
    for (const session of this.sessions) session.lose(0);
    this.drop();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  revoke(): void {
    this.revoked = true;
    this.close(4004, "Authentication failed.");
  }

  #take(name: "noHello" | "noReady" | "noConnection" | "refuseResume"): boolean {
    if (this.#troubles[name] <= 0) return false;
    this.#troubles[name] -= 1;
    return true;
  }

  #open(socket: WebSocket, request: IncomingMessage): void {
    this.#sockets.add(socket);
    this.counters.connections += 1;
    const client: Client = { socket, session: undefined };
    socket.on("error", () => undefined);
    socket.on("close", (code) => {
      this.#sockets.delete(socket);
      const { session } = client;
      // A client that says goodbye ends its session.
      if (session && (code === 1000 || code === 1001)) session.ended = true;
      if (session?.socket === socket) session.lose(this.#options.resumeMs, this.#options.changed);
      this.#options.changed();
    });
    socket.on("message", (bytes) => {
      const refusal = this.#hear(client, String(bytes));
      if (refusal) socket.close(...refusal);
    });
    const query = new URL(request.url ?? "/", "ws://fake").searchParams;
    if (query.get("v") !== "10") socket.close(4012, "Invalid API version.");
    else if (!this.#take("noHello"))
      write(socket, { op: 10, d: { heartbeat_interval: this.#options.heartbeatMs } });
  }

  #hear(client: Client, text: string): Refusal | undefined {
    const frame = readFrame(text);
    if (!frame) return [4002, "Error while decoding payload."];
    const { op, d } = frame;
    if (op === 2) return this.#identify(client, d);
    if (op === 6) return this.#resume(client, d);
    if (op === 1) {
      this.counters.heartbeats += 1;
      this.#options.changed();
      if (!this.#troubles.noAck) write(client.socket, { op: 11 });
    } else if (!client.session) return [4003, "Not authenticated."];
    else if (![3, 4, 8, 31].includes(op)) return [4001, "Unknown opcode."];
    return undefined;
  }

  #identify(client: Client, { token, intents }: Json): Refusal | undefined {
    const { world } = this.#options;
    this.counters.identifies += 1;
    if (client.session) return [4005, "Already authenticated."];
    if (!this.#knows(token)) return [4004, "Authentication failed."];
    if (typeof intents !== "number") return [4013, "Invalid intent(s)."];
    const privileged = intents & (PRIVILEGED | INTENTS.messageContent);
    if (privileged & ~(world.messageContentAllowed ? INTENTS.messageContent : 0))
      return [4014, "Disallowed intent(s)."];
    if (this.startsLeft <= 0) write(client.socket, { op: 9, d: false });
    else {
      this.startsLeft -= 1;
      if (!this.#take("noReady")) this.#start(client, intents);
    }
    return undefined;
  }

  #start(client: Client, intents: number): void {
    const { world, url, changed } = this.#options;
    const session = new Session(world.id(), intents);
    this.sessions.push(session);
    client.session = session;
    session.attach(client.socket);
    for (const { type, data } of welcome(world, session, url())) session.tell(type, data);
    // What a deaf client does not hear is what comes after its start.
    session.deaf = this.#troubles.deaf;
    changed();
  }

  #resume(client: Client, { token, session_id: id, seq }: Json): Refusal | undefined {
    this.counters.resumes += 1;
    if (!this.#knows(token)) return [4004, "Authentication failed."];
    const session = this.sessions.find((one) => one.id === id && !one.ended);
    if (!session?.remembers(Number(seq)) || this.#take("refuseResume")) {
      if (session) session.ended = true;
      write(client.socket, { op: 9, d: false });
    } else if (typeof seq !== "number" || seq > session.seq) {
      return [4007, "Invalid seq."];
    } else if (!this.#take("noReady")) {
      this.counters.resumed += 1;
      client.session = session;
      session.resume(client.socket, seq);
      session.deaf = this.#troubles.deaf;
      this.#options.changed();
    }
    return undefined;
  }

  #knows(token: unknown): boolean {
    return !this.revoked && token === this.#options.token;
  }
}

type Refusal = [code: number, reason: string];

interface Client {
  socket: WebSocket;
  session: Session | undefined;
}

function readFrame(text: string): { op: number; d: Json } | undefined {
  try {
    const { op, d } = JSON.parse(text) as { op?: unknown; d?: unknown };
    const body = typeof d === "object" && d !== null ? (d as Json) : {};
    return typeof op === "number" ? { op, d: body } : undefined;
  } catch {
    return undefined;
  }
}

function write(socket: WebSocket, frame: { op: number; d?: unknown }): void {
  socket.send(JSON.stringify({ s: null, t: null, ...frame }));
}
