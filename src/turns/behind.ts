// What is written behind a question of one's own that only a word decides: nobody must wait there in silence, a day long.

import { takeOneOf } from "../access/hints.ts";
import type { InboundMessage } from "../core/events.ts";
import type { Caller, ConversationId, ListenerId, Markdown } from "../core/words.ts";
import { type Card, cardsOf } from "../store/cards.ts";
import type { Op } from "../store/query.ts";
import { pendingQuestionsIn, type Question } from "../store/questions.ts";
import { missingWord, notFirst, stillOpen } from "./by-word.ts";
import { ownText, readerOf } from "./letter.ts";
import type { TurnPorts } from "./ports.ts";

interface Written {
  readonly caller: Caller;
  readonly listener: ListenerId;
  readonly conversation: { readonly id: ConversationId };
  readonly event: InboundMessage;
}

interface Behind {
  /** It was meant to decide, and does not: nothing of it is done later. */
  readonly refused?: Markdown;
  /** It waits like any other, and its sender should know what for. */
  readonly told?: Markdown;
}

export function* behindQuestion(
  ports: Pick<TurnPorts, "channel" | "clock" | "word">,
  { caller, listener, conversation, event }: Written,
): Op<Behind> {
  const channel = ports.channel(listener);
  if (!channel?.decidesByWord) return {};
  const asked = yield* askedOf(conversation.id, caller);
  const [first] = asked;
  if (!first) return {};
  const bare = readerOf(channel).bare(event.text);
  if (bare) return { refused: missingWord({ name: bare }, first.card.number) };
  const said = new Set(
    ownText(event.text)
      .toUpperCase()
      .match(/[A-Z0-9]+/g),
  );
  const meant = asked.find(({ card }) => said.has(ports.word(card.id)));
  const name = (question: Question) => (question.kind === "choice" ? "answer" : "allow");
  if (meant) return { refused: notFirst({ name: name(meant.question) }, meant.card.number) };
  const { question, card } = first;
  // Once is enough: what comes after may be the next task, and the one after that.
  const isNews = yield* takeOneOf(1, `behind ${question.id}`, ports.clock.now());
  return isNews ? { told: stillOpen({ name: name(question) }, card.number) } : {};
}

function* askedOf(
  conversation: ConversationId,
  { id }: Caller,
): Op<{ readonly question: Question; readonly card: Card }[]> {
  const asked: { question: Question; card: Card }[] = [];
  for (const question of yield* pendingQuestionsIn(conversation)) {
    if (question.kind === "text") continue;
    const card = (yield* cardsOf(question.id)).find(({ person }) => person === id);
    if (card) asked.push({ question, card });
  }
  return asked;
}
