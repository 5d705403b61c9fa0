// A link to one question for one person: where a chat shows no buttons it is answered on a page, without a sign-in.
import { createHmac, timingSafeEqual } from "node:crypto";
import { audit, auditSeldom } from "../access/audit.ts";
import { may } from "../access/authorise.ts";
import { countFailure, mayTry } from "../access/backoff.ts";
import { outcomeText } from "../approvals/card.ts";
import type { Clock } from "../core/clock.ts";
import type { Hitl } from "../core/page.ts";
import type { Address, Caller, Role, Sender } from "../core/words.ts";
import { accountsOf, capped, pairingOf } from "../store/accounts.ts";
import { findCard } from "../store/cards.ts";
import { findPart } from "../store/outbox.ts";
import { listPairings, type Pairing } from "../store/pairings.ts";
import type { Op } from "../store/query.ts";
import { findQuestion, type Question } from "../store/questions.ts";
import type { Store } from "../store/store.ts";
import type { Decided, Decision, Running } from "./running.ts";
import { answerable } from "./views/tasks.ts";

export interface HitlPorts extends Pick<Running, "decideAs"> {
  readonly store: Store;
  readonly clock: Clock;
  /** Random, of this state only. */
  readonly key: Uint8Array;
  /** As whom wrong links from this address are counted: apart from codes, since any page can send a browser to one. */
  guesser(address: string): Sender;
}

/** Undefined alike for whatever does not count: a wrong token, a card that is forgotten, a person who lost their place. */
export interface HitlDoor {
  show(token: string, address: string): Promise<Hitl | undefined>;
  decide(
    token: string,
    given: Omit<Decision, "place">,
    address: string,
  ): Promise<Decided | undefined>;
}

export function createHitl(ports: HitlPorts): HitlDoor {
  const { store, key } = ports;
  const enter = async (token: string, address: string): Promise<Holder | undefined> => {
    const card = readToken(key, token);
    if (card !== undefined) return await store.run(() => holderOf(ports, card));
    await store.run(() => countWrong(ports, address));
    return undefined;
  };
  return {
    async show(token, address) {
      const holder = await enter(token, address);
      if (!holder) return undefined;
      const { by, question } = holder;
      const { state } = question;
      return {
        ...answerable(by, question),
        state,
        outcome: outcomeText(question),
        who: by.name,
      };
    },
    async decide(token, given, address) {
      const holder = await enter(token, address);
      if (!holder) return undefined;
      return await ports.decideAs(holder.by, holder.question.id, { ...given, place: "hitl" });
    },
  };
}

export function hitlToken(key: Uint8Array, card: string): string {
  // The first word keeps it apart from whatever else is made with this key.
  return `${card}.${createHmac("sha256", key).update(`hitl ${card}`).digest("base64url")}`;
}

function readToken(key: Uint8Array, token: string): string | undefined {
  const [, card] = /^([\w-]{16,48})\.[\w-]{43}$/.exec(token) ?? [];
  if (card === undefined) return undefined;
  const [given, right] = [Buffer.from(token), Buffer.from(hitlToken(key, card))];
  return given.length === right.length && timingSafeEqual(given, right) ? card : undefined;
}

interface Holder {
  readonly by: Caller;
  readonly question: Question;
}

/** The person of the card as they stand now. */
function* holderOf({ clock }: HitlPorts, id: string): Op<Holder | undefined> {
  const card = yield* findCard(id);
  const question = card && (yield* findQuestion(card.question));
  const row = card?.outbox ? yield* findPart(card.outbox) : undefined;
  if (!card || !question || !row) return undefined;
  const pairing = (yield* listPairings()).find((one) => `p:${one.id}` === card.person);
  const by: Caller | undefined = pairing && {
    id: card.person,
    pairing: pairing.id,
    role: yield* roleAt(pairing, row.to),
    name: pairing.name,
  };
  if (
    by &&
    may(by, "answer", { starter: question.caller }) &&
    (yield* isReachedAt(by, row.to, question.createdAt))
  )
    return { by, question };
  yield* auditSeldom({
    at: clock.now(),
    who: card.person,
    name: by?.name ?? "",
    place: "hitl",
    action: "question.answer",
    target: question.id,
    outcome: "refused",
    why: by ? "not theirs any more" : "the pairing is gone",
  });
  return undefined;
}

/** Whoever has the link has it by the account that it was sent to, which may count for less than the pairing. */
function* roleAt({ id, role }: Pairing, { listener, chat }: Address): Op<Role> {
  const there = (yield* accountsOf(id)).filter((one) => one.listener === listener);
  const exactly = there.filter(({ account }) => account === chat);
  const reached = exactly.length > 0 ? exactly : there;
  return reached.reduce((least: Role, { most }) => capped(least, most), role);
}

/** Whoever was unlinked there since has the link still, and nothing else. */
function* isReachedAt(
  { pairing }: Caller,
  { listener, chat }: Address,
  since: number,
): Op<boolean> {
  if (pairing === null) return false;
  const accounts = yield* accountsOf(pairing);
  if (!accounts.some((one) => one.listener === listener && one.linkedAt <= since)) return false;
  // Of several accounts there, this one may have moved to somebody else.
  const now = yield* pairingOf(listener, chat);
  return now === undefined || now.id === pairing;
}

/** Of guesses that come faster than they count, nothing is kept. */
function* countWrong({ clock, guesser }: HitlPorts, address: string): Op<void> {
  const sender = guesser(address);
  const at = clock.now();
  if (!(yield* mayTry(sender, at))) return;
  yield* countFailure(sender, at);
  const { listener, account } = sender;
  yield* audit({
    at,
    who: `a:${listener}:${account}`,
    name: "",
    place: "hitl",
    action: "question.answer",
    target: "",
    outcome: "refused",
    why: "wrong link",
  });
}
