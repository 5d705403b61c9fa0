// What waits for a decision: as cards with buttons in a direct chat, as a list in a group.

import { may } from "../access/authorise.ts";
import { escapeInline, listed } from "../approvals/card.ts";
import { typed } from "../core/command-text.ts";
import type { Caller, Markdown } from "../core/words.ts";
import { addCard, cardsOf } from "../store/cards.ts";
import type { Op } from "../store/query.ts";
import { pendingQuestions, type Question } from "../store/questions.ts";
import { findTask } from "../store/tasks.ts";
import { addressOf } from "./admission.ts";
import { titled, type Viewer } from "./lists.ts";
import type { TurnPorts } from "./ports.ts";

const none = "Nothing waits for a decision.";
const cardsMost = 5;

/** The oldest first. */
export function* openFor(caller: Caller): Op<Question[]> {
  const all = yield* pendingQuestions();
  return all.filter((question) => may(caller, "answer", { starter: question.caller }));
}

/** In a direct chat they are shown as cards, and the text says only what is left; all in one message where an answer is one. */
export async function approvals(ports: TurnPorts, viewer: Viewer): Promise<Markdown> {
  if (viewer.event.chat.kind === "group") return list(ports, viewer);
  const { caller, event, listener } = viewer;
  const open = await ports.store.run(() => openFor(caller));
  const recipient = { person: caller.id, to: addressOf(listener, event) };
  const shown = open.slice(0, cardsMost);
  const texts: Markdown[] = [];
  // Several messages at once are no answer there.
  if (ports.channel(listener)?.oneMessage)
    for (const question of shown) texts.push(await ports.approvals.listed(question, recipient));
  else for (const question of shown) await ports.approvals.show(question, recipient);
  const more = open.length - cardsMost;
  if (more > 0)
    texts.push(`${more} more: ${typed("approvals")} shows them once some of these are decided.`);
  return open.length === 0 ? none : texts.join("\n\n---\n\n");
}

/** A question that was never shown to this person gets one of their numbers, so that `allow 3` works. */
async function list(ports: TurnPorts, { caller }: Viewer): Promise<Markdown> {
  const shown = await ports.store.run(function* () {
    const entries: { readonly question: Question; readonly number: number; entry: Markdown }[] = [];
    for (const question of yield* openFor(caller)) {
      const number = yield* numberFor(ports, caller, question);
      const whose = titled(yield* findTask(question.task), caller);
      // The whole effect: nobody decides on what they have not read.
      const head = `**${number}** ${escapeInline(question.title)}, for: ${whose}`;
      const choices = question.kind === "choice" ? listed(question.options) : "";
      const entry = [head, question.body, choices].filter(Boolean).join("\n\n");
      entries.push({ question, number, entry });
    }
    return entries;
  });
  if (shown.length === 0) return none;
  const text = shown.map(({ entry }) => entry).join("\n\n---\n\n");
  const words = [
    ...firstWords(shown, true, (number) => `\`allow ${number}\` or \`deny ${number} because …\``),
    ...firstWords(shown, false, (number) => `\`answer ${number} …\``),
  ];
  return `${text}\n\n${words.join(", ")} decides.`;
}

function firstWords(
  shown: readonly { readonly question: Question; readonly number: number }[],
  approval: boolean,
  words: (number: number) => string,
): string[] {
  const first = shown.find(({ question }) => (question.kind === "approval") === approval);
  return first ? [words(first.number)] : [];
}

function* numberFor({ token }: TurnPorts, caller: Caller, question: Question): Op<number> {
  const cards = yield* cardsOf(question.id);
  const own = cards.find(({ person }) => person === caller.id);
  const card =
    own ?? (yield* addCard({ id: token(), question: question.id, person: caller.id, place: null }));
  return card.number;
}
