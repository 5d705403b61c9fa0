// Pairing codes: how they look, how they are read, made, taken and burned.
import { createHmac, randomInt } from "node:crypto";
import type { Role, Sender } from "../core/words.ts";
import { type Behind, capped, linkAccount, pairingOf } from "../store/accounts.ts";
import { addCode, type CodeRow, nameTakenBy, useCode, withdrawCodes } from "../store/codes.ts";
import { addPairing, findPairing, type Pairing } from "../store/pairings.ts";
import type { Op } from "../store/query.ts";
import { audit } from "./audit.ts";
import { countFailure, forgetFailures, mayTry } from "./backoff.ts";
import { endIfLeft } from "./mail.ts";
import { localAccount, nameProblem, webListener } from "./pairings.ts";

/** 32 characters, without 0 O 1 I. */
const alphabet = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
const lifetime = 15 * 60_000;

/** `K7Q2-9XF4`. Never without a digit, so that `join research` stays a sentence. */
export function makeCode(): string {
  const letters = Array.from({ length: 8 }, () => alphabet[randomInt(alphabet.length)]).join("");
  return /\d/.test(letters) ? `${letters.slice(0, 4)}-${letters.slice(4)}` : makeCode();
}

const block = `[${alphabet}]{4}`;
const dash = "[\\u00AD\\u2010-\\u2015\\u2212\\uFE58\\uFE63\\uFF0D_-]";
const invisible = /[\u200B-\u200F\u2060-\u2064\uFEFF]/g;
const quotes = /^["'`´‘’‚“”„«»‹›<>()[\]*_~|\s]+|["'`´‘’‚“”„«»‹›<>()[\]*_~|\s.,!]+$/g;
const form = new RegExp(`^(${block})\\s*(${dash}*)\\s*(${block})$`, "i");

/** The eight characters of what a person typed or pasted as a code; null when it is none by its form. */
export function normaliseCode(text: string): string | null {
  if (text.length > 100) return null;
  const bare = text.replace(invisible, "").normalize("NFKC").replace(quotes, "");
  const [, first, between, second] = form.exec(bare) ?? [];
  if (!first || !second) return null;
  const code = `${first}${second}`.toUpperCase();
  return between || /\d/.test(code) ? code : null;
}

/** A group's mention of us may stand before it, or our name behind the command. */
const command = /^(?:@\S+\s+)?(?:\/?join|\/start)(?:@\S+)?(?:\s|:)/i;

/** What people put around it to make it bold, code, hidden or a quotation. */
const marks = /^["'`´‘’‚“”„«»‹›<>()[\]*_~|\s]+/;

/** The code in `join K7Q2-9XF4` or `/start K7Q29XF4`; null when the text is anything else. */
export function codeIn(text: string): string | null {
  const trimmed = text.replace(marks, "").trim();
  const found = command.exec(trimmed);
  return found && normaliseCode(trimmed.slice(found[0].length));
}

/** `key`: random, of this state only. */
export function hmacOf(key: Uint8Array, code: string): string {
  return createHmac("sha256", key).update(code.replaceAll("-", "").toUpperCase()).digest("hex");
}

export interface Invite {
  readonly hmac: string;
  readonly name: string;
  /** Of the pairing that it makes; an existing one keeps its own. */
  readonly role: Exclude<Role, "anonymous">;
  readonly now: number;
}

export type Invited =
  | { readonly expiresAt: number; readonly role: Exclude<Role, "anonymous"> }
  | { readonly problem: string };

/** A code for a name: it makes that pairing, or adds one more account to it. An earlier open code of the name is withdrawn. */
export function* addInvite({ hmac, name, role: wanted, now }: Invite): Op<Invited> {
  const known = yield* findPairing(name);
  const problem = known ? linkProblem(known) : nameProblem(name);
  if (problem) return { problem };
  const role = known?.role ?? wanted;
  yield* withdrawCodes(name, now);
  const expiresAt = now + lifetime;
  yield* addCode({ hmac, name, role, createdAt: now, expiresAt });
  return { expiresAt, role };
}

/** Undefined when accounts can be linked to it. */
export function linkProblem({ name, kind }: Pairing): string | undefined {
  return kind === "person" || kind === "local"
    ? undefined
    : `"${name}" is of kind ${kind}: no account can be linked to it`;
}

export interface Redeeming {
  readonly hmac: string;
  readonly sender: Sender;
  readonly now: number;
  /** The id of the pairing, if it has to be made. */
  readonly id: string;
  /** Whose account it is was proved by us alone (mail): it is linked, and never counts for more than this. */
  readonly most?: Role;
}

interface Linked {
  readonly is: "linked";
  readonly name: string;
  readonly role: Role;
  /** Whose work must end now: the account was all that this pairing had. */
  readonly left?: Pairing;
}

export type Redeemed = Linked | { readonly is: "refused" };

/** A right code at a wrong time is refused like a wrong one. An account that is linked elsewhere moves. */
export function* redeemCode(redeeming: Redeeming): Op<Redeemed> {
  const { hmac, sender, now } = redeeming;
  const { listener, account } = sender;
  const from = yield* pairingOf(listener, account);
  // A code tried out at the keyboard must not cost the owner their place there.
  if (from?.kind === "local" && listener === localAccount.listener)
    return yield* refuse(redeeming, "the account at the keyboard stays where it is");
  // The session would still be the one, while what is written in it became the other's.
  if (listener === webListener)
    return yield* refuse(redeeming, "on the page a code is for signing in");
  if (!(yield* mayTry(sender, now))) return yield* refuse(redeeming, "too many attempts");
  const by = `a:${listener}:${account}`;
  const code = yield* useCode({ hmac, at: now, by });
  if (!code) {
    // Asked again after a crash that lost our answer: it is theirs already.
    if (from && from.name === (yield* nameTakenBy(hmac, by))) return linked(from);
    yield* countFailure(sender, now);
    return yield* refuse(redeeming, "wrong, used or expired");
  }
  const pairing = yield* pairingFor(code, redeeming);
  return yield* joinTo(redeeming, pairing, from);
}

function* joinTo(redeeming: Redeeming, pairing: Pairing, from: Behind | undefined): Op<Redeemed> {
  const { sender, now } = redeeming;
  const { listener, account } = sender;
  const isMove = from !== undefined && from.id !== pairing.id;
  // The same link once more takes nothing away from what the operator gave it by hand.
  const most = from && !isMove ? from.most : (redeeming.most ?? null);
  const name = sender.name.slice(0, 100);
  yield* linkAccount({ listener, account, name, pairing: pairing.id, linkedAt: now, most });
  yield* forgetFailures(sender);
  const why = isMove ? `moved from ${from.name}` : "";
  yield* note(redeeming, { target: pairing.name, outcome: "linked", why });
  const left = isMove ? yield* endIfLeft(from, now) : undefined;
  const as = linked({ name: pairing.name, role: capped(pairing.role, most) });
  return left ? { ...as, left } : as;
}

function linked({ name, role }: { name: string; role: Role }): Linked {
  return { is: "linked", name, role };
}

function* refuse(redeeming: Redeeming, why: string): Op<Redeemed> {
  yield* note(redeeming, { target: "", outcome: "refused", why });
  return { is: "refused" };
}

/** Somebody showed it to a whole group: it counts no more. Nothing says whether it did. */
export function* burnCode(hmac: string, sender: Sender, now: number): Op<void> {
  yield* useCode({ hmac, at: now, by: null });
  const why = "a code in a group is burned";
  yield* note({ sender, now }, { target: "", outcome: "refused", why });
}

/** The pairing that a taken code opens; made, with this id, if it is new. */
export function* pairingFor(
  { name, role }: Pick<CodeRow, "name" | "role">,
  { id, now }: Pick<Redeeming, "id" | "now">,
): Op<Pairing> {
  const known = yield* findPairing(name);
  if (known) return known;
  const pairing: Pairing = { id, name, role, kind: "person", createdAt: now };
  yield* addPairing(pairing);
  return pairing;
}

/** Neither the code nor the name that a stranger gave themselves. */
function* note(
  { sender, now }: Pick<Redeeming, "sender" | "now">,
  what: { target: string; outcome: string; why: string },
): Op<void> {
  const { listener, account } = sender;
  const who = `a:${listener}:${account}`;
  yield* audit({ at: now, who, name: "", place: listener, action: "code", ...what });
}
