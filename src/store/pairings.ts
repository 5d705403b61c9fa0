// Pairings: named grants with a role; a token's hash belongs to one.
import type { PairingId, PairingKind, Role } from "../core/words.ts";
import { type Op, query } from "./query.ts";

export interface Pairing {
  readonly id: PairingId;
  readonly name: string;
  readonly role: Exclude<Role, "anonymous">;
  readonly kind: PairingKind;
  readonly createdAt: number;
}

const byName = query((db, p: { name: string }) =>
  db.selectFrom("pairings").selectAll().where("name", "=", p.name),
);
const byId = query((db, p: { id: string }) =>
  db.selectFrom("pairings").selectAll().where("id", "=", p.id),
);
const byToken = query((db, p: { hash: string }) =>
  db.selectFrom("pairings").selectAll().where("tokenHash", "=", p.hash),
);
const all = query((db, _: Record<string, never>) =>
  db.selectFrom("pairings").selectAll().orderBy("name"),
);
const insert = query(
  (
    db,
    p: {
      id: string;
      name: string;
      role: string;
      kind: string;
      tokenHash: string | null;
      createdAt: number;
    },
  ) =>
    db.insertInto("pairings").values({
      id: p.id,
      name: p.name,
      role: p.role,
      kind: p.kind,
      tokenHash: p.tokenHash,
      createdAt: p.createdAt,
    }),
);
const role = query((db, p: { id: string; role: string }) =>
  db.updateTable("pairings").set({ role: p.role }).where("id", "=", p.id),
);
const token = query((db, p: { id: string; tokenHash: string | null }) =>
  db.updateTable("pairings").set({ tokenHash: p.tokenHash }).where("id", "=", p.id),
);
const drop = query((db, p: { id: string }) => db.deleteFrom("pairings").where("id", "=", p.id));

export function* findPairing(name: string): Op<Pairing | undefined> {
  const [row] = yield* byName({ name });
  return row && toPairing(row);
}

export function* findPairingById(id: PairingId): Op<Pairing | undefined> {
  const [row] = yield* byId({ id });
  return row && toPairing(row);
}

export function* findPairingByToken(hash: string): Op<Pairing | undefined> {
  const [row] = yield* byToken({ hash });
  return row && toPairing(row);
}

export function* listPairings(): Op<Pairing[]> {
  return (yield* all({})).map(toPairing);
}

export function* addPairing(pairing: Pairing, tokenHash: string | null = null): Op<void> {
  yield* insert({ ...pairing, tokenHash });
}

export function* setRole(id: PairingId, value: Pairing["role"]): Op<void> {
  yield* role({ id, role: value });
}

export function* setTokenHash(id: PairingId, tokenHash: string | null): Op<void> {
  yield* token({ id, tokenHash });
}

export function* dropPairing(id: PairingId): Op<void> {
  yield* drop({ id });
}

function toPairing(row: {
  id: string;
  name: string;
  role: string;
  kind: string;
  createdAt: number;
}): Pairing {
  return {
    id: row.id,
    name: row.name,
    role: row.role === "owner" ? "owner" : "authenticated",
    kind: row.kind as PairingKind,
    createdAt: row.createdAt,
  };
}
