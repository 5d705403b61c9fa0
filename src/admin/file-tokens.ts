// Links to one file for whoever was sent it: they need no sign-in, last a day, and cannot be made by anybody else.
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Clock } from "../core/clock.ts";

const lifetime = 24 * 3_600_000;

export interface FileTokens {
  /** For a row of the outbox: one file, sent to one chat. */
  make(part: number): string;
  /** Undefined: made by somebody else, altered, or too old. */
  read(token: string): number | undefined;
}

export function createFileTokens(key: Uint8Array, clock: Clock): FileTokens {
  const signed = (part: number, until: number) => {
    // The first line keeps it apart from whatever else is made with this key.
    const mac = createHmac("sha256", key).update(`sallyport file link\n${part}\n${until}`);
    return `${part.toString(36)}-${until.toString(36)}-${mac.digest("base64url")}`;
  };
  return {
    make: (part) => signed(part, Math.ceil((clock.now() + lifetime) / 1000)),
    read(token) {
      const [, first = "", second = ""] =
        /^([0-9a-z]{1,10})-([0-9a-z]{1,8})-[\w-]{43}$/.exec(token) ?? [];
      const [part, until] = [Number.parseInt(first, 36), Number.parseInt(second, 36)];
      if (!Number.isSafeInteger(part) || !Number.isSafeInteger(until)) return undefined;
      // The whole text is compared: one file has one spelling of its link.
      if (!isSame(token, signed(part, until))) return undefined;
      return until * 1000 > clock.now() ? part : undefined;
    },
  };
}

function isSame(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length === other.length && timingSafeEqual(one, other);
}
