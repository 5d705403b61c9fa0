// Pairing codes: how they look, how they are read, and what a wrong one costs.
import { createHmac, randomBytes } from "node:crypto";
import type { Role, Sender } from "../core/words.ts";
import { linkAccount } from "../store/accounts.ts";
import {
  attemptsOf,
  bucketOf,
  forgetAttempts,
  saveAttempts,
  saveBucket,
} from "../store/attempts.ts";
import { addCode, useCode, withdrawCodes } from "../store/codes.ts";
import { addPairing, findPairing } from "../store/pairings.ts";
import type { Op } from "../store/query.ts";
import { audit } from "./audit.ts";

/** 32 characters without 0 O 1 I, so five bits each. */
const alphabet = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
const lifetime = 15 * 60_000;

/** `K7Q2-9XF4`; 40 random bits. */
export function makeCode(): string {
  const letters = [...randomBytes(8)].map((byte) => alphabet[byte & 31]).join("");
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}

const block = `[${alphabet}]{4}`;
const quotes = "[\"'`\u2018\u2019\u201C\u201D\u00AB\u00BB]*";
const gap = "[\\s\\u00A0\\u2010-\\u2015\\u2212-]*";
const form = new RegExp(
  `^\\s*/?(?:join|start)[\\s\\u00A0:]+${quotes}(${block})${gap}(${block})${quotes}[.!]?\\s*$`,
  "i",
);

/** The code in `join K7Q2-9XF4` or `/start K7Q29XF4`, normalised; null when the text is anything else. */
export function codeIn(text: string): string | null {
  if (text.length > 100) return null;
  const [, first, second] = form.exec(text) ?? [];
  return first && second ? `${first}${second}`.toUpperCase() : null;
}

/** `key`: random, of this state only. */
export function hmacOf(key: Uint8Array, code: string): string {
  return createHmac("sha256", key).update(code.replaceAll("-", "").toUpperCase()).digest("hex");
}

export interface Invite {
  readonly hmac: string;
  readonly name: string;
  readonly role: Exclude<Role, "anonymous">;
  readonly now: number;
}

/** A code for a name: it makes that pairing, or adds one more account to it. An earlier open code of the name is withdrawn. */
export function* addInvite({ hmac, name, role, now }: Invite): Op<{ expiresAt: number }> {
  yield* withdrawCodes(name, now);
  const expiresAt = now + lifetime;
  yield* addCode({ hmac, name, role, createdAt: now, expiresAt });
  return { expiresAt };
}

export interface Redeeming {
  readonly hmac: string;
  readonly sender: Sender;
  readonly now: number;
  /** The id of the pairing, if it has to be made. */
  readonly id: string;
}

export type Redeemed =
  | { readonly is: "linked"; readonly name: string; readonly role: Role }
  | { readonly is: "refused" };

/** A right code at a wrong time is refused like a wrong one. */
export function* redeemCode(redeeming: Redeeming): Op<Redeemed> {
  const { hmac, sender, now } = redeeming;
  const key = `code a:${sender.listener}:${sender.account}`;
  const before = yield* attemptsOf(key);
  if (before && !(yield* mayTry(before.blockedUntil, sender.listener, now))) {
    yield* note(redeeming, "refused", "too many attempts");
    return { is: "refused" };
  }
  const code = yield* useCode(hmac, now);
  if (!code) {
    const failures = (before?.failures ?? 0) + 1;
    yield* saveAttempts(key, { failures, blockedUntil: now + waitAfter(failures) }, now);
    yield* note(redeeming, "refused", "no such code");
    return { is: "refused" };
  }
  const pairing = yield* pairingFor(redeeming, code.name, code.role);
  const { listener, account, name } = sender;
  yield* linkAccount({ listener, account, name, pairing: pairing.id, linkedAt: now });
  yield* forgetAttempts(key);
  yield* note(redeeming, "linked", code.name);
  return { is: "linked", name: code.name, role: pairing.role };
}

/** Somebody showed it to a whole group: it counts no more. Nothing says whether it did. */
export function* burnCode(hmac: string, sender: Sender, now: number): Op<void> {
  yield* useCode(hmac, now);
  yield* note({ hmac, sender, now, id: "" }, "refused", "a code in a group is burned");
}

const longest = 3_600_000;

/** Three are free; then 30 s, doubling to an hour. */
function waitAfter(failures: number): number {
  return failures < 3 ? 0 : Math.min(longest, 30_000 * 2 ** (failures - 3));
}

const burst = 20;

/** Senders that have failed share one attempt a second per listener. */
function* mayTry(blockedUntil: number, listener: string, now: number): Op<boolean> {
  // A clock that went back does not block for longer than the longest wait.
  if (now < blockedUntil && blockedUntil - now <= longest) return false;
  const key = `codes ${listener}`;
  const { tokens, at } = (yield* bucketOf(key)) ?? { tokens: burst, at: now };
  const filled = Math.min(burst, tokens + Math.max(0, Math.floor((now - at) / 1000)));
  if (filled < 1) return false;
  const since = filled === burst ? now : Math.min(now, at + Math.floor((now - at) / 1000) * 1000);
  yield* saveBucket(key, { tokens: filled - 1, at: since });
  return true;
}

function* pairingFor(
  { id, now }: Redeeming,
  name: string,
  role: Exclude<Role, "anonymous">,
): Op<{ id: string; role: Role }> {
  const known = yield* findPairing(name);
  if (known) return known;
  yield* addPairing({ id, name, role, kind: "person", createdAt: now });
  return { id, role };
}

function* note({ sender, now }: Redeeming, outcome: string, why: string): Op<void> {
  yield* audit({
    at: now,
    who: `a:${sender.listener}:${sender.account}`,
    name: "",
    place: sender.listener,
    action: "code",
    target: "",
    outcome,
    why,
  });
}
