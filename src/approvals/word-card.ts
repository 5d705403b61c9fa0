// A card as it is read in a mail: number and word first, then the whole question, the lines that decide, and what silence means.
import { typed } from "../core/command-text.ts";
import type { Markdown } from "../core/words.ts";
import type { Question } from "../store/questions.ts";
import { escapeMarkdown, lasting, listed, type Where } from "./card.ts";
import { narrowestAllow } from "./options.ts";

export interface WordCard {
  readonly number: number;
  readonly word: string;
  /** Seen from the question's conversation. */
  readonly where: Where;
  /** What it is for, away from where that was said. */
  readonly origin: Markdown;
  /** A page to answer on. */
  readonly link?: string;
  /** Until nobody can answer any more, ms. */
  readonly left: number;
}

export function wordCard(question: Question, it: WordCard): Markdown {
  const head = `**Question ${it.number}, word ${it.word}: ${escapeMarkdown(question.title)}?**`;
  const page = it.link ? `Or answer on this page, which is for you alone: <${it.link}>` : "";
  const silence = `If nobody answers within ${lasting(it.left)}, ${silences[question.kind]}`;
  return [head, it.origin, question.body, linesOf(question, it), page, silence]
    .filter(Boolean)
    .join("\n\n");
}

const silences: Readonly<Record<Question["kind"], string>> = {
  approval: "it is denied, and I go on without it.",
  choice: "I take it that you do not want to answer.",
  text: "I take it that you do not want to answer.",
};

function linesOf(question: Question, { number, word, where }: WordCard): Markdown {
  const { kind, options } = question;
  const lines = `\`answer ${number} ${word} …\``;
  if (kind === "text" && where === "here")
    return `Reply to this: what you write is the answer. (${typed("stop")} ends the task instead.)`;
  if (kind === "text") return `Begin your reply with ${lines} and what you want to say.`;
  if (kind === "choice")
    return `${listed(options)}\n\nBegin your reply with ${lines} and the number or the words of one of them: \`answer ${number} ${word} 1\`.`;
  const key = narrowestAllow(options);
  const label = options.find((option) => option.key === key)?.label;
  const allow = label ? [`\`allow ${number} ${word}\` – ${escapeMarkdown(label)}`] : [];
  const deny = `\`deny ${number} ${word} because …\` – Deny; the reason is up to you`;
  // No list: people copy a line with its bullet.
  return ["Begin your reply with one of these lines:", ...allow, deny].join("\n\n");
}
