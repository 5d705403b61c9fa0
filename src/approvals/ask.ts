// Asks: a row, a card for each recipient, and then the wait for the row to change.
import { may } from "../access/authorise.ts";
import type { Part } from "../core/channel.ts";
import type { MessageRef } from "../core/events.ts";
import { addButton, addCard } from "../store/cards.ts";
import { addPart } from "../store/outbox.ts";
import type { OutboxRow } from "../store/outbox-row.ts";
import type { Op } from "../store/query.ts";
import { addQuestion, type Question } from "../store/questions.ts";
import { setTaskState } from "../store/tasks.ts";
import { copyText } from "./copy.ts";
import type { ApprovalPorts, Ask, Recipient } from "./ports.ts";

/** Where the channel has no patience of its own, ms. */
export const patience = 3_600_000;

/** Undefined when nobody who may answer can be reached. */
export async function openQuestion(ports: ApprovalPorts, ask: Ask): Promise<Question | undefined> {
  const mayAnswer = may(ask.starter, ask.ownersOnly ? "answer-lasting" : "answer", {
    starter: ask.starter.id,
  });
  const recipients = mayAnswer ? [ask.home] : await ports.ownerChats();
  if (recipients.length === 0) return undefined;
  const now = ports.clock.now();
  const waits = recipients.map(({ to }) => patienceAt(ports, to.listener));
  const question = newQuestion(ask, ports.token(), { now, until: now + Math.max(...waits) });
  const shown = await Promise.all(
    recipients.map((recipient) => prepare(ports, question, { recipient })),
  );
  const told = mayAnswer ? [] : await homeTold(ports, ask.home);
  const rows = await ports.store.run(function* () {
    yield* addQuestion({ ...question, epoch: ports.store.epoch });
    yield* setTaskState({ id: ask.task, state: "input-required", at: now });
    const all: OutboxRow[] = [];
    for (const one of shown) all.push(...(yield* addShown(ports, question, one)));
    const { to, replyTo } = ask.home;
    const notice = { kind: "notice", state: "pending", to, at: now } as const;
    for (const part of told)
      all.push(yield* addPart({ ...notice, ...part, ...(replyTo ? { replyTo } : {}) }));
    return all;
  });
  ports.deliver(rows);
  return question;
}

export function patienceAt({ channel }: Pick<ApprovalPorts, "channel">, listener: string): number {
  return channel?.(listener)?.patience ?? patience;
}

/** Where a task is one message, it is the one that comes in the end. */
async function homeTold(ports: ApprovalPorts, { to }: Recipient): Promise<Part[]> {
  if (ports.channel?.(to.listener)?.oneMessage) return [];
  return ports.render(to.listener, ownersAsked);
}

const ownersAsked = "An owner must allow the next step. I have asked, and go on when they answer.";

/** A copy of its card that is to be sent. */
export interface Shown {
  readonly recipient: Recipient;
  readonly card: string;
  readonly tokens: readonly { readonly key: string; readonly token: string }[];
  readonly before: readonly Part[];
}

/** `known`: the card is there already, and is to be shown by another message. */
export async function prepare(
  ports: ApprovalPorts,
  question: Question,
  it: { readonly recipient: Recipient; readonly known?: { id: string; number: number } },
): Promise<Shown> {
  const { person, to } = it.recipient;
  const { id: card, number } = it.known ?? { id: ports.token(), number: 1 };
  const text = await copyText(ports, question, { card, number, person, to });
  const parts = await ports.render(to.listener, text);
  const tokens = question.options.map(({ key }) => ({ key, token: ports.token() }));
  // What is too long for one message goes out before the card: nothing is approved unread.
  return { recipient: it.recipient, card, tokens, before: parts.slice(0, -1) };
}

function* addShown(ports: ApprovalPorts, question: Question, shown: Shown): Op<OutboxRow[]> {
  const { person, to } = shown.recipient;
  const { rows, message } = yield* addMessages(ports, question, shown);
  const place = { ...to, outbox: message.id };
  yield* addCard({ id: shown.card, question: question.id, person, place });
  yield* addButtons(ports, shown);
  return rows;
}

/** The last of them shows the card, once it is told so. */
export function* addMessages(
  ports: ApprovalPorts,
  question: Question,
  { recipient: { to, replyTo }, before }: Shown,
): Op<{ rows: OutboxRow[]; message: OutboxRow }> {
  const common = { to, at: ports.clock.now(), ...(replyTo ? { replyTo } : {}) };
  const notice = { ...common, kind: "notice", state: "pending", question: question.id } as const;
  const rows: OutboxRow[] = [];
  for (const part of before) rows.push(yield* addPart({ ...notice, ...part }));
  const state = rows.length === 0 && ports.isIdle(to) ? "sending" : "pending";
  const message = yield* addPart({ ...notice, kind: "card", state, plain: "" });
  return { rows: [...rows, message], message };
}

export function* addButtons(
  { clock }: Pick<ApprovalPorts, "clock">,
  { card, tokens, recipient: { to } }: Shown,
): Op<void> {
  const { listener, chat } = to;
  const common = { card, inbox: null, listener, chat, createdAt: clock.now() };
  for (const { key, token } of tokens) yield* addButton({ ...common, token, option: key });
}

function newQuestion(
  ask: Ask,
  id: string,
  { now, until }: { readonly now: number; readonly until: number },
): Question {
  return {
    id,
    turn: ask.turn,
    task: ask.task,
    conversation: ask.conversation,
    caller: ask.starter.id,
    kind: ask.kind,
    state: "pending",
    outcome: null,
    title: ask.title,
    body: ask.body,
    options: ask.options,
    createdAt: now,
    expiresAt: until,
    decidedAt: null,
    decidedBy: null,
    decidedName: null,
    answer: null,
    reason: null,
  };
}

/** A press must come from the message that shows the card, where the platform says which that is. */
export function isSameMessage(
  row: OutboxRow | undefined,
  message: MessageRef | undefined,
): boolean {
  if (!row?.ref || !message) return true;
  return row.ref.chat === message.chat && row.ref.id === message.id;
}
