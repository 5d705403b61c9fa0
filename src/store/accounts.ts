// Accounts: which account on which listener belongs to which pairing.
import type { AccountId, ListenerId, PairingId, PairingKind, Role } from "../core/words.ts";
import { type Op, query } from "./query.ts";

export interface Account {
  readonly listener: ListenerId;
  readonly account: AccountId;
  readonly pairing: PairingId;
  /** As the platform showed it when it was linked; display only. */
  readonly name: string;
  readonly linkedAt: number;
  /** Whoever comes by this account is at most that; null: what the pairing is. */
  readonly most: Role | null;
}

const find = query((db, p: { listener: string; account: string }) =>
  db
    .selectFrom("accounts")
    .innerJoin("pairings", "pairings.id", "accounts.pairing")
    .select(["pairings.id", "pairings.name", "pairings.role", "pairings.kind", "accounts.most"])
    .where("accounts.listener", "=", p.listener)
    .where("accounts.account", "=", p.account),
);

export interface Behind {
  readonly id: PairingId;
  readonly name: string;
  /** Of whoever comes by this account: it may be less than the pairing's. */
  readonly role: Role;
  readonly kind: PairingKind;
  readonly most: Role | null;
}

/** The pairing behind an account, in one look. */
export function* pairingOf(listener: ListenerId, account: AccountId): Op<Behind | undefined> {
  const [row] = yield* find({ listener, account });
  if (!row) return undefined;
  const most = row.most as Role | null;
  const role = capped(row.role as Role, most);
  return { ...row, role, most, kind: row.kind as PairingKind };
}

export function capped(role: Role, most: Role | null): Role {
  return role === "owner" && most !== null ? most : role;
}

const upsert = query((db, p: Account & Readonly<Record<string, unknown>>) =>
  db
    .insertInto("accounts")
    .values({
      listener: p.listener,
      account: p.account,
      pairing: p.pairing,
      name: p.name,
      linkedAt: p.linkedAt,
      most: p.most,
    })
    .onConflict((conflict) =>
      conflict.columns(["listener", "account"]).doUpdateSet((eb) => ({
        pairing: eb.ref("excluded.pairing"),
        name: eb.ref("excluded.name"),
        linkedAt: eb.ref("excluded.linkedAt"),
        most: eb.ref("excluded.most"),
      })),
    ),
);

/** An account belongs to one pairing: a new link replaces the old one. */
export function* linkAccount(
  account: Omit<Account, "most"> & { readonly most?: Role | null },
): Op<void> {
  yield* upsert({ most: null, ...account });
}

const ofPairing = query((db, p: { pairing: string }) =>
  db.selectFrom("accounts").selectAll().where("pairing", "=", p.pairing),
);

export function* accountsOf(pairing: PairingId): Op<Account[]> {
  return (yield* ofPairing({ pairing })).map(toAccount);
}

const drop = query((db, p: { listener: string; account: string }) =>
  db.deleteFrom("accounts").where("listener", "=", p.listener).where("account", "=", p.account),
);

export function* unlinkAccount(listener: ListenerId, account: AccountId): Op<void> {
  yield* drop({ listener, account });
}

const owners = query((db, p: { role: string }) =>
  db
    .selectFrom("accounts")
    .innerJoin("pairings", "pairings.id", "accounts.pairing")
    .select([
      "accounts.listener",
      "accounts.account",
      "accounts.pairing",
      "accounts.name",
      "accounts.linkedAt",
      "accounts.most",
    ])
    .where("pairings.role", "=", p.role)
    .where("accounts.most", "is", null)
    .orderBy("accounts.linkedAt"),
);

/** By which somebody has an owner's power. */
export function* ownerAccounts(): Op<Account[]> {
  return (yield* owners({ role: "owner" })).map(toAccount);
}

function toAccount(row: Omit<Account, "most"> & { most: string | null }): Account {
  return { ...row, most: row.most as Role | null };
}
