// The chat without a terminal: a message per line in, the transcript out; each line waits until the last one has settled.
import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";
import { harmless } from "../../core/visible.ts";
import { connect } from "./connection.ts";
import { after, emptyConversation, type Item, openCard, withItem } from "./conversation.ts";
import type { Settled } from "./events.ts";
import { painter } from "./style.ts";
import { itemLines } from "./view.ts";

export interface ScriptOptions {
  socket(): string;
  readonly input: NodeJS.ReadableStream;
  write(text: string): void;
  readonly signal: AbortSignal;
}

const patience = 30_000;

/** Resolves with how it stood at the end; rejects when the gateway is gone for good. */
export async function runScript(options: ScriptOptions): Promise<Settled> {
  const { write } = options;
  let conversation = emptyConversation;
  const transcript = createTranscript(write);
  const connection = connect({
    socket: options.socket,
    after: "now",
    patience,
    onState: () => {},
    on(event) {
      if (event.type !== "notice") conversation = after(conversation, event);
    },
  });
  options.signal.addEventListener("abort", () => connection.close(), { once: true });
  try {
    await connection.settled();
    for await (const text of messages(options.input)) {
      const id = randomUUID();
      conversation = withItem(conversation, { is: "said", id, text: harmless(text) });
      transcript.show(conversation.items);
      await connection.say({ id, text });
      await connection.settled();
      transcript.show(conversation.items);
    }
    const end = await connection.settled();
    transcript.show(conversation.items);
    if (end === "question") write(openText(openCard(conversation) !== undefined));
    return end;
  } finally {
    connection.close();
  }
}

function openText(buttons: boolean): string {
  return `(A question is still open${buttons ? ": answer it with allow N, deny N or answer N …" : ": answer it with a message"}.)\n`;
}

/** A trailing backslash joins the next line to this one. */
async function* messages(input: NodeJS.ReadableStream): AsyncGenerator<string, void> {
  let pending = "";
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.endsWith("\\")) {
      pending += `${line.slice(0, -1)}\n`;
      continue;
    }
    const text = pending + line;
    pending = "";
    if (text.trim()) yield text;
  }
  if (pending.trim()) yield pending;
}

/** Of a message that was shown already, only what is new in it. */
function createTranscript(write: (text: string) => void): { show(items: readonly Item[]): void } {
  const shown = new Map<string, readonly string[]>();
  const paint = painter(false);
  return {
    show(items) {
      for (const item of items) {
        const key =
          item.is === "message" ? item.id : item.is === "said" ? `said ${item.id}` : item.text;
        const lines = itemLines(item, true, paint);
        const before = shown.get(key) ?? [];
        const first = lines.findIndex((line, index) => line !== before[index]);
        shown.set(key, lines);
        if (first >= 0) write(`${lines.slice(first).join("\n")}\n`);
      }
    },
  };
}
