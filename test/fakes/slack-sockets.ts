// Socket Mode: tickets, at most ten sockets of an app, one of them for each event, and how sockets fail.
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { type WebSocket, WebSocketServer } from "ws";
import type { Deliveries, Delivery } from "./slack-deliveries.ts";
import { DIES, type SlackFaults } from "./slack-faults.ts";
import type { Params } from "./telegram-types.ts";

export type DisconnectReason =
  | "warning"
  | "refresh_requested"
  | "link_disabled"
  | "too_many_websockets";

export interface SocketsOptions {
  readonly appId: string;
  readonly deliveries: Deliveries;
  readonly faults: SlackFaults;
  readonly pingMs: number;
  readonly changed: () => void;
}

interface Socket {
  readonly ws: WebSocket;
  /** Said hello and takes events. */
  ready: boolean;
  /** Half-open: nothing comes or goes, and nobody says so. */
  dead: boolean;
}

const mostSockets = 10;
const graceMs = 1_000;
const debug = { host: "applink-1", build_number: 1, approximate_connection_time: 18_060 };

export class Sockets {
  /** How many were ever opened, and at the same time. */
  opened = 0;
  most = 0;
  readonly #options: SocketsOptions;
  readonly #server = new WebSocketServer({ noServer: true });
  readonly #all = new Set<Socket>();
  readonly #tickets = new Set<string>();
  readonly #pings: NodeJS.Timeout;
  #deaf = false;
  #turn = 0;

  constructor(options: SocketsOptions) {
    this.#options = options;
    this.#pings = setInterval(() => {
      for (const socket of this.#all) this.#ping(socket);
    }, options.pingMs);
    this.#pings.unref();
  }

  /** Open ones, also those that are half-open. */
  get open(): number {
    return this.#all.size;
  }

  /** An address that works once. */
  ticket(root: string): string {
    const ticket = crypto.randomUUID();
    this.#tickets.add(ticket);
    const { appId } = this.#options;
    return `${root.replace("http", "ws")}/link/?ticket=${ticket}&app_id=${appId}`;
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost");
    if (pathname !== "/link/" || !this.#tickets.delete(searchParams.get("ticket") ?? "")) {
      socket.end("HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\n\r\n");
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (ws) => this.#welcome(ws));
  }

  /** Gives the socket that it went over. */
  send(delivery: Delivery, envelope: string): Socket | undefined {
    const ready = [...this.#all].filter((socket) => socket.ready);
    this.#turn += 1;
    const socket = ready[this.#turn % Math.max(1, ready.length)];
    if (!socket) return undefined;
    const { kind, payload, attempt, reason } = delivery;
    const message = {
      ...{ envelope_id: envelope, type: kind, payload },
      accepts_response_payload: kind !== "events_api",
      ...(kind === "events_api" && { retry_attempt: attempt, retry_reason: reason }),
    };
    void this.#carry(socket, message);
    return socket;
  }

  /** Slack wants every socket to be opened anew. A warned one still works for a while. */
  disconnect(reason: DisconnectReason): void {
    for (const socket of this.#all) this.#tellToGo(socket, reason);
  }

  /** The connections die, without a word. */
  drop(): void {
    for (const { ws } of this.#all) ws.terminate();
  }

  /** The sockets that are open now stay so, but nothing comes through in either direction. */
  halfOpen(): void {
    for (const socket of this.#all) {
      socket.dead = true;
      socket.ws.pause();
    }
  }

  /** From now on sockets open and are pinged, but are sent no events. */
  deafen(): void {
    this.#deaf = true;
  }

  hear(): void {
    this.#deaf = false;
    this.#options.deliveries.again();
  }

  close(): void {
    clearInterval(this.#pings);
    // Also those that were sent away and still say goodbye.
    for (const ws of this.#server.clients) ws.terminate();
    this.#server.close();
  }

  #welcome(ws: WebSocket): void {
    const socket: Socket = { ws, ready: false, dead: false };
    const { deliveries, appId, changed } = this.#options;
    ws.on("error", () => ws.terminate());
    if (this.#all.size >= mostSockets) {
      this.#tellToGo(socket, "too_many_websockets");
      ws.close();
      return;
    }
    this.#all.add(socket);
    this.opened += 1;
    this.most = Math.max(this.most, this.#all.size);
    ws.on("message", (data) => void this.#hearAck(socket, String(data)));
    ws.on("close", () => {
      this.#all.delete(socket);
      deliveries.closed(socket);
      changed();
    });
    const connection_info = { app_id: appId };
    const num_connections = this.#all.size;
    this.#write(socket, { type: "hello", num_connections, debug_info: debug, connection_info });
    this.#ping(socket);
    socket.ready = true;
    deliveries.again({ sent: false });
    changed();
  }

  #tellToGo(socket: Socket, reason: DisconnectReason): void {
    this.#write(socket, { type: "disconnect", reason, debug_info: { host: debug.host } });
    if (reason === "warning") return;
    socket.ready = false;
    setTimeout(() => socket.ws.terminate(), graceMs).unref();
  }

  #write({ ws, dead }: Socket, message: Params): void {
    if (!dead && ws.readyState === ws.OPEN) ws.send(JSON.stringify(message));
  }

  #ping({ ws, dead }: Socket): void {
    if (!dead && ws.readyState === ws.OPEN) ws.ping(`Ping from ${debug.host}`);
  }

  async #carry(socket: Socket, message: Params): Promise<void> {
    const { faults } = this.#options;
    const call = { method: "envelope", params: message.payload as Params, at: Date.now() };
    await faults.hold(call, "before");
    const fault = faults.take(call);
    if (fault?.kind === "hang" || this.#deaf) return;
    if (fault?.kind === "slow") await sleep(fault.ms);
    if (fault?.kind !== "status") this.#write(socket, message);
    if (fault?.kind === "drop" || (fault?.kind === "status" && fault.code === DIES))
      socket.ws.terminate();
  }

  async #hearAck(socket: Socket, text: string): Promise<void> {
    const { faults, deliveries } = this.#options;
    const { envelope_id, payload } = JSON.parse(text) as { envelope_id?: string; payload?: Params };
    if (envelope_id === undefined) return;
    const call = { method: "ack", params: { envelope_id, payload }, at: Date.now() };
    const held = faults.hold(call, "before");
    if (held) {
      await held;
      if (socket.ws.readyState !== socket.ws.OPEN) return;
    }
    const fault = faults.take(call);
    if (fault?.kind === "slow") await sleep(fault.ms);
    if (fault?.kind === "hang") return;
    if (fault?.kind !== "status") deliveries.acknowledge(envelope_id, payload ?? {});
    if (fault?.kind === "drop" || fault?.kind === "status") socket.ws.terminate();
  }
}
