// The card of a question as it stands now: what is asked, who may answer, or who did.

import type { Button, Part } from "../core/channel.ts";
import { typed } from "../core/command-text.ts";
import { visibleLine } from "../core/visible.ts";
import type { Address, Markdown } from "../core/words.ts";
import { buttonsOf, type Card, cardOfOutbox } from "../store/cards.ts";
import { type Conversation, findConversation } from "../store/conversations.ts";
import type { OutboxRow } from "../store/outbox-row.ts";
import type { Op } from "../store/query.ts";
import { findQuestion, type Question } from "../store/questions.ts";
import { findTask, type Task } from "../store/tasks.ts";
import type { ApprovalPorts } from "./ports.ts";

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
  "store" | "render" | "cardLink" | "hasButtons" | "hasReplies"
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
  { store, cardLink, hasButtons, hasReplies }: CopyPorts,
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
  const bare = hasButtons?.(to.listener) === false;
  const replies = hasReplies?.(to.listener) !== false;
  const how = howToAnswer(question, number, { where, bare, replies, ...(link ? { link } : {}) });
  const origin = where === "elsewhere" && task && home ? originOf(task, person, home.address) : "";
  return cardText(question, number, { how, origin });
}

export type Where = "here" | "group" | "elsewhere";

/** Of a question's conversation, seen from this chat. */
export function whereIs(home: Conversation | undefined, to: Address): Where {
  const { listener, chat, thread } = home?.address ?? {};
  if (listener !== to.listener || chat !== to.chat) return "elsewhere";
  if (home?.kind === "group") return "group";
  return thread === to.thread ? "here" : "elsewhere";
}

function originOf({ title, caller, callerName }: Task, person: string, { listener }: Address) {
  const whose = caller === person ? "" : ` (${escapeInline(callerName)})`;
  return `For: ${escapeInline(title) || "a file"}${whose}, on ${escapeInline(listener)}`;
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
  if (question.state === "expired") return `⌛ ${expiries[question.outcome ?? ""] ?? "Expired"}`;
  const reason = question.reason ? `: ${escapeInline(question.reason)}` : "";
  if (question.outcome === "approved") return `✅ ${escapeMarkdown(label ?? "Allowed")} · ${who}`;
  if (question.outcome === "denied") return `⛔ Denied by ${who}${reason}`;
  // Words are between those who asked and who answered: a copy of the card may be in a group.
  return label ? `☑️ ${escapeMarkdown(label)} · ${who}` : `☑️ Answered by ${who}`;
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
