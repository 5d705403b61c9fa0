// Discord's rate limits: buckets of calls per route and channel, and fifty calls a second in all.
import { tooMany } from "./discord-faults.ts";

export interface RateLimits {
  /** Calls of one bucket within `perMs`. */
  calls: number;
  perMs: number;
  /** Of all routes together. */
  perSecond: number;
}

export const USUAL_LIMITS: RateLimits = { calls: 5, perMs: 5_000, perSecond: 50 };

/** Calls that are counted by channel; interactions have limits of their own, which no bot meets. */
const COUNTED = ["createMessage", "editMessage", "deleteMessage", "triggerTyping", "getMessages"];

interface Bucket {
  left: number;
  resetAt: number;
}

export class RateLimiter {
  refused = 0;
  /** Calls that came although they had been told to wait. */
  violations = 0;
  #limits: RateLimits | undefined;
  readonly #buckets = new Map<string, Bucket>();
  readonly #blocked = new Map<string, number>();

  use(limits: RateLimits | undefined): void {
    this.#limits = limits;
    this.#buckets.clear();
    this.#blocked.clear();
  }

  /** Gives the headers of the answer; throws 429 when the call comes too early. */
  take(route: string, channel: string, now: number): Record<string, string> {
    const limits = this.#limits;
    if (!limits) return {};
    const global = this.#bucket("*", { calls: limits.perSecond, perMs: 1_000, now });
    if (global.left <= 0) this.#refuse("*", global, now);
    global.left -= 1;
    if (!COUNTED.includes(route)) return {};
    const key = `${route}:${channel}`;
    const bucket = this.#bucket(key, { ...limits, now });
    if (bucket.left <= 0) this.#refuse(key, bucket, now);
    bucket.left -= 1;
    return {
      "x-ratelimit-bucket": `fake${COUNTED.indexOf(route)}`,
      "x-ratelimit-limit": String(limits.calls),
      "x-ratelimit-remaining": String(bucket.left),
      "x-ratelimit-reset": String(bucket.resetAt / 1_000),
      "x-ratelimit-reset-after": String((bucket.resetAt - now) / 1_000),
    };
  }

  #bucket(key: string, { calls, perMs, now }: { calls: number; perMs: number; now: number }) {
    const known = this.#buckets.get(key);
    if (known && now < known.resetAt) return known;
    const bucket: Bucket = { left: calls, resetAt: now + perMs };
    this.#buckets.set(key, bucket);
    return bucket;
  }

  #refuse(key: string, { resetAt }: Bucket, now: number): never {
    this.refused += 1;
    if (now < (this.#blocked.get(key) ?? 0)) this.violations += 1;
    this.#blocked.set(key, resetAt);
    throw tooMany(Math.max(0.001, (resetAt - now) / 1_000), key === "*" ? "global" : "user");
  }
}
