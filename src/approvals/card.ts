// The card of a question as it stands now: what is asked, who may answer, or who did.
import type { Button, Part } from "../core/channel.ts";
import { visibleLine } from "../core/visible.ts";
import type { Address, Markdown } from "../core/words.ts";
import { buttonsOf, type Card, cardOfOutbox } from "../store/cards.ts";
import { findConversation } from "../store/conversations.ts";
import type { OutboxRow } from "../store/outbox-row.ts";
import type { Op } from "../store/query.ts";
import { findQuestion, type Question } from "../store/questions.ts";
import type { ApprovalPorts } from "./ports.ts";

/** The card's last message: earlier ones (of a long command) went out before it and stay. */
export async function renderCard(
  ports: Pick<ApprovalPorts, "store" | "render" | "cardLink">,
  row: OutboxRow,
): Promise<Part | undefined> {
  const shown = await ports.store.run(() => load(row.id));
  if (!shown) return undefined;
  const { question, card, buttons } = shown;
  const link = await linkOf(ports, question, { card: card.id, to: row.to });
  const parts = await ports.render(
    row.to.listener,
    cardText(question, card.number, howToAnswer(question, card.number, link)),
  );
  const last = parts.at(-1);
  if (!last) return undefined;
  const replyTo = row.replyTo ? { replyTo: row.replyTo } : {};
  return question.state === "pending" ? { ...last, ...replyTo, buttons } : { ...last, ...replyTo };
}

/** Whoever holds it answers as the card's person: it is for their eyes, never for a group's. */
export async function linkOf(
  { store, cardLink }: Pick<ApprovalPorts, "store" | "cardLink">,
  { conversation }: Pick<Question, "conversation">,
  { card, to }: { readonly card: string; readonly to: Address },
): Promise<string | undefined> {
  const link = cardLink?.(to.listener, card);
  if (!link) return undefined;
  const home = await store.run(() => findConversation(conversation));
  const { listener, chat } = home?.address ?? {};
  const inGroup = home?.kind === "group" && listener === to.listener && chat === to.chat;
  return inGroup ? undefined : link;
}

/** `how`: said while it is open; empty where it cannot be answered in this place. */
export function cardText(
  question: Question,
  number: number,
  how: Markdown = howToAnswer(question, number),
): Markdown {
  const head = `**${escapeMarkdown(question.title)}?** (${number})`;
  const foot = question.state === "pending" ? how : outcomeText(question);
  return [head, question.body, foot].filter(Boolean).join("\n\n");
}

/** `link`: there are no buttons, but a page. */
export function howToAnswer({ kind }: Question, number: number, link?: string): Markdown {
  if (kind === "text") return "Answer with your next message, or /stop.";
  if (kind === "choice") return link ? `Choose here: <${link}>` : "";
  const words = `\`allow ${number}\` / \`deny ${number} because …\``;
  return link ? `${words}, or decide here: <${link}>` : `Buttons, or ${words}`;
}

/** Who decided what, or why nobody did; empty while it is open. */
export function outcomeText(question: Question): Markdown {
  const who = escapeInline(question.decidedName ?? "");
  const label = question.options.find((option) => option.key === question.answer)?.label;
  if (question.state === "pending") return "";
  if (question.state === "expired") return `⌛ ${expiries[question.outcome ?? ""] ?? "Expired"}`;
  const reason = question.reason ? `: ${escapeInline(question.reason)}` : "";
  if (question.outcome === "approved") return `✅ ${escapeMarkdown(label ?? "Allowed")} · ${who}`;
  if (question.outcome === "denied") return `⛔ Denied by ${who}${reason}`;
  return `☑️ ${label ? escapeMarkdown(label) : escapeInline(question.answer ?? "")} · ${who}`;
}

const expiries: Record<string, string> = {
  restart: "Expired by a restart: nothing was run",
  stop: "Stopped: nothing was run",
  silence: "Nobody answered in time: denied",
  agent: "The agent is gone: nothing was run",
  unreachable: "Nobody could be reached: denied",
};

/** A person's or agent's words inside a line of Markdown. */
export function escapeInline(text: string): Markdown {
  return escapeMarkdown(visibleLine(text));
}

/** The same for what is visible already. */
export function escapeMarkdown(text: string): Markdown {
  return text.replace(/[\\`*_{}[\]<>#|~&!]/g, "\\$&");
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
