// Coming in over HTTP: what a link or a code opens in a browser, what a code gives a program, and whether it still counts.
import type { Sender } from "../core/words.ts";
import { linkAccount } from "../store/accounts.ts";
import { bucketOf, saveBucket } from "../store/attempts.ts";
import { useCode } from "../store/codes.ts";
import { findPairing, findPairingById, type Pairing, setTokenHash } from "../store/pairings.ts";
import type { Op } from "../store/query.ts";
import {
  addLink,
  addSession,
  dropSession,
  type OpenSession,
  sessionByHash,
  sessionById,
  takeLink,
} from "../store/sessions.ts";
import { audit } from "./audit.ts";
import { countFailure, forgetFailures, mayTry } from "./backoff.ts";
import { pairingFor } from "./codes.ts";
import { callerOf, identifyToken } from "./identify.ts";
import { webListener } from "./pairings.ts";
import type { Visitor } from "./visitor.ts";

const linkLifetime = 5 * 60_000;
export const sessionLifetime = 12 * 3_600_000;
const mostSessions = 20;
const minute = 60_000;

/** As whom what an address gets wrong is counted. */
export function webGuesser(address: string): Sender {
  return { listener: webListener, account: `ip:${address}`, name: "" };
}

/** Of links. They are too long to be guessed, and any page can send a browser to wrong ones: that must not cost its person a code. */
export function linkGuesser(address: string): Sender {
  return { listener: "links", account: `ip:${address}`, name: "" };
}

/** For the owner at the keyboard; undefined when that pairing was removed since the gateway started. */
export function* addLocalLink(p: { hash: string; now: number }): Op<number | undefined> {
  const local = yield* findPairing("local");
  if (!local) return undefined;
  const expiresAt = p.now + linkLifetime;
  yield* addLink({ hash: p.hash, pairing: local.id, createdAt: p.now, expiresAt });
  return expiresAt;
}

export interface Entering {
  /** `link`: by the hash of its secret; `code`: by its HMAC. */
  readonly by: "link" | "code";
  readonly hash: string;
  readonly address: string;
  readonly local: boolean;
  readonly now: number;
  /** Of the pairing, if it has to be made. */
  readonly id: string;
}

export interface NewSession {
  readonly hash: string;
  readonly id: string;
}

/** Undefined: refused, for whatever reason. */
export function* enter(entering: Entering, session: NewSession): Op<Visitor | undefined> {
  const pairing = yield* open(entering, "sign-in");
  if (!pairing) return undefined;
  const { by, now } = entering;
  const operator = by === "link";
  const expiresAt = now + sessionLifetime;
  const row = { ...session, pairing: pairing.id, operator, createdAt: now, expiresAt };
  yield* addSession(row, mostSessions);
  yield* welcome(entering, pairing, "sign-in");
  return visitorOf({ ...row, pairing });
}

/** The token replaces the pairing's former one. Undefined: refused, for whatever reason. */
export function* exchangeCode(
  entering: Omit<Entering, "by">,
  tokenHash: string,
): Op<Pairing | undefined> {
  const coming = { ...entering, by: "code" } as const;
  const pairing = yield* open(coming, "token");
  if (!pairing) return undefined;
  yield* setTokenHash(pairing.id, tokenHash);
  yield* welcome(coming, pairing, "token");
  return pairing;
}

/** From now on the pairing can be reached on the page. */
function* welcome(
  { by, address, now }: Entering,
  pairing: Pairing,
  action: "sign-in" | "token",
): Op<void> {
  const { id, name } = pairing;
  yield* linkAccount({
    listener: webListener,
    account: id,
    name,
    pairing: id,
    linkedAt: now,
  });
  yield* forgetFailures(webGuesser(address));
  const why = `by ${by} from ${address}`;
  const row = { at: now, who: `p:${id}`, name, place: webListener };
  yield* audit({ ...row, action, target: name, outcome: "done", why });
}

/** Whose link or code it is. It is used up by this also where it cannot count. */
function* open(entering: Entering, action: "sign-in" | "token"): Op<Pairing | undefined> {
  const { by, local } = entering;
  const found = by === "link" ? yield* byLink(entering) : yield* byCode(entering);
  if (found === "too many attempts") {
    yield* noteUnchecked(entering, action);
    return undefined;
  }
  const problem = typeof found === "string" ? found : problemWith(found, { local, action });
  if (typeof found === "object" && !problem) return found;
  yield* note(entering, action, problem ?? "");
  return undefined;
}

function problemWith(
  { kind }: Pairing,
  { local, action }: { local: boolean; action: "sign-in" | "token" },
): string | undefined {
  if (kind !== "local") return undefined;
  if (action === "token") return "the local pairing gets its token from the gateway alone";
  return local ? undefined : "the local pairing counts on this machine alone";
}

/** A right link always counts: it cannot be guessed, and what others guess from here must not shut the owner out. */
function* byLink({ hash, address, now }: Entering): Op<Pairing | string> {
  const id = yield* takeLink(hash, now);
  const pairing = id && (yield* findPairingById(id));
  if (pairing) return pairing;
  const guesser = linkGuesser(address);
  if (!(yield* mayTry(guesser, now))) return "too many attempts";
  yield* countFailure(guesser, now);
  return "wrong, used or expired";
}

/** Of an address that has to wait, a right code is refused like a wrong one. */
function* byCode(entering: Entering): Op<Pairing | string> {
  const { hash, address, now } = entering;
  const guesser = webGuesser(address);
  if (!(yield* mayTry(guesser, now))) return "too many attempts";
  const code = yield* useCode({ hmac: hash, at: now, by: `a:${webListener}:${guesser.account}` });
  if (code) return yield* pairingFor(code, entering);
  yield* countFailure(guesser, now);
  return "wrong, used or expired";
}

/** Guesses that were not even checked: one row a minute for all of them. Whoever has to wait has rows of guesses that were. */
function* noteUnchecked(entering: Entering, action: "sign-in" | "token"): Op<void> {
  const { now } = entering;
  const key = `refused ${webListener}`;
  const last = yield* bucketOf(key);
  if (last && Math.abs(now - last.at) < minute) return;
  yield* saveBucket(key, { tokens: 0, at: now });
  yield* note(entering, action, "too many attempts; there may be more like it in this minute");
}

/** Neither the code nor the link. */
function* note({ address, now }: Entering, action: "sign-in" | "token", why: string): Op<void> {
  const who = `a:${webListener}:ip:${address}`;
  const row = { at: now, who, name: "", place: webListener };
  yield* audit({ ...row, action, target: "", outcome: "refused", why });
}

export function* leave(hash: string, now: number): Op<void> {
  const session = yield* sessionByHash(hash, now);
  yield* dropSession(hash);
  if (!session) return;
  const { id, name } = session.pairing;
  const row = { at: now, who: `p:${id}`, name, place: webListener };
  yield* audit({ ...row, action: "sign-out", target: name, outcome: "done", why: "" });
}

/** `local`: asked from this machine, where alone the local pairing counts. */
export interface Look {
  readonly hash: string;
  readonly local: boolean;
  readonly now: number;
}

export function* visitorByCookie({ hash, local, now }: Look): Op<Visitor | undefined> {
  const session = yield* sessionByHash(hash, now);
  return session && (local || session.pairing.kind !== "local") ? visitorOf(session) : undefined;
}

export function* visitorByToken({ hash, local }: Omit<Look, "now">): Op<Visitor | undefined> {
  const known = yield* identifyToken(hash);
  if (!known || (known.kind === "local" && !local)) return undefined;
  // The local token lies in a file that only the operator can read.
  const { caller, kind } = known;
  const operator = kind === "local";
  return { caller, by: "token", operator, session: null, expiresAt: null, tokenHash: hash };
}

/** Is it still as good as when it came in? */
export function* stillGood(visitor: Visitor, now: number): Op<boolean> {
  const seen = yield* lookAgain(visitor, now);
  if (seen?.caller.pairing !== visitor.caller.pairing) return false;
  const isLess = visitor.caller.role === "owner" && seen.caller.role !== "owner";
  return !isLess && (seen.operator || !visitor.operator);
}

function* lookAgain({ session, tokenHash }: Visitor, now: number): Op<Visitor | undefined> {
  if (tokenHash !== undefined) return yield* visitorByToken({ hash: tokenHash, local: true });
  const row = session === null ? undefined : yield* sessionById(session, now);
  return row && visitorOf(row);
}

/** The role is read from the pairing: only an owner's session is an operator's. */
function visitorOf({ id, operator, expiresAt, pairing }: OpenSession): Visitor {
  return {
    caller: callerOf(pairing),
    by: "session",
    operator: operator && pairing.role === "owner",
    session: id,
    expiresAt,
  };
}
