// MCP's lines on one connection: each is taken at its pace, and none before the answers to earlier ones are.
import type { Duplex } from "node:stream";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { Pace } from "./pace.ts";

export interface LineTransport extends Transport {
  /** Takes what comes, until the connection ends. Never rejects. */
  run(): Promise<void>;
}

const newline = 0x0a;
/** Files are named by their path, so no message is large. */
const messageBytes = 256 * 1024;

/** Without the newline. Throws where one is too long. */
async function* linesOf(connection: Duplex): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let held = 0;
  const add = (part: Buffer) => {
    parts.push(part);
    held += part.length;
    if (held > messageBytes) throw new Error(`A message is larger than ${messageBytes} bytes`);
  };
  for await (const chunk of connection as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, from)) {
      add(chunk.subarray(from, end));
      yield Buffer.concat(parts);
      parts = [];
      held = 0;
      from = end + 1;
    }
    add(chunk.subarray(from));
  }
}

/** Whoever does not take its answers is not read either. */
async function untilTaken(connection: Duplex): Promise<void> {
  if (!connection.writableNeedDrain || connection.destroyed) return;
  await new Promise<void>((resolve) => {
    const settle = () => {
      connection.off("drain", settle).off("close", settle);
      resolve();
    };
    connection.on("drain", settle).on("close", settle);
  });
}

export async function createTransport(connection: Duplex, pace: Pace): Promise<LineTransport> {
  const { deserializeMessage, serializeMessage } = await import(
    "@modelcontextprotocol/sdk/shared/stdio.js"
  );
  let closed = false;
  const complain = (error: unknown) =>
    transport.onerror?.(error instanceof Error ? error : new Error(String(error)));
  const take = (line: Buffer) => {
    try {
      transport.onmessage?.(deserializeMessage(line.toString()));
    } catch (error) {
      complain(error);
    }
  };
  const transport: LineTransport = {
    async start() {},
    // Not until it is taken: what may be on its way is bounded by what is read.
    async send(message) {
      if (!connection.destroyed) connection.write(serializeMessage(message));
    },
    async close() {
      if (closed) return;
      closed = true;
      connection.destroy();
      transport.onclose?.();
    },
    async run() {
      const close = () => void transport.close();
      connection.once("close", close);
      try {
        for await (const line of linesOf(connection)) {
          await pace.next(line.length);
          await untilTaken(connection);
          if (connection.destroyed) break;
          take(line);
        }
      } catch (error) {
        complain(error);
      }
      await transport.close();
    },
  };
  return transport;
}
