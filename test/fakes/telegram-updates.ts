// The bot's queue of updates: numbering, confirmation by offset, long polls, the conflict of two pollers.
import { ApiFailure, type RawUpdate } from "./telegram-types.ts";

export interface PollRequest {
  offset: number;
  limit: number;
  timeoutMs: number;
}

export interface QueuedUpdate extends RawUpdate {
  update_id: number;
}

interface Poll {
  request: PollRequest;
  resolve: (updates: QueuedUpdate[]) => void;
  reject: (failure: ApiFailure) => void;
  timer: NodeJS.Timeout;
}

const CONFLICT =
  "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running";
/** Not sent unless a bot names them. */
const ON_DEMAND = ["chat_member", "message_reaction", "message_reaction_count"];
/** An offset further in the future than this belongs to an older numbering, and is ignored. */
const FUTURE = 10;

export class UpdateQueue {
  conflicts = 0;
  #pending: QueuedUpdate[] = [];
  #nextId: number;
  #allowed: string[] = [];
  #poll: Poll | undefined;
  #wakeUp = false;

  constructor(firstId: number) {
    this.#nextId = firstId;
  }

  get unconfirmed(): number {
    return this.#pending.length;
  }

  get polling(): boolean {
    return this.#poll !== undefined;
  }

  /** Undefined when the bot's allowed_updates leave this kind out: then it never exists. */
  push(update: RawUpdate): number | undefined {
    const kind = Object.keys(update).find((key) => key !== "update_id") ?? "";
    const wanted = this.#allowed.length > 0 ? this.#allowed.includes(kind) : !isOnDemand(kind);
    if (!wanted) return undefined;
    const id = this.#nextId++;
    this.#pending.push({ update_id: id, ...update });
    // What is pushed in one go is delivered together.
    if (this.#poll && !this.#wakeUp) {
      this.#wakeUp = true;
      queueMicrotask(() => this.#answer());
    }
    return id;
  }

  /** Only an empty queue is renumbered: the platform does it after a quiet week. */
  renumber(nextId: number): void {
    if (this.#pending.length > 0) throw new Error("confirm the pending updates before renumbering");
    this.#nextId = nextId;
  }

  allow(kinds: string[]): void {
    this.#allowed = kinds;
  }

  drop(): void {
    this.#pending = [];
  }

  poll(request: PollRequest, gone: AbortSignal): Promise<QueuedUpdate[]> {
    this.#poll?.reject(new ApiFailure(409, CONFLICT));
    const ready = this.#take(request);
    if (ready.length > 0 || request.timeoutMs === 0) return Promise.resolve(ready);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#settle(poll, () => resolve([])), request.timeoutMs);
      const poll: Poll = {
        request,
        timer,
        resolve: (updates) => this.#settle(poll, () => resolve(updates)),
        reject: (failure) => {
          this.conflicts += 1;
          this.#settle(poll, () => reject(failure));
        },
      };
      this.#poll = poll;
      gone.addEventListener("abort", () => this.#settle(poll, () => resolve([])), { once: true });
    });
  }

  #settle(poll: Poll, finish: () => void): void {
    clearTimeout(poll.timer);
    if (this.#poll === poll) this.#poll = undefined;
    finish();
  }

  #answer(): void {
    this.#wakeUp = false;
    if (!this.#poll) return;
    const ready = this.#take(this.#poll.request);
    if (ready.length > 0) this.#poll.resolve(ready);
  }

  /** Forgets what the offset confirms, then gives the oldest of the rest. */
  #take({ offset, limit }: PollRequest): QueuedUpdate[] {
    if (offset < 0) {
      this.#pending = this.#pending.slice(offset);
    } else if (offset > 0 && offset <= this.#nextId + FUTURE) {
      const keep = this.#pending.findIndex((update) => update.update_id >= offset);
      if (keep !== 0) this.#pending = keep < 0 ? [] : this.#pending.slice(keep);
    }
    return this.#pending.slice(0, limit);
  }
}

function isOnDemand(kind: string): boolean {
  return ON_DEMAND.includes(kind);
}
