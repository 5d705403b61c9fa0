// The platform's rate limits: one message a second in a chat, twenty a minute in a group, thirty a second in all.
import { ApiFailure } from "./telegram-types.ts";

export interface RateLimits {
  /** Sends and edits a chat takes at once before it must wait. */
  burst: number;
  perChatMs: number;
  perGroupAMinute: number;
  perSecond: number;
}

export const PUBLISHED_LIMITS: RateLimits = {
  burst: 3,
  perChatMs: 1_000,
  perGroupAMinute: 20,
  perSecond: 30,
};

const MINUTE_MS = 60_000;

interface Bucket {
  tokens: number;
  filledAt: number;
}

interface ChatPace {
  chat: Bucket;
  /** When the newest calls of a group were taken, oldest first. */
  recent: number[];
  blockedUntil: number;
}

export class RateLimiter {
  /** Calls that came although a retry_after had not passed. */
  violations = 0;
  refused = 0;
  #limits: RateLimits | undefined;
  #chats = new Map<number, ChatPace>();
  #all: Bucket | undefined;

  use(limits: RateLimits | undefined): void {
    this.#limits = limits;
    this.#chats.clear();
    this.#all = undefined;
  }

  /** Throws 429 when the call comes too early. Groups have negative ids. */
  take(chatId: number, now: number): void {
    const limits = this.#limits;
    if (!limits) return;
    const pace = this.#paceOf(chatId, limits, now);
    if (now < pace.blockedUntil) {
      this.violations += 1;
      this.#refuse(pace.blockedUntil - now);
    }
    this.#all ??= { tokens: limits.perSecond, filledAt: now };
    const wait = Math.max(
      waitFor(pace.chat, { capacity: limits.burst, everyMs: limits.perChatMs, now }),
      chatId < 0 ? minuteWait(pace.recent, limits.perGroupAMinute, now) : 0,
      waitFor(this.#all, { capacity: limits.perSecond, everyMs: 1_000 / limits.perSecond, now }),
    );
    if (wait > 0) {
      pace.blockedUntil = now + Math.ceil(wait / 1_000) * 1_000;
      this.#refuse(wait);
    }
    pace.chat.tokens -= 1;
    this.#all.tokens -= 1;
    if (chatId < 0) pace.recent.push(now);
  }

  #paceOf(chatId: number, limits: RateLimits, now: number): ChatPace {
    const known = this.#chats.get(chatId);
    if (known) return known;
    const pace = {
      chat: { tokens: limits.burst, filledAt: now },
      recent: [],
      blockedUntil: 0,
    };
    this.#chats.set(chatId, pace);
    return pace;
  }

  #refuse(waitMs: number): never {
    this.refused += 1;
    const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
    throw new ApiFailure(429, `Too Many Requests: retry after ${seconds}`, {
      retry_after: seconds,
    });
  }
}

/** Forgets what is older than a minute, and says how long until there is room for one more. */
function minuteWait(recent: number[], allowed: number, now: number): number {
  while (recent[0] !== undefined && now - recent[0] >= MINUTE_MS) recent.shift();
  return recent.length < allowed ? 0 : (recent[0] ?? now) + MINUTE_MS - now;
}

/** Fills the bucket and says how long until it holds a token. */
function waitFor(
  bucket: Bucket,
  { capacity, everyMs, now }: { capacity: number; everyMs: number; now: number },
): number {
  bucket.tokens = Math.min(capacity, bucket.tokens + (now - bucket.filledAt) / everyMs);
  bucket.filledAt = now;
  return bucket.tokens >= 1 ? 0 : (1 - bucket.tokens) * everyMs;
}
