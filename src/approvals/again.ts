// Open questions shown once more, to the one who asks for them: as cards with buttons at the end of a chat, or as the text of a list.

import type { Markdown } from "../core/words.ts";
import { placeCard, retireCardMessage } from "../store/card-copies.ts";
import { addCard, buttonsOf, type Card, cardsOf } from "../store/cards.ts";
import { findPart } from "../store/outbox.ts";
import type { OutboxRow } from "../store/outbox-row.ts";
import type { Op } from "../store/query.ts";
import { findQuestion, prolongQuestion, type Question } from "../store/questions.ts";
import { addButtons, addMessages, patienceAt, prepare, type Shown } from "./ask.ts";
import { copyText } from "./copy.ts";
import type { ApprovalPorts, Recipient } from "./ports.ts";

const movedOn = "⤵ Asked again below.";

/** The recipient must be somebody who may answer it, in a direct chat of theirs. */
export async function showAgain(
  ports: ApprovalPorts,
  question: Question,
  recipient: Recipient,
): Promise<void> {
  const known = await ports.store.run(() => cardFor(question, recipient));
  const asked = waiting(ports, question, recipient);
  const shown = await prepare(ports, asked, { recipient, ...(known ? { known } : {}) });
  ports.deliver(await ports.store.run(() => show(ports, asked, { shown, known })));
}

/** Its card for a list in a direct chat of the recipient, who may answer it: that chat has been shown it then. */
export async function listedText(
  ports: ApprovalPorts,
  question: Question,
  recipient: Recipient,
): Promise<Markdown> {
  const { person, to } = recipient;
  const asked = waiting(ports, question, recipient);
  const card = await ports.store.run(function* () {
    const known = yield* cardFor(question, recipient);
    yield* prolongQuestion(question.id, asked.expiresAt);
    if (known?.chat === to.chat) return known;
    if (known) {
      yield* placeCard(known.id, to, null);
      return known;
    }
    const place = { ...to, outbox: null };
    return yield* addCard({ id: ports.token(), question: question.id, person, place });
  });
  // A link counts for what was sent as a message of its own.
  const { cardLink: _, ...linkless } = ports;
  const copy = { card: card.id, number: card.number, person, to };
  return await copyText(card.outbox === null ? linkless : ports, asked, copy);
}

/** Where people take longer it waits longer, once it is shown there. */
function waiting(ports: ApprovalPorts, question: Question, { to }: Recipient): Question {
  const until = question.createdAt + patienceAt(ports, to.listener);
  return until > question.expiresAt ? { ...question, expiresAt: until } : question;
}

/** One live card in a chat: the one there moves down. One that was only listed is shown now. */
function* cardFor(question: Question, { person, to }: Recipient): Op<Card | undefined> {
  const own = (yield* cardsOf(question.id)).filter((card) => card.person === person);
  const here = own.find(({ listener, chat }) => listener === to.listener && chat === to.chat);
  return here ?? own.find(({ chat }) => chat === null);
}

function isOnItsWay({ state }: OutboxRow): boolean {
  return state === "pending" || state === "sending";
}

function* show(
  ports: ApprovalPorts,
  question: Question,
  { shown, known }: { shown: Shown; known: Card | undefined },
): Op<OutboxRow[]> {
  if ((yield* findQuestion(question.id))?.state !== "pending") return [];
  const { person, to } = shown.recipient;
  yield* prolongQuestion(question.id, question.expiresAt);
  const before = known?.outbox ? yield* findPart(known.outbox) : undefined;
  // It is on its way, and so will be the last.
  if (before && !before.ref && isOnItsWay(before)) return [];
  const old = before ? yield* retireCardMessage(before.id, movedOn) : undefined;
  const { rows, message } = yield* addMessages(ports, question, shown);
  if (known) yield* placeCard(known.id, to, message.id);
  else {
    const place = { ...to, outbox: message.id };
    yield* addCard({ id: shown.card, question: question.id, person, place });
  }
  if ((yield* buttonsOf(shown.card)).length === 0) yield* addButtons(ports, shown);
  return old ? [old, ...rows] : rows;
}
