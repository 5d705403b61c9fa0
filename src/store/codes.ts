// Pairing codes: only their HMAC is kept; each works once.
import type { Role } from "../core/words.ts";
import { type Op, query } from "./query.ts";

export interface CodeRow {
  readonly hmac: string;
  /** The pairing it makes, or adds an account to. */
  readonly name: string;
  readonly role: Exclude<Role, "anonymous">;
  readonly createdAt: number;
  readonly expiresAt: number;
}

const insert = query((db, p: CodeRow & Readonly<Record<string, unknown>>) =>
  db.insertInto("codes").values({
    hmac: p.hmac,
    name: p.name,
    role: p.role,
    createdAt: p.createdAt,
    expiresAt: p.expiresAt,
    usedAt: null,
    usedBy: null,
  }),
);
const withdraw = query((db, p: { name: string; at: number }) =>
  db
    .updateTable("codes")
    .set({ usedAt: p.at })
    .where("name", "=", p.name)
    .where("usedAt", "is", null),
);
const use = query((db, p: { hmac: string; at: number; by: string | null; soon: number }) =>
  db
    .updateTable("codes")
    .set({ usedAt: p.at, usedBy: p.by })
    .where("hmac", "=", p.hmac)
    .where("usedAt", "is", null)
    .where("expiresAt", ">", p.at)
    .where("createdAt", "<", p.soon)
    .returning(["name", "role"]),
);
const old = query((db, p: { before: number }) =>
  db.deleteFrom("codes").where("expiresAt", "<", p.before),
);

export function* addCode(code: CodeRow): Op<void> {
  yield* old({ before: code.createdAt - 86_400_000 });
  yield* insert({ ...code });
}

/** Open codes of this name count no more. */
export function* withdrawCodes(name: string, at: number): Op<void> {
  yield* withdraw({ name, at });
}

export interface CodeUse {
  readonly hmac: string;
  readonly at: number;
  /** Who takes it; null: it is burned. */
  readonly by: string | null;
}

/** Takes the code; of two at once, one gets it. A code of a clock that was ahead does not count. */
export function* useCode(p: CodeUse): Op<Pick<CodeRow, "name" | "role"> | undefined> {
  const [row] = yield* use({ ...p, soon: p.at + 60_000 });
  return row && { name: row.name, role: row.role === "owner" ? "owner" : "authenticated" };
}

const taken = query((db, p: { hmac: string; by: string }) =>
  db.selectFrom("codes").select("name").where("hmac", "=", p.hmac).where("usedBy", "=", p.by),
);

/** The name behind a code that this sender took before. */
export function* nameTakenBy(hmac: string, by: string): Op<string | undefined> {
  return (yield* taken({ hmac, by }))[0]?.name;
}
