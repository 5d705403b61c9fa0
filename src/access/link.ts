// The operator says whose an account is, without a code: another bot cannot send one in private.
import type { AccountId, ListenerId, PairingId } from "../core/words.ts";
import { linkAccount, pairingOf } from "../store/accounts.ts";
import { findPairing, type Pairing } from "../store/pairings.ts";
import type { Op } from "../store/query.ts";
import { linkProblem, pairingFor } from "./codes.ts";
import { endIfLeft } from "./mail.ts";
import { nameProblem } from "./pairings.ts";

export interface Link {
  readonly name: string;
  readonly listener: ListenerId;
  readonly account: AccountId;
  /** The id of the pairing, if it has to be made: then it is authenticated. */
  readonly id: PairingId;
  readonly now: number;
}

export type LinkOutcome =
  | {
      readonly pairing: Pairing;
      readonly movedFrom: string | null;
      /** Whose work must end now: the account was all that this pairing had. */
      readonly left?: Pairing;
    }
  | { readonly problem: string };

/** With all that the pairing is, whatever the account counted for before. */
export function* linkByHand({ name, listener, account, id, now }: Link): Op<LinkOutcome> {
  const known = yield* findPairing(name);
  const problem = known ? linkProblem(known) : nameProblem(name);
  if (problem) return { problem };
  const from = yield* pairingOf(listener, account);
  const pairing = yield* pairingFor({ name, role: "authenticated" }, { id, now });
  yield* linkAccount({ listener, account, name, pairing: pairing.id, linkedAt: now });
  if (!from || from.id === pairing.id) return { pairing, movedFrom: null };
  const left = yield* endIfLeft(from, now);
  return { pairing, movedFrom: from.name, ...(left ? { left } : {}) };
}
