// The events of one turn between the agent, which does not wait, and a reader who may: what waits is joined and bounded.
import type { AgentEvent, ToolCall } from "../core/agent.ts";

const waitingEvents = 5000;

export function weightOf(call: ToolCall): number {
  let weight = call.title.length + (call.command?.length ?? 0) + (call.input?.length ?? 0);
  for (const diff of call.diffs) weight += (diff.before?.length ?? 0) + diff.after.length;
  return weight;
}

export class Feed implements AsyncIterable<AgentEvent> {
  #waiting: AgentEvent[] = [];
  #weight = 0;
  #closed = false;
  #wake: (() => void) | undefined;
  readonly #heldChars: number;

  constructor(heldChars: number) {
    this.#heldChars = heldChars;
  }

  /** "full": the reader is too far behind; the event was not taken. */
  push(event: AgentEvent): "taken" | "full" {
    if (this.#closed) return "taken";
    if (!this.#join(event)) {
      if (this.#waiting.length >= waitingEvents) return "full";
      this.#waiting.push(event);
    }
    if ("call" in event) this.#weight += weightOf(event.call);
    if (event.type === "file") this.#weight += event.bytes.byteLength;
    this.#wake?.();
    return this.#weight > this.#heldChars ? "full" : "taken";
  }

  /** The last event: always taken. */
  close(last: AgentEvent): void {
    if (this.#closed) return;
    this.#waiting.push(last);
    this.#closed = true;
    this.#wake?.();
  }

  /** Text grows the text before it; news of a tool call, or of a wait, replaces what waits of the same. */
  #join(event: AgentEvent): boolean {
    if (event.type === "waiting" && this.#waiting.at(-1)?.type === "waiting") {
      this.#waiting[this.#waiting.length - 1] = event;
      return true;
    }
    if (event.type === "text") {
      const last = this.#waiting.at(-1);
      if (last?.type !== "text") return false;
      this.#waiting[this.#waiting.length - 1] = { type: "text", text: last.text + event.text };
      return true;
    }
    if (event.type !== "tool") return false;
    // Never past a question: what is seen of a call before and after its permission must not swap places.
    const at = this.#waiting.findLastIndex(
      (e) => e.type === "permission" || (e.type === "tool" && e.call.id === event.call.id),
    );
    const old = this.#waiting[at];
    if (old?.type !== "tool") return false;
    this.#weight -= weightOf(old.call);
    this.#waiting[at] = event;
    return true;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<AgentEvent, void> {
    for (;;) {
      const ready = this.#waiting;
      this.#waiting = [];
      this.#weight = 0;
      yield* ready;
      if (this.#waiting.length > 0) continue;
      if (this.#closed) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
  }
}
