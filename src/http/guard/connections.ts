// The connections of a server: how many, what is open on each, and what happens to those that never speak HTTP.
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { callerAddress } from "./address.ts";
import { rawRefusal } from "./answer.ts";
import { beforeRows } from "./later.ts";
import type { Limits } from "./limits.ts";

export interface Connections {
  /** Calls back once, when this answer is over: sent, or its connection is gone, even before its turn came. */
  over(response: ServerResponse, done: () => void): void;
}

export function watchConnections(
  server: Server,
  { limits, isProxy }: { limits: Limits; isProxy(address: string): boolean },
): Connections {
  const perAddress = new Map<string, number>();
  const open = new WeakMap<Socket, Map<ServerResponse, Set<() => void>>>();
  const end = (socket: Socket, response: ServerResponse) => {
    const waiting = open.get(socket)?.get(response) ?? [];
    open.get(socket)?.delete(response);
    for (const done of waiting) done();
  };
  server.maxConnections = limits.connections;
  server.on("connection", (socket: Socket) => {
    const address = callerAddress(socket.remoteAddress ?? "");
    const now = (perAddress.get(address) ?? 0) + 1;
    if (now > limits.connectionsPerAddress && !isProxy(address)) return socket.destroy();
    perAddress.set(address, now);
    open.set(socket, new Map());
    socket.once("close", () => {
      const left = (perAddress.get(address) ?? 1) - 1;
      if (left === 0) perAddress.delete(address);
      else perAddress.set(address, left);
      for (const response of [...(open.get(socket)?.keys() ?? [])]) end(socket, response);
    });
  });
  const begin = ({ socket }: IncomingMessage, response: ServerResponse) => {
    open.get(socket)?.set(response, new Set());
    response.once("close", () => end(socket, response));
  };
  server.prependListener("request", begin);
  // The guard says "continue" when it wants the body, and what it thinks of other expectations.
  for (const event of ["checkContinue", "checkExpectation"])
    server.on(event, (request, response) => server.emit("request", request, response));
  server.on("connect", (_, socket: Socket) => socket.end(rawRefusal(beforeRows.connect)));
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    const others = [...(open.get(socket)?.keys() ?? [])];
    // Amid an answer, ours would be read as a part of it.
    const mayAnswer = others.length === 0 || (others.length === 1 && !others[0]?.headersSent);
    if (!socket.writable || !mayAnswer || error.code === "ECONNRESET") socket.destroy();
    else socket.end(rawRefusal(rowOf(error.code)), () => socket.destroy());
  });
  return {
    over(response, done) {
      const waiting = response.req.socket && open.get(response.req.socket)?.get(response);
      if (waiting) waiting.add(done);
      else done();
    },
  };
}

function rowOf(code: string | undefined) {
  if (code === "HPE_HEADER_OVERFLOW") return beforeRows.bigHeaders;
  return code === "ERR_HTTP_REQUEST_TIMEOUT" ? beforeRows.slowHeaders : beforeRows.malformed;
}
