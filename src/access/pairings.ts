// Pairings as an operator sees them: names, the local owner, roles, links, tokens, removal.
import { createHash, randomBytes } from "node:crypto";
import type { ListenerId, PairingId, Role } from "../core/words.ts";
import { type Account, accountsOf, linkAccount, unlinkAccount } from "../store/accounts.ts";
import { withdrawCodes } from "../store/codes.ts";
import {
  addPairing,
  dropPairing,
  findPairing,
  findPairingByToken,
  listPairings,
  type Pairing,
  setRole,
  setTokenHash,
} from "../store/pairings.ts";
import type { Op } from "../store/query.ts";

/** Undefined when the name can be used; else what is wrong with it. */
export function nameProblem(name: string): string | undefined {
  if (!/^[a-z0-9][a-z0-9-]{0,31}$/.test(name))
    return "a name is 1 to 32 of a-z, 0-9 and -, and starts with a letter or digit";
  return name === "local" || name === "anonymous"
    ? `"${name}" is taken by Sallyport itself`
    : undefined;
}

export function makeToken(): string {
  return `a2p_${randomBytes(32).toString("base64url")}`;
}

export function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

export const localAccount = { listener: "terminal", account: "local" } as const;

/** The owner at the keyboard: a fresh token at each start, and the terminal's account. */
export function* ensureLocal(p: { id: PairingId; tokenHash: string; now: number }): Op<PairingId> {
  const known = yield* findPairing("local");
  const id = known?.id ?? p.id;
  if (known) yield* setTokenHash(id, p.tokenHash);
  else
    yield* addPairing(
      { id, name: "local", role: "owner", kind: "local", createdAt: p.now },
      p.tokenHash,
    );
  yield* linkAccount({ ...localAccount, pairing: id, name: "local", linkedAt: p.now });
  return id;
}

export interface Known extends Pairing {
  readonly accounts: readonly Account[];
}

export function* knownPairings(): Op<Known[]> {
  const all: Known[] = [];
  for (const pairing of yield* listPairings())
    all.push({ ...pairing, accounts: yield* accountsOf(pairing.id) });
  return all;
}

export function* changeRole(
  name: string,
  role: Exclude<Role, "anonymous">,
): Op<Pairing | undefined> {
  const pairing = yield* findPairing(name);
  if (pairing) yield* setRole(pairing.id, role);
  return pairing;
}

/** The old token stops counting; undefined when there is no such pairing. */
export function* rotateToken(name: string, tokenHash: string): Op<Pairing | undefined> {
  const pairing = yield* findPairing(name);
  if (pairing) yield* setTokenHash(pairing.id, tokenHash);
  return pairing;
}

export interface Unlinked {
  readonly pairing: Pairing;
  readonly accounts: readonly Account[];
}

export function* unlink(name: string, listener: ListenerId): Op<Unlinked | undefined> {
  const pairing = yield* findPairing(name);
  if (!pairing) return undefined;
  const accounts = (yield* accountsOf(pairing.id)).filter((one) => one.listener === listener);
  for (const one of accounts) yield* unlinkAccount(one.listener, one.account);
  return { pairing, accounts };
}

/** The grant and all its accounts and open codes go at once. */
export function* removePairing(name: string, now: number): Op<Unlinked | undefined> {
  const pairing = yield* findPairing(name);
  if (!pairing) return undefined;
  const accounts = yield* accountsOf(pairing.id);
  for (const one of accounts) yield* unlinkAccount(one.listener, one.account);
  yield* withdrawCodes(name, now);
  yield* dropPairing(pairing.id);
  return { pairing, accounts };
}

export function* identifyToken(token: string): Op<Pairing | undefined> {
  return yield* findPairingByToken(hashToken(token));
}
