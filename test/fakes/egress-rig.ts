// The doors of one sandbox on loopback, servers behind them that pass for public ones, and clients that speak as agents do.
import { once } from "node:events";
import {
  createServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type RequestOptions,
  type Server,
} from "node:http";
import { type AddressInfo, connect as netConnect, type Socket } from "node:net";
import type { TestContext } from "node:test";
import type { SandboxScope } from "../../src/core/sandbox.ts";
import { type Connect, directConnect, type Lookup } from "../../src/net/connector.ts";
import { createEgress, type EgressOptions } from "../../src/sandbox/egress/egress.ts";
import { memoryLog } from "./agent-rig.ts";

export const scope: SandboxScope = {
  key: "p-1",
  pairing: "p-1" as NonNullable<SandboxScope["pairing"]>,
  workspace: "/nowhere",
  workspaceMode: "rw",
  home: "/nowhere",
};

/** For a yes that does not end. */
export const forever = new AbortController().signal;

export async function listening(t: TestContext, server: Server): Promise<number> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

export function serve(t: TestContext, listener: RequestListener): Promise<number> {
  return listening(t, createServer(listener));
}

export interface Internet {
  readonly lookup: Lookup;
  readonly connect: Connect;
  /** Every address that a connection was tried to. */
  readonly tried: string[];
  readonly lookedUp: string[];
}

/**
 * Names lead to what `names` says. Nothing leaves this machine: what goes to a public address of `servers` arrives at that
 * port of loopback, and its socket says that address of its peer, or what `peer` says.
 */
export function internet(
  names: Readonly<Record<string, readonly string[]>>,
  servers: Readonly<Record<string, number>> = {},
  peer?: string,
): Internet {
  const [tried, lookedUp]: [string[], string[]] = [[], []];
  return {
    tried,
    lookedUp,
    async lookup(host) {
      lookedUp.push(host);
      const answers = names[host] ?? [];
      return answers.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    },
    connect(target, callback) {
      const address = target.hostname;
      tried.push(`${address}:${target.port || 80}`);
      const port = servers[address];
      if (port === undefined) return callback(new Error("nobody is there"), null);
      const there = { ...target, hostname: "127.0.0.1", port: String(port) };
      directConnect(5000)(there, (error, socket) => {
        if (!socket) return callback(error ?? new Error("no socket"), null);
        Object.defineProperty(socket, "remoteAddress", { value: peer ?? address });
        callback(null, socket);
      });
    },
  };
}

export async function openDoors(t: TestContext, options: Partial<EgressOptions>) {
  const log = memoryLog();
  const egress = createEgress({ allow: () => [], model: () => undefined, log, ...options });
  t.after(() => egress.close());
  const { proxy, model, placeholder } = egress.open(scope);
  const [proxyPort, modelPort] = [await listening(t, proxy), await listening(t, model)];
  return { egress, log, proxyPort, modelPort, placeholder };
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export async function textOf(message: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}

/** One request on a connection of its own. */
export async function ask(options: RequestOptions, body?: string | Buffer): Promise<Answer> {
  const request = httpRequest({ host: "127.0.0.1", agent: false, ...options });
  request.end(body);
  const [response] = (await once(request, "response")) as [IncomingMessage];
  const text = await textOf(response);
  return { status: response.statusCode ?? 0, headers: response.headers, text };
}

/** Says `head` on a new connection; both of its ends are the caller's. */
export async function dial(t: TestContext, port: number, head: string): Promise<Socket> {
  const socket = netConnect({ port, host: "127.0.0.1", allowHalfOpen: true });
  t.after(() => socket.destroy());
  await once(socket, "connect");
  socket.write(head);
  return socket;
}

export async function allOf(socket: Socket): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of socket) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}

/** What comes until it holds `text`. */
export async function until(socket: Socket, text: string): Promise<string> {
  let said = "";
  for await (const part of socket.iterator({ destroyOnReturn: false })) {
    said += String(part);
    if (said.includes(text)) break;
  }
  return said;
}

export const connectTo = (target: string) =>
  `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`;
