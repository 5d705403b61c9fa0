// The door of HTTP: who a cookie or token is, and how one is come by. Secrets are made here and kept only as hashes.
import { randomBytes } from "node:crypto";
import type { Clock } from "../core/clock.ts";
import type { Role } from "../core/words.ts";
import type { Store } from "../store/store.ts";
import { hmacOf, normaliseCode } from "./codes.ts";
import { hashToken, makeToken } from "./pairings.ts";
import {
  type Entering,
  enter,
  exchangeCode,
  leave,
  sessionLifetime,
  stillGood,
  visitorByCookie,
  visitorByToken,
} from "./sessions.ts";
import type { Visitor } from "./visitor.ts";

/** Where a request comes from, as the guard found out. */
export interface Attempt {
  readonly address: string;
  /** From this machine to its loopback address: there alone the local pairing counts. */
  readonly local: boolean;
}

export interface SignedIn {
  readonly cookie: string;
  readonly maxAgeMs: number;
  readonly visitor: Visitor;
}

export interface Exchanged {
  /** Shown once. */
  readonly token: string;
  readonly name: string;
  readonly role: Exclude<Role, "anonymous">;
}

export interface Visitors {
  byCookie(value: string, from: { readonly local: boolean }): Promise<Visitor | undefined>;
  byToken(token: string, from: { readonly local: boolean }): Promise<Visitor | undefined>;
  /** Either is used up by it. Every reason to refuse gives the same answer. */
  signIn(
    given: { readonly link: string } | { readonly code: string },
    from: Attempt,
  ): Promise<SignedIn | "refused">;
  /** A token for a program; it replaces the pairing's former one. */
  exchange(code: string, from: Attempt): Promise<Exchanged | "refused">;
  signOut(cookie: string): Promise<void>;
  /** For what stays open: is its visitor still as good as when it came in? */
  stillCounts(visitor: Visitor): Promise<boolean>;
}

export interface VisitorPorts {
  readonly run: Store["run"];
  readonly clock: Clock;
  /** What pairing codes are kept under. */
  readonly key: Uint8Array;
}

export function createVisitors({ run, clock, key }: VisitorPorts): Visitors {
  /** What is no code by its form is looked for like one, and counts like a wrong one. */
  const entering = (code: string, from: Attempt): Omit<Entering, "by"> => ({
    address: from.address,
    local: from.local,
    hash: hmacOf(key, normaliseCode(code) ?? ""),
    now: clock.now(),
    id: randomName(),
  });
  return {
    byCookie: (value, { local }) =>
      run(() => visitorByCookie({ hash: hashToken(value), local, now: clock.now() })),
    async byToken(token, { local }) {
      // A node's token wakes the node; it speaks for nobody here.
      if (!token.startsWith("a2p_")) return undefined;
      return await run(() => visitorByToken({ hash: hashToken(token), local }));
    },
    async signIn(given, from) {
      const cookie = randomBytes(32).toString("base64url");
      const session = { hash: hashToken(cookie), id: randomName() };
      const coming: Entering =
        "link" in given
          ? { ...entering("", from), by: "link", hash: hashToken(given.link) }
          : { ...entering(given.code, from), by: "code" };
      const visitor = await run(() => enter(coming, session));
      return visitor ? { cookie, maxAgeMs: sessionLifetime, visitor } : "refused";
    },
    async exchange(code, from) {
      const token = makeToken();
      const coming = entering(code, from);
      const pairing = await run(() => exchangeCode(coming, hashToken(token)));
      return pairing ? { token, name: pairing.name, role: pairing.role } : "refused";
    },
    signOut: (cookie) => run(() => leave(hashToken(cookie), clock.now())),
    stillCounts: (visitor) => run(() => stillGood(visitor, clock.now())),
  };
}

function randomName(): string {
  return randomBytes(15).toString("base64url");
}
