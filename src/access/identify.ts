// Who is this: the pairing behind an account or a token, or nobody we know.
import type { Caller, PairingId, PairingKind, Role, Sender } from "../core/words.ts";
import { pairingOf } from "../store/accounts.ts";
import { findPairingByToken } from "../store/pairings.ts";
import type { Op } from "../store/query.ts";

export function* identify({ listener, account, name }: Sender): Op<Caller> {
  const pairing = yield* pairingOf(listener, account);
  return pairing
    ? callerOf(pairing)
    : { id: `a:${listener}:${account}`, pairing: null, role: "anonymous", name };
}

/** `hash` as hashToken makes it. The kind says where the token counts: a local one never comes from a network. */
export function* identifyToken(
  hash: string,
): Op<{ readonly caller: Caller; readonly kind: PairingKind } | undefined> {
  const pairing = yield* findPairingByToken(hash);
  return pairing && { caller: callerOf(pairing), kind: pairing.kind };
}

function callerOf({ id, role, name }: { id: PairingId; role: Role; name: string }): Caller {
  return { id: `p:${id}`, pairing: id, role, name };
}
