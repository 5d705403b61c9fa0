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
}

const find = query((db, p: { listener: string; account: string }) =>
  db
    .selectFrom("accounts")
    .innerJoin("pairings", "pairings.id", "accounts.pairing")
    .select(["pairings.id", "pairings.name", "pairings.role", "pairings.kind"])
    .where("accounts.listener", "=", p.listener)
    .where("accounts.account", "=", p.account),
);

/** The pairing behind an account, in one look. */
export function* pairingOf(
  listener: ListenerId,
  account: AccountId,
): Op<{ id: PairingId; name: string; role: Role; kind: PairingKind } | undefined> {
  const [row] = yield* find({ listener, account });
  return row && { ...row, role: row.role as Role, kind: row.kind as PairingKind };
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
    })
    .onConflict((conflict) =>
      conflict.columns(["listener", "account"]).doUpdateSet((eb) => ({
        pairing: eb.ref("excluded.pairing"),
        name: eb.ref("excluded.name"),
        linkedAt: eb.ref("excluded.linkedAt"),
      })),
    ),
);

/** An account belongs to one pairing: a new link replaces the old one. */
export function* linkAccount(account: Account): Op<void> {
  yield* upsert({ ...account });
}

const ofPairing = query((db, p: { pairing: string }) =>
  db.selectFrom("accounts").selectAll().where("pairing", "=", p.pairing),
);

export function* accountsOf(pairing: PairingId): Op<Account[]> {
  return yield* ofPairing({ pairing });
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
    ])
    .where("pairings.role", "=", p.role)
    .orderBy("accounts.linkedAt"),
);

export function* ownerAccounts(): Op<Account[]> {
  return yield* owners({ role: "owner" });
}
