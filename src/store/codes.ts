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
  }),
);
const withdraw = query((db, p: { name: string; at: number }) =>
  db
    .updateTable("codes")
    .set({ usedAt: p.at })
    .where("name", "=", p.name)
    .where("usedAt", "is", null),
);
const use = query((db, p: { hmac: string; at: number }) =>
  db
    .updateTable("codes")
    .set({ usedAt: p.at })
    .where("hmac", "=", p.hmac)
    .where("usedAt", "is", null)
    .where("expiresAt", ">", p.at)
    .returningAll(),
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

/** Takes the code; of two at once, one gets it. */
export function* useCode(hmac: string, at: number): Op<CodeRow | undefined> {
  const [row] = yield* use({ hmac, at });
  if (!row) return undefined;
  const { usedAt: _, ...code } = row;
  return { ...code, role: code.role === "owner" ? "owner" : "authenticated" };
}
