// Open questions shown once more, at the end of a chat of the one who asks for them: as cards, with buttons.
import { placeCard, retireCardMessage } from "../store/card-copies.ts";
import { addCard, buttonsOf, type Card, cardsOf } from "../store/cards.ts";
import { findPart } from "../store/outbox.ts";
import type { OutboxRow } from "../store/outbox-row.ts";
import type { Op } from "../store/query.ts";
import { findQuestion, type Question } from "../store/questions.ts";
import { addButtons, addMessages, prepare, type Shown } from "./ask.ts";
import type { ApprovalPorts, Recipient } from "./ports.ts";

const movedOn = "⤵ Asked again below.";

/** The recipient must be somebody who may answer it, in a direct chat of theirs. */
export async function showAgain(
  ports: ApprovalPorts,
  question: Question,
  recipient: Recipient,
): Promise<void> {
  const known = await ports.store.run(() => cardFor(question, recipient));
  const shown = await prepare(ports, question, { recipient, ...(known ? { known } : {}) });
  ports.deliver(await ports.store.run(() => show(ports, question, { shown, known })));
}

/** One live card in a chat: the one there moves down. One that was only listed is shown now. */
function* cardFor(question: Question, { person, to }: Recipient): Op<Card | undefined> {
  const own = (yield* cardsOf(question.id)).filter((card) => card.person === person);
  const here = own.find(({ listener, chat }) => listener === to.listener && chat === to.chat);
  return here ?? own.find(({ outbox }) => outbox === null);
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
