// Who is this: the pairing behind an account, or nobody we know.
import type { Caller, Sender } from "../core/words.ts";
import { pairingOf } from "../store/accounts.ts";
import type { Op } from "../store/query.ts";

export function* identify({ listener, account, name }: Sender): Op<Caller> {
  const pairing = yield* pairingOf(listener, account);
  if (!pairing) return { id: `a:${listener}:${account}`, pairing: null, role: "anonymous", name };
  return { id: `p:${pairing.id}`, pairing: pairing.id, role: pairing.role, name: pairing.name };
}
