// The card of a question as it stands now: what is asked, who may answer, or who did.
import type { Button, Part } from "../core/channel.ts";
import { visibleLine } from "../core/visible.ts";
import type { Markdown } from "../core/words.ts";
import { buttonsOf, cardOfOutbox } from "../store/cards.ts";
import type { OutboxRow } from "../store/outbox-row.ts";
import type { Op } from "../store/query.ts";
import { findQuestion, type Question } from "../store/questions.ts";
import type { ApprovalPorts } from "./ports.ts";

/** The card's last message: earlier ones (of a long command) went out before it and stay. */
export async function renderCard(
  { store, render }: Pick<ApprovalPorts, "store" | "render">,
  row: OutboxRow,
): Promise<Part | undefined> {
  const card = await store.run(() => load(row.id));
  if (!card) return undefined;
  const { question, number, buttons } = card;
  const parts = await render(row.to.listener, cardText(question, number));
  const last = parts.at(-1);
  if (!last) return undefined;
  const replyTo = row.replyTo ? { replyTo: row.replyTo } : {};
  return question.state === "pending" ? { ...last, ...replyTo, buttons } : { ...last, ...replyTo };
}

export function cardText(question: Question, number: number): Markdown {
  const head = `**${escapeMarkdown(question.title)}?** (${number})`;
  return [head, question.body, footer(question, number)].filter(Boolean).join("\n\n");
}

function footer(question: Question, number: number): Markdown {
  const who = escapeInline(question.decidedName ?? "");
  const label = question.options.find((option) => option.key === question.answer)?.label;
  if (question.state === "answered") {
    const reason = question.reason ? `: ${escapeInline(question.reason)}` : "";
    if (question.outcome === "approved") return `✅ ${escapeMarkdown(label ?? "Allowed")} · ${who}`;
    if (question.outcome === "denied") return `⛔ Denied by ${who}${reason}`;
    return `☑️ ${label ? escapeMarkdown(label) : escapeInline(question.answer ?? "")} · ${who}`;
  }
  if (question.state === "expired") return `⌛ ${expiries[question.outcome ?? ""] ?? "Expired"}`;
  if (question.kind === "text") return "Answer with your next message, or /stop.";
  if (question.kind === "choice") return "";
  return `Buttons, or \`allow ${number}\` / \`deny ${number} because …\``;
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
): Op<{ question: Question; number: number; buttons: readonly Button[] } | undefined> {
  const card = yield* cardOfOutbox(outbox);
  const question = card && (yield* findQuestion(card.question));
  if (!card || !question) return undefined;
  const tokens = yield* buttonsOf(card.id);
  const buttons = question.options.flatMap(({ key, label }) => {
    const row = tokens.find((token) => token.option === key);
    return row ? [{ label, data: row.token }] : [];
  });
  return { question, number: card.number, buttons };
}
