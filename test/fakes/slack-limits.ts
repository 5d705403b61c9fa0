// Slack's rate limits: about one message a second in a conversation, and so many calls of a method a minute.
import { SlackFailure } from "./slack-types.ts";

export interface SlackLimits {
  /** Messages that a conversation takes at once before it must wait. */
  burst: number;
  perChannelMs: number;
  /** Calls of one method a minute, by its tier. */
  tiers: Readonly<Record<string, number>>;
}

export const PUBLISHED_LIMITS: SlackLimits = {
  burst: 3,
  perChannelMs: 1_000,
  tiers: {
    "chat.update": 50,
    "chat.delete": 50,
    "chat.postEphemeral": 100,
    "conversations.open": 50,
    "conversations.info": 50,
    "conversations.history": 50,
    "conversations.replies": 50,
    "users.info": 100,
    "views.publish": 100,
    "files.info": 100,
    "files.getUploadURLExternal": 100,
    "files.completeUploadExternal": 100,
  },
};

const minuteMs = 60_000;

interface Bucket {
  tokens: number;
  filledAt: number;
  blockedUntil: number;
}

interface Rate {
  readonly capacity: number;
  readonly everyMs: number;
}

export class SlackLimiter {
  /** Calls that came although a Retry-After had not passed. */
  violations = 0;
  refused = 0;
  #limits: SlackLimits | undefined;
  readonly #buckets = new Map<string, Bucket>();

  use(limits: SlackLimits | undefined): void {
    this.#limits = limits;
    this.#buckets.clear();
  }

  /** Throws 429 when the call comes too early. */
  take(method: string, channel: unknown, now: number): void {
    const limits = this.#limits;
    if (!limits) return;
    if (method === "chat.postMessage") {
      const { burst, perChannelMs } = limits;
      this.#spend(`#${channel}`, { capacity: burst, everyMs: perChannelMs }, now);
    }
    const tier = limits.tiers[method];
    if (tier !== undefined) this.#spend(method, { capacity: tier, everyMs: minuteMs / tier }, now);
  }

  #spend(name: string, { capacity, everyMs }: Rate, now: number): void {
    const known = this.#buckets.get(name);
    const bucket = known ?? { tokens: capacity, filledAt: now, blockedUntil: 0 };
    this.#buckets.set(name, bucket);
    if (now < bucket.blockedUntil) {
      this.violations += 1;
      this.#refuse(bucket.blockedUntil - now);
    }
    bucket.tokens = Math.min(capacity, bucket.tokens + (now - bucket.filledAt) / everyMs);
    bucket.filledAt = now;
    if (bucket.tokens < 1) {
      const wait = Math.ceil(((1 - bucket.tokens) * everyMs) / 1_000) * 1_000;
      bucket.blockedUntil = now + wait;
      this.#refuse(wait);
    }
    bucket.tokens -= 1;
  }

  #refuse(waitMs: number): never {
    this.refused += 1;
    const retryAfter = Math.max(1, Math.ceil(waitMs / 1_000));
    throw new SlackFailure("ratelimited", { status: 429, retryAfter });
  }
}
