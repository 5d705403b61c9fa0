// Who is this: the pairing behind an account or a token, or nobody we know.
import type { Caller, PairingId, PairingKind, Role, Sender } from "../core/words.ts";
import { pairingOf } from "../store/accounts.ts";
import { findPairingById, findPairingByToken } from "../store/pairings.ts";
import type { Op } from "../store/query.ts";
import { webListener } from "./pairings.ts";

export function* identify({ listener, account, name }: Sender): Op<Caller> {
  // On the page the account is the pairing itself, as the guard found it by a session or token.
  const pairing =
    listener === webListener
      ? yield* findPairingById(account)
      : yield* pairingOf(listener, account);
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

export function callerOf(pairing: { id: PairingId; role: Role; name: string }): Caller {
  const { id, role, name } = pairing;
  return { id: `p:${id}`, pairing: id, role, name };
}
