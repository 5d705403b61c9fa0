// A server for one sandbox: one request after the other on each connection, and so many connections.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

export interface DoorOptions {
  /** After so long without a byte a connection is closed. */
  readonly idleMs: number;
  readonly connections: number;
  /** Of reading one request; 0: none. */
  readonly requestMs?: number;
}

export interface Serving {
  readonly request: (request: IncomingMessage, response: ServerResponse) => void;
  /** Without: CONNECT closes the connection. */
  readonly connect?: (request: IncomingMessage, client: Duplex, head: Buffer) => void;
}

/** After a connection that sent a second request before it had its answer, none is taken for so long. */
const shutMs = 2000;

/**
 * Not yet listening. Requests that do not wait for the answer before (pipelining; no agent needs it) would all be read at
 * once and held in memory: the connection that sends one is closed, and as each such attempt costs the whole process
 * some of its time, the next has to wait.
 */
export function createDoor(
  { idleMs, connections, requestMs }: DoorOptions,
  serving: Serving,
): Server {
  const busy = new WeakSet<Duplex>();
  let shutUntil = 0;
  const isFree = (socket: Duplex) => {
    if (!busy.has(socket)) return true;
    shutUntil = performance.now() + shutMs;
    socket.destroy();
    return false;
  };
  const take = (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    if (!isFree(socket)) return;
    busy.add(socket);
    response.once("close", () => busy.delete(socket));
    serving.request(request, response);
  };
  const bounds = { maxHeaderSize: 32 * 1024, headersTimeout: 30_000 };
  const more = requestMs === undefined ? {} : { requestTimeout: requestMs };
  const server = createServer({ ...bounds, ...more }, take);
  // What Node would answer by itself, without a look at what is under way.
  server.on("checkExpectation", take);
  const { connect } = serving;
  if (connect)
    server.on("connect", (request: IncomingMessage, client: Duplex, head: Buffer) => {
      if (isFree(client)) connect(request, client, head);
    });
  server.on("connection", (socket: Duplex) => {
    if (performance.now() < shutUntil) socket.destroy();
  });
  server.timeout = idleMs;
  server.maxConnections = connections;
  return server;
}
