// A copy of a card, for the chat where it is shown and for whom.

import type { Button, Part } from "../core/channel.ts";
import type { Address, Markdown } from "../core/words.ts";
import { buttonsOf, type Card, cardOfOutbox } from "../store/cards.ts";
import { findConversation } from "../store/conversations.ts";
import type { OutboxRow } from "../store/outbox-row.ts";
import type { Op } from "../store/query.ts";
import { findQuestion, type Question } from "../store/questions.ts";
import { findTask, type Task } from "../store/tasks.ts";
import { cardText, escapeInline, howToAnswer, whereIs } from "./card.ts";
import type { ApprovalPorts } from "./ports.ts";
import { wordCard } from "./word-card.ts";

/** The card's last message: earlier ones (of a long command) went out before it and stay. */
export async function renderCard(ports: CopyPorts, row: OutboxRow): Promise<Part | undefined> {
  const shown = await ports.store.run(() => load(row.id));
  if (!shown) return undefined;
  const { question, card, buttons } = shown;
  const { id, number, person } = card;
  const text = await copyText(ports, question, { card: id, number, person, to: row.to });
  const last = (await ports.render(row.to.listener, text)).at(-1);
  if (!last) return undefined;
  const replyTo = row.replyTo ? { replyTo: row.replyTo } : {};
  return question.state === "pending" ? { ...last, ...replyTo, buttons } : { ...last, ...replyTo };
}

export type CopyPorts = Pick<
  ApprovalPorts,
  "store" | "clock" | "render" | "cardLink" | "channel" | "word"
>;

/** One of the places where a question is shown, and for whom. */
export interface Copy {
  readonly card: string;
  readonly number: number;
  readonly person: string;
  readonly to: Address;
}

/** The whole card as it stands now. */
export async function copyText(
  { store, clock, cardLink, channel, word }: CopyPorts,
  question: Question,
  { card, number, person, to }: Copy,
): Promise<Markdown> {
  const { home, task } = await store.run(function* () {
    const conversation = yield* findConversation(question.conversation);
    return { home: conversation, task: yield* findTask(question.task) };
  });
  const where = whereIs(home, to);
  // Whoever holds it answers as the card's person: it is for their eyes, never for a group's.
  const link = where === "group" ? undefined : cardLink?.(to.listener, card);
  const { limits, noReplies, decidesByWord } = channel?.(to.listener) ?? {};
  const bare = limits?.buttons === 0;
  const answering = { where, bare, replies: !noReplies, ...(link ? { link } : {}) };
  const origin = where === "elsewhere" && task && home ? originOf(task, person, home.address) : "";
  if (decidesByWord && word && where !== "group" && question.state === "pending") {
    const left = question.expiresAt - clock.now();
    return wordCard(question, { ...answering, number, word: word(card), origin, left });
  }
  const how = howToAnswer(question, number, answering);
  return cardText(question, number, { how, origin });
}

function originOf({ title, caller, callerName }: Task, person: string, { listener }: Address) {
  const whose = caller === person ? "" : ` (${escapeInline(callerName)})`;
  return `For: ${escapeInline(title) || "a file"}${whose}, on ${escapeInline(listener)}`;
}

function* load(
  outbox: number,
): Op<{ question: Question; card: Card; buttons: readonly Button[] } | undefined> {
  const card = yield* cardOfOutbox(outbox);
  const question = card && (yield* findQuestion(card.question));
  if (!card || !question) return undefined;
  const tokens = yield* buttonsOf(card.id);
  const buttons = question.options.flatMap(({ key, label }) => {
    const row = tokens.find((token) => token.option === key);
    return row ? [{ label, data: row.token }] : [];
  });
  return { question, card, buttons };
}
