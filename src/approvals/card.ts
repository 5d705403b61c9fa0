// The text of a card as it stands now: what is asked, who may answer, or who did.

import { typed } from "../core/command-text.ts";
import { visibleLine } from "../core/visible.ts";
import type { Address, Markdown } from "../core/words.ts";
import type { Conversation } from "../store/conversations.ts";
import type { Question } from "../store/questions.ts";

export type Where = "here" | "group" | "elsewhere";

/** Of a question's conversation, seen from this chat. */
export function whereIs(home: Conversation | undefined, to: Address): Where {
  const { listener, chat, thread } = home?.address ?? {};
  if (listener !== to.listener || chat !== to.chat) return "elsewhere";
  if (home?.kind === "group") return "group";
  return thread === to.thread ? "here" : "elsewhere";
}

export interface Around {
  /** Said while it is open; empty where it cannot be answered in this place. */
  readonly how?: Markdown;
  /** What it is for, away from where that was said. */
  readonly origin?: Markdown;
}

export function cardText(
  question: Question,
  number: number,
  { how = howToAnswer(question, number), origin = "" }: Around = {},
): Markdown {
  const head = `**${escapeMarkdown(question.title)}?** (${number})`;
  const foot = question.state === "pending" ? how : outcomeText(question);
  return [head, origin, question.body, foot].filter(Boolean).join("\n\n");
}

interface Answering {
  readonly where?: Where;
  /** There are no buttons. */
  readonly bare?: boolean;
  /** A message can be answered in particular. */
  readonly replies?: boolean;
  /** A page to answer on. */
  readonly link?: string;
}

export function howToAnswer(
  { kind, options }: Question,
  number: number,
  { where = "here", bare = false, replies = true, link }: Answering = {},
): Markdown {
  const words = `\`answer ${number} …\``;
  const page = link ? `, or here: <${link}>` : "";
  if (kind === "text" && where === "here")
    return `Answer with your next message${page}, or ${typed("stop")}.`;
  if (kind === "text" && where === "group")
    return `Answer with your next message to me${replies ? ", a reply to this one," : ""} or ${words}; or ${typed("stop")}.`;
  if (kind === "text")
    return `Answer with ${words}${replies ? ", or a reply to this message" : ""}${page}.`;
  if (kind === "choice" && bare)
    return `${listed(options)}\n\nAnswer with ${words}: the number or the words of one of them${page}.`;
  if (kind === "choice") return `Buttons, or ${words} with the number or the words of one of them`;
  const decides = `\`allow ${number}\` / \`deny ${number} because …\``;
  if (bare) return link ? `${decides}, or decide here: <${link}>` : decides;
  return `Buttons, or ${decides}`;
}

export function listed(options: Question["options"]): Markdown {
  return options.map(({ label }, index) => `${index + 1}. ${escapeMarkdown(label)}`).join("\n");
}

/** Who decided what, or why nobody did; empty while it is open. */
export function outcomeText(question: Question): Markdown {
  const who = escapeInline(question.decidedName ?? "");
  const label = question.options.find((option) => option.key === question.answer)?.label;
  if (question.state === "pending") return "";
  if (question.state === "expired") return `⌛ ${expiryText(question)}`;
  const reason = question.reason ? `: ${escapeInline(question.reason)}` : "";
  if (question.outcome === "approved") return `✅ ${escapeMarkdown(label ?? "Allowed")} · ${who}`;
  if (question.outcome === "denied") return `⛔ Denied by ${who}${reason}`;
  // Words are between those who asked and who answered: a copy of the card may be in a group.
  return label ? `☑️ ${escapeMarkdown(label)} · ${who}` : `☑️ Answered by ${who}`;
}

function expiryText({ outcome, createdAt, expiresAt }: Question): string {
  if (outcome === "silence")
    return `Nobody answered within ${lasting(expiresAt - createdAt)}: denied`;
  return expiries[outcome ?? ""] ?? "Expired";
}

const expiries: Record<string, string> = {
  restart: "Expired by a restart: nothing was run",
  stop: "Stopped: nothing was run",
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

/** A time in words: `24 hours`, `an hour`, `20 minutes`. */
export function lasting(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / 60_000));
  const hours = Math.round(minutes / 60);
  if (minutes < 55) return minutes === 1 ? "a minute" : `${minutes} minutes`;
  return hours <= 1 ? "an hour" : `${hours} hours`;
}
