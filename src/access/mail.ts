// People who are let in by their proved address: their pairings come with the first mail and go with their entry.

import type { EventSender } from "../core/events.ts";
import { covering } from "../core/mail-list.ts";
import type { ListenerId } from "../core/words.ts";
import { accountsOf, type Behind, linkAccount, pairingOf } from "../store/accounts.ts";
import { addPairing, findPairing, listPairings, type Pairing } from "../store/pairings.ts";
import type { Op } from "../store/query.ts";
import { audit } from "./audit.ts";
import { removePairing } from "./pairings.ts";

const prefix = "email:";

export interface Arriving {
  readonly listener: ListenerId;
  readonly sender: EventSender;
  /** access.allowEmail. */
  readonly entries: readonly string[];
  readonly now: number;
  /** Of the pairing, if it has to be made. */
  readonly id: string;
}

/** Whoever proved an address that an entry covers, and is nobody yet, is somebody from here on. */
export function* letIn({ listener, sender, entries, now, id }: Arriving): Op<void> {
  const { account, proof } = sender;
  // What is linked is what was proved, and nothing else.
  if (proof === undefined || proof.address.toLowerCase() !== account) return;
  const [entry] = covering(entries, proof.address);
  if (entry === undefined || (yield* pairingOf(listener, account))) return;
  const name = `${prefix}${account}`;
  // Of another mailbox: the same address is the same person.
  const known = yield* findPairing(name);
  const pairing = known ?? { id, name, role: "authenticated", kind: "email", createdAt: now };
  if (!known) yield* addPairing(pairing);
  yield* linkAccount({ listener, account, name: account, pairing: pairing.id, linkedAt: now });
  const row = { at: now, who: `p:${pairing.id}`, name, place: listener, action: "pair.email" };
  yield* audit({ ...row, target: name, outcome: "linked", why: `${entry} in access.allowEmail` });
}

/** The address that a pairing stands for; undefined when it is of another kind. */
export function addressOfPairing({ kind, name }: Pick<Pairing, "kind" | "name">) {
  return kind === "email" ? name.slice(prefix.length) : undefined;
}

/** Its account was linked to somebody: without one it is nobody, and goes. Undefined when it stays. */
export function* endIfLeft(
  { id, name, kind }: Pick<Behind, "id" | "name" | "kind">,
  now: number,
): Op<Pairing | undefined> {
  if (kind !== "email" || (yield* accountsOf(id)).length > 0) return undefined;
  return (yield* removePairing(name, now))?.pairing;
}

/** The entries have changed: pairings that none of them covers any more are gone. What they still run must end now. */
export function* endUncovered(entries: readonly string[], now: number): Op<Pairing[]> {
  const gone: Pairing[] = [];
  for (const pairing of yield* listPairings()) {
    const address = addressOfPairing(pairing);
    if (address === undefined || covering(entries, address).length > 0) continue;
    yield* removePairing(pairing.name, now);
    const row = { at: now, who: "gateway", name: "gateway", place: "gateway", action: "pair.rm" };
    const why = "no entry of access.allowEmail covers it any more";
    yield* audit({ ...row, target: pairing.name, outcome: "done", why });
    gone.push(pairing);
  }
  return gone;
}
