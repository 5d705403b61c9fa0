// The agent's stdin and stdout as ACP messages, one JSON object a line: noise is skipped, floods end the connection.
import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";
import type { Log } from "../core/log.ts";
import type { AgentProcess } from "../core/sandbox.ts";
import { createLines } from "./lines.ts";
import { quoted, Trouble } from "./trouble.ts";

interface WireOptions {
  readonly process: AgentProcess;
  readonly log: Log;
  readonly lineBytes: number;
  readonly junkLines: number;
  /**
   * Called for each session/update in the order of the wire, before any later message reaches the SDK: the SDK starts
   * notification handlers without waiting for them, so a prompt's answer could overtake the text before it.
   */
  readonly onUpdate: (params: unknown) => void;
}

type Message = Readonly<Record<string, unknown>>;

const loggedJunk = 20;
/** Requests of the agent whose answers it has not taken from its stdin. */
const unreadAnswers = 1000;

function parse(line: string): Message | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    const value: Message = JSON.parse(line);
    return value.jsonrpc === "2.0" ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Which of our requests are open, and how many of the agent's. */
function createLedger() {
  const asked = new Set<unknown>();
  let unanswered = 0;
  return {
    sending(message: Message): void {
      if ("method" in message && "id" in message) asked.add(message.id);
    },
    sent(message: Message): void {
      if (!("method" in message)) unanswered--;
    },
    /** False for an answer to something nobody asked. */
    received(message: Message): boolean {
      if (typeof message.method !== "string") return asked.delete(message.id);
      if ("id" in message && ++unanswered > unreadAnswers) {
        throw new Trouble("The agent asked more and more without reading the answers.");
      }
      return true;
    },
  };
}

function createJunkGuard(options: WireOptions) {
  let inARow = 0;
  let logged = 0;
  return {
    reset(): void {
      inARow = 0;
    },
    add(line: string): void {
      if (logged++ < loggedJunk) {
        options.log.debug({ line: quoted(line) }, "skipped a line of the agent that is no message");
      }
      if (++inARow >= options.junkLines) {
        throw new Trouble(
          `The agent wrote ${inARow} lines in a row that are not messages of its protocol, the last one: ${quoted(line)}`,
        );
      }
    },
  };
}

export function openWire(options: WireOptions): Stream {
  const ledger = createLedger();
  const junk = createJunkGuard(options);
  const writer = options.process.stdin.getWriter();
  const encoder = new TextEncoder();

  const take = (controller: ReadableStreamDefaultController<AnyMessage>) => (raw: string) => {
    const line = raw.trim();
    if (line === "") return;
    const message = parse(line);
    if (message === undefined || !ledger.received(message)) return junk.add(line);
    junk.reset();
    if (message.method === "session/update") options.onUpdate(message.params);
    else controller.enqueue(message as AnyMessage);
  };

  const read = async (controller: ReadableStreamDefaultController<AnyMessage>) => {
    const lines = createLines(options.lineBytes, take(controller));
    const reader = options.process.stdout.getReader();
    try {
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        lines.push(part.value);
      }
      lines.end();
      controller.close();
    } catch (error) {
      controller.error(error);
      reader.cancel(error).catch(() => {});
    }
  };

  return {
    readable: new ReadableStream<AnyMessage>({ start: (controller) => void read(controller) }),
    writable: new WritableStream<AnyMessage>({
      async write(message) {
        ledger.sending(message as Message);
        await writer.write(encoder.encode(`${JSON.stringify(message)}\n`));
        ledger.sent(message as Message);
      },
    }),
  };
}
