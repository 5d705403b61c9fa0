// Links that sign a browser in, and the sessions of those that are; of the secrets only hashes are kept.
import type { Kysely } from "kysely";
import type { PairingId, PairingKind } from "../core/words.ts";
import type { Pairing } from "./pairings.ts";
import { type Op, query } from "./query.ts";
import type { Tables } from "./schema.ts";

export interface LinkRow {
  readonly hash: string;
  readonly pairing: PairingId;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface SessionRow extends LinkRow {
  /** Names it without being its secret. */
  readonly id: string;
  readonly operator: boolean;
}

/** With the pairing as it stands now. */
export interface OpenSession {
  readonly id: string;
  readonly operator: boolean;
  readonly expiresAt: number;
  readonly pairing: Pick<Pairing, "id" | "name" | "role" | "kind">;
}

/** What was made later than this by a clock that was ahead does not count. */
const ahead = 60_000;

const insertLink = query((db, p: LinkRow & Readonly<Record<string, unknown>>) =>
  db.insertInto("links").values({
    hash: p.hash,
    pairing: p.pairing,
    createdAt: p.createdAt,
    expiresAt: p.expiresAt,
    usedAt: null,
  }),
);
const oldLinks = query((db, p: { at: number }) =>
  db.deleteFrom("links").where("expiresAt", "<=", p.at),
);
const use = query((db, p: { hash: string; at: number; soon: number }) =>
  db
    .updateTable("links")
    .set({ usedAt: p.at })
    .where("hash", "=", p.hash)
    .where("usedAt", "is", null)
    .where("expiresAt", ">", p.at)
    .where("createdAt", "<", p.soon)
    .returning("pairing"),
);
const dropLinks = query((db, p: { pairing: string }) =>
  db.deleteFrom("links").where("pairing", "=", p.pairing),
);

export function* addLink(link: LinkRow): Op<void> {
  yield* oldLinks({ at: link.createdAt });
  yield* insertLink({ ...link });
}

/** Whose it is; of two at once, one gets it. */
export function* takeLink(hash: string, at: number): Op<PairingId | undefined> {
  const [row] = yield* use({ hash, at, soon: at + ahead });
  return row?.pairing;
}

const insert = query(
  (
    db,
    p: Omit<SessionRow, "operator"> & { operator: number } & Readonly<Record<string, unknown>>,
  ) =>
    db.insertInto("sessions").values({
      hash: p.hash,
      id: p.id,
      pairing: p.pairing,
      operator: p.operator,
      createdAt: p.createdAt,
      expiresAt: p.expiresAt,
    }),
);
const expired = query((db, p: { at: number }) =>
  db.deleteFrom("sessions").where("expiresAt", "<=", p.at),
);
const allButNewest = query((db, p: { pairing: string; keep: number }) =>
  db
    .deleteFrom("sessions")
    .where("pairing", "=", p.pairing)
    .where("hash", "not in", (eb) =>
      eb
        .selectFrom("sessions")
        .select("hash")
        .where("pairing", "=", p.pairing)
        .orderBy("createdAt", "desc")
        .limit(p.keep),
    ),
);

/** `most` of one pairing: the oldest go. */
export function* addSession(session: SessionRow, most: number): Op<void> {
  const { pairing, createdAt, operator } = session;
  yield* expired({ at: createdAt });
  yield* allButNewest({ pairing, keep: most - 1 });
  yield* insert({ ...session, operator: operator ? 1 : 0 });
}

interface When extends Readonly<Record<string, unknown>> {
  readonly at: number;
  readonly soon: number;
}

const counting = (db: Kysely<Tables>, p: When) =>
  db
    .selectFrom("sessions")
    .innerJoin("pairings", "pairings.id", "sessions.pairing")
    .select(["sessions.id", "sessions.operator", "sessions.expiresAt", "sessions.pairing"])
    .select(["pairings.name", "pairings.role", "pairings.kind"])
    .where("sessions.expiresAt", ">", p.at)
    .where("sessions.createdAt", "<", p.soon);
const byHash = query((db, p: When & { hash: string }) =>
  counting(db, p).where("sessions.hash", "=", p.hash),
);
const byId = query((db, p: When & { id: string }) =>
  counting(db, p).where("sessions.id", "=", p.id),
);

export function* sessionByHash(hash: string, at: number): Op<OpenSession | undefined> {
  const [row] = yield* byHash({ hash, at, soon: at + ahead });
  return row && toSession(row);
}

export function* sessionById(id: string, at: number): Op<OpenSession | undefined> {
  const [row] = yield* byId({ id, at, soon: at + ahead });
  return row && toSession(row);
}

const drop = query((db, p: { hash: string }) =>
  db.deleteFrom("sessions").where("hash", "=", p.hash),
);
const dropAll = query((db, p: { pairing: string }) =>
  db.deleteFrom("sessions").where("pairing", "=", p.pairing),
);
const count = query((db, p: { pairing: string; at: number }) =>
  db
    .selectFrom("sessions")
    .select((eb) => eb.fn.countAll<number>().as("n"))
    .where("pairing", "=", p.pairing)
    .where("expiresAt", ">", p.at),
);

export function* dropSession(hash: string): Op<void> {
  yield* drop({ hash });
}

/** Every browser of theirs is signed out, and no link brings one back. */
export function* dropSessionsOf(pairing: PairingId): Op<void> {
  yield* dropAll({ pairing });
  yield* dropLinks({ pairing });
}

export function* countSessions(pairing: PairingId, at: number): Op<number> {
  return (yield* count({ pairing, at }))[0]?.n ?? 0;
}

function toSession(row: {
  id: string;
  operator: number;
  expiresAt: number;
  pairing: string;
  name: string;
  role: string;
  kind: string;
}): OpenSession {
  const { id, operator, expiresAt, pairing, name, kind } = row;
  const role = row.role === "owner" ? "owner" : "authenticated";
  return {
    id,
    operator: operator === 1,
    expiresAt,
    pairing: { id: pairing, name, role, kind: kind as PairingKind },
  };
}
