// What could not be delivered, in a sentence for an owner: seldom, and only where somebody we know waits for it.

import { escapeInline } from "../approvals/card.ts";
import { code } from "../approvals/effect.ts";
import type { Clock } from "../core/clock.ts";
import type { Markdown } from "../core/words.ts";
import { pairingOf } from "../store/accounts.ts";
import { cardOfOutbox } from "../store/cards.ts";
import type { OutboxRow } from "../store/outbox-row.ts";
import { findPairingById } from "../store/pairings.ts";
import type { Op } from "../store/query.ts";
import type { Store } from "../store/store.ts";
import { findTurn } from "../store/turns.ts";

export interface Losses {
  /** Undefined: not worth a word, or said already. */
  textOf(row: OutboxRow, why: string): Promise<Markdown | undefined>;
  /** A message that tells of trouble makes no further trouble. `over`: it is out, or never will be. */
  leaveOut(id: number, over: Promise<unknown>): void;
}

const hour = 3_600_000;
/** Chats in an hour: a flood must not flood the owners, and the audit has the rest. */
const most = 10;

export function createLosses({
  store,
  clock,
}: {
  readonly store: Store;
  readonly clock: Clock;
}): Losses {
  const said = new Map<string, number>();
  const ours = new Set<number>();
  const isNew = (chat: string) => {
    const now = clock.now();
    for (const [key, at] of said) if (Math.abs(now - at) >= hour) said.delete(key);
    if (said.has(chat) || said.size >= most) return false;
    said.set(chat, now);
    return true;
  };
  return {
    leaveOut(id, over) {
      ours.add(id);
      void over.then(() => ours.delete(id));
    },
    async textOf(row, why) {
      // What a card became is of no use any more once it was seen.
      if (ours.has(row.id) || (row.kind === "card" && row.ref)) return undefined;
      const name = await store.run(() => nameOf(row));
      const { listener, chat } = row.to;
      if (name === undefined || !isNew(`${listener}\n${chat}`)) return undefined;
      const where = `on ${code(listener)} (${code(chat.slice(0, 200))})`;
      const reason = escapeInline(why.slice(0, 300)).replace(/\.$/, "");
      return `⚠️ ${whats[row.kind]} for **${escapeInline(name)}** ${where} could not be delivered: ${reason}. \`sallyport audit list\` shows what else is lost there within the hour.`;
    },
  };
}

const whats: Readonly<Record<OutboxRow["kind"], string>> = {
  reply: "An answer",
  card: "A question",
  notice: "A message",
};

/** Of whoever waits for it; undefined for people we do not know, who may have blocked us. */
function* nameOf(row: OutboxRow): Op<string | undefined> {
  const person =
    row.turn === null
      ? row.kind === "card"
        ? (yield* cardOfOutbox(row.id))?.person
        : undefined
      : (yield* findTurn(row.turn))?.caller;
  if (person !== undefined)
    return person.startsWith("p:") ? (yield* findPairingById(person.slice(2)))?.name : undefined;
  return (yield* pairingOf(row.to.listener, row.to.chat))?.name;
}
