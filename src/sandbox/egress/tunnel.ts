// CONNECT: bytes both ways that nobody looks at, once the gate has let them pass.
import type { Duplex } from "node:stream";
import { openTunnel, type Target, type TunnelPorts } from "../../net/tunnel.ts";
import { pair } from "../inside/pair.ts";
import { explained, type Gate, type Refusal, refusalOf } from "./gate.ts";

export interface TunnelOptions {
  readonly gate: Gate;
  readonly ports: TunnelPorts;
  /** After so long without a byte a connection is closed. */
  readonly idleMs: number;
}

/** What a client may send before it has its answer. */
const earlyBytes = 64 * 1024;

/** Most clients show nothing of the body, but some the words beside the status. */
function refuse(client: Duplex, { status, text }: Refusal): void {
  const body = `${text}\n`;
  const head = [
    `HTTP/1.1 ${status} ${text}`,
    "Content-Type: text/plain; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
  ];
  client.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => client.destroy());
}

/** Reads on while the answer is being found, or nobody would see the client go. */
function watchEarly(client: Duplex, head: Buffer, gone: AbortController): () => Buffer {
  const parts = [head];
  let size = head.length;
  const take = (chunk: Buffer) => {
    parts.push(chunk);
    size += chunk.length;
    if (size > earlyBytes) client.destroy();
  };
  const leave = () => gone.abort();
  client.on("data", take).once("end", leave).once("close", leave);
  return () => {
    client.pause().off("data", take).off("end", leave).off("close", leave);
    return Buffer.concat(parts);
  };
}

export async function serveTunnel(
  { gate, ports, idleMs }: TunnelOptions,
  target: Target | undefined,
  { client, head }: { readonly client: Duplex; readonly head: Buffer },
): Promise<void> {
  client.on("error", () => client.destroy());
  if (target === undefined) {
    const text = "Sallyport: CONNECT needs HOST:PORT.";
    return refuse(client, { status: 400, text });
  }
  const gone = new AbortController();
  const early = watchEarly(client, head, gone);
  const ends: Duplex[] = [client];
  const cut = () => {
    gone.abort();
    for (const end of ends) end.destroy();
  };
  try {
    const why = await gate.refusal({ target, gone: gone.signal, cut });
    if (why !== undefined) return refuse(client, { status: 403, text: explained(target, why) });
    const server = await openTunnel(target, ports);
    ends.push(server);
    if (gone.signal.aborted) return cut();
    for (const end of ends)
      end.once("close", () => {
        if (ends.every(({ closed }) => closed)) gone.abort();
      });
    server.setTimeout(idleMs, () => server.destroy());
    client.write("HTTP/1.1 200 Connection established\r\n\r\n");
    server.write(early());
    pair(client, server);
  } catch (error) {
    refuse(client, refusalOf(error, target, gate));
  }
}
