// Pairings as an operator sees them: names, the local owner, roles, links, tokens, removal.
import { createHash, randomBytes } from "node:crypto";
import type { ListenerId, PairingId, PairingKind } from "../core/words.ts";
import { type Account, accountsOf, linkAccount, unlinkAccount } from "../store/accounts.ts";
import { withdrawCodes } from "../store/codes.ts";
import {
  addPairing,
  dropPairing,
  findPairing,
  listPairings,
  type Pairing,
  setRole,
  setTokenHash,
} from "../store/pairings.ts";
import type { Op } from "../store/query.ts";
import { dropSessionsOf } from "../store/sessions.ts";
import { listTasks } from "../store/tasks.ts";

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

/** The page: each pairing's account there is the pairing itself, and stays with it. */
export const webListener = "web";

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
  /** When they last started a task. */
  readonly lastTaskAt: number | null;
}

export function* knownPairings(): Op<Known[]> {
  const all: Known[] = [];
  for (const pairing of yield* listPairings()) {
    const accounts = yield* accountsOf(pairing.id);
    const [task] = yield* listTasks(1, `p:${pairing.id}`);
    all.push({ ...pairing, accounts, lastTaskAt: task?.createdAt ?? null });
  }
  return all;
}

export interface NewPairing extends Pairing {
  /** People are made by their code, mail and local pairings by what they stand for. */
  readonly kind: "agent" | "node";
  readonly tokenHash: string;
}

/** A pairing that begins with a token. Undefined when it was made; else what is wrong. */
export function* createPairing({ tokenHash, ...pairing }: NewPairing): Op<string | undefined> {
  const { name, kind, role, createdAt } = pairing;
  const taken = (yield* findPairing(name)) ? `there is a pairing "${name}" already` : undefined;
  const problem = nameProblem(name) ?? taken ?? roleProblem(kind, role);
  if (problem) return problem;
  // A code that was made for a person of this name must not open it.
  yield* withdrawCodes(name, createdAt);
  yield* addPairing(pairing, tokenHash);
  return undefined;
}

/** What comes through another program or by mail proves too little for an owner. */
function roleProblem(kind: PairingKind, role: Pairing["role"]): string | undefined {
  if (kind === "local")
    return role === "owner" ? undefined : "the local pairing is always an owner";
  return kind === "person" || role !== "owner"
    ? undefined
    : `a pairing of kind ${kind} is at most authenticated`;
}

/** The role counts from the next look on; undefined when there is no such pairing. */
export function* changeRole(
  name: string,
  role: Pairing["role"],
): Op<Pairing | { readonly problem: string } | undefined> {
  const pairing = yield* findPairing(name);
  if (!pairing) return undefined;
  const problem = roleProblem(pairing.kind, role);
  if (problem) return { problem };
  yield* setRole(pairing.id, role);
  return { ...pairing, role };
}

/** The old token and all browser sessions stop counting; undefined when there is no such pairing. */
export function* rotateToken(name: string, tokenHash: string): Op<Pairing | undefined> {
  const pairing = yield* findPairing(name);
  if (!pairing) return undefined;
  yield* setTokenHash(pairing.id, tokenHash);
  yield* dropSessionsOf(pairing.id);
  return pairing;
}

export interface Unlinked {
  /** Whose running turns, open questions and sandbox must end now. */
  readonly pairing: Pairing;
  readonly accounts: readonly Account[];
}

/** `listeners`: one, or all of a channel. */
export function* unlink(name: string, listeners: readonly ListenerId[]): Op<Unlinked | undefined> {
  const pairing = yield* findPairing(name);
  if (!pairing) return undefined;
  const linked = yield* accountsOf(pairing.id);
  const accounts = linked.filter(({ listener }) => listeners.includes(listener));
  for (const one of accounts) yield* unlinkAccount(one.listener, one.account);
  if (accounts.some(({ listener }) => listener === webListener)) {
    yield* dropSessionsOf(pairing.id);
    // Of a person it came from the page as well, and opens the same doors.
    if (pairing.kind === "person") yield* setTokenHash(pairing.id, null);
  }
  return { pairing, accounts };
}

/** The grant and all its accounts, sessions and open codes go at once. */
export function* removePairing(name: string, now: number): Op<Unlinked | undefined> {
  const pairing = yield* findPairing(name);
  if (!pairing) return undefined;
  const accounts = yield* accountsOf(pairing.id);
  for (const one of accounts) yield* unlinkAccount(one.listener, one.account);
  yield* withdrawCodes(name, now);
  yield* dropSessionsOf(pairing.id);
  yield* dropPairing(pairing.id);
  return { pairing, accounts };
}
