// The tool calls of one turn: what is known of each, which still run, and how much of it we hold.
import type { ToolCall } from "../core/agent.ts";
import { weightOf } from "./feed.ts";
import type { AgentLimits } from "./limits.ts";
import { type Fields, mergeToolCall } from "./tool-call.ts";

function isOver(call: ToolCall): boolean {
  return call.status === "completed" || call.status === "failed";
}

export class Tools {
  readonly #limits: AgentLimits;
  readonly #known = new Map<string, ToolCall>();
  /** When each running call began. */
  readonly #running = new Map<string, number>();
  #held = 0;

  constructor(limits: AgentLimits) {
    this.#limits = limits;
  }

  /** Merges news of a call; null when it names none. */
  merge(news: Fields): ToolCall | null {
    const id = news.toolCallId;
    if (typeof id !== "string") return null;
    const before = this.#known.get(id);
    const call = mergeToolCall(before, id, news);
    if (before !== undefined) this.#held -= weightOf(before);
    this.#known.delete(id);
    // A call that is over is remembered without its diffs: they went out with this event.
    const kept = isOver(call) ? { ...call, diffs: [] } : call;
    this.#known.set(id, kept);
    this.#held += weightOf(kept);
    this.#forget();
    return call;
  }

  /** News from session/update, unlike a permission request, tells whether a call runs. */
  track(call: ToolCall): void {
    if (isOver(call)) this.#running.delete(call.id);
    else if (!this.#running.has(call.id)) this.#running.set(call.id, performance.now());
  }

  get tooMany(): boolean {
    return this.#running.size > this.#limits.openTools || this.#held > this.#limits.heldChars;
  }

  get running(): boolean {
    return this.#running.size > 0;
  }

  runsLongerThan(ms: number, now: number): boolean {
    for (const since of this.#running.values()) if (now - since > ms) return true;
    return false;
  }

  /** The time people take to answer is not the call's. */
  restartClocks(): void {
    const now = performance.now();
    for (const id of this.#running.keys()) this.#running.set(id, now);
  }

  /** The calls that are over and were not heard of for longest go first. */
  #forget(): void {
    if (this.#known.size <= 2 * this.#limits.openTools) return;
    for (const [id, call] of this.#known) {
      if (!this.#running.has(id)) {
        this.#known.delete(id);
        this.#held -= weightOf(call);
        return;
      }
    }
  }
}
