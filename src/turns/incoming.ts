// Presses, answers to questions, codes, and changes of chats.
import { audit } from "../access/audit.ts";
import { may } from "../access/authorise.ts";
import { burnCode, redeemCode } from "../access/codes.ts";
import type { Decided } from "../approvals/approvals.ts";
import { isSameMessage } from "../approvals/ask.ts";
import { escapeInline } from "../approvals/card.ts";
import type { Deliver } from "../bus/deliver.ts";
import type { ButtonPress, ChatChange, InboundMessage } from "../core/events.ts";
import type { Address, Caller } from "../core/words.ts";
import {
  type ButtonRow,
  findButton,
  findCard,
  moveCards,
  pendingQuestionsOnlyIn,
  pendingQuestionsShownIn,
} from "../store/cards.ts";
import { moveChat } from "../store/chats.ts";
import { type Conversation, moveConversations } from "../store/conversations.ts";
import { finishEntry } from "../store/inbox.ts";
import { findPart, moveOutbox } from "../store/outbox.ts";
import type { Op } from "../store/query.ts";
import { findQuestion, pendingQuestionsIn, type Question } from "../store/questions.ts";
import type { TurnPorts, Wake } from "./ports.ts";
import { respond } from "./respond.ts";
import { retryEntry } from "./retry.ts";

interface Event<E> {
  readonly id: number;
  readonly listener: string;
  readonly caller: Caller;
  readonly event: E;
}

export async function onPress(ports: TurnPorts, wake: Wake, it: Event<ButtonPress>): Promise<void> {
  const { id, listener, event } = it;
  const notice = await pressed(ports, wake, it);
  await ports.listener(listener)?.answerPress?.(event.press, notice);
  await ports.store.run(() => finishEntry(id, "ok"));
}

async function pressed(ports: TurnPorts, wake: Wake, it: Event<ButtonPress>): Promise<string> {
  const found = await ports.store.run(() => lookUp(it));
  if (typeof found === "string") {
    await ports.store.run(() => refused(ports, it, found));
    return "This button is not for here, or no longer known.";
  }
  const { button, question } = found;
  if (question) {
    const place = `${it.listener} ${it.event.chat.id}`;
    const decided = await ports.approvals.decide(it.caller, question, {
      key: button.option,
      place,
    });
    return decidedText(decided, question, button.option);
  }
  const retried = await retryEntry(ports, it.caller, button.inbox ?? 0);
  if (typeof retried === "string") return retried;
  wake(retried.conversation);
  return "Once more, then.";
}

interface Pressed {
  readonly button: ButtonRow;
  readonly question: Question | undefined;
}

/** A button counts only in the chat, and on the message, where it was shown. */
function* lookUp({ listener, event }: Event<ButtonPress>): Op<Pressed | string> {
  const button = yield* findButton(event.data);
  if (!button) return "unknown button";
  if (button.listener !== listener || button.chat !== event.chat.id)
    return "pressed in another chat";
  if (button.card === null) return { button, question: undefined };
  const card = yield* findCard(button.card);
  const question = card && (yield* findQuestion(card.question));
  const row = card?.outbox ? yield* findPart(card.outbox) : undefined;
  if (!isSameMessage(row, event.message)) return "pressed on another message";
  return question ? { button, question } : "unknown question";
}

function* refused({ clock }: TurnPorts, it: Event<ButtonPress>, why: string): Op<void> {
  yield* audit({
    at: clock.now(),
    who: it.caller.id,
    name: it.caller.name,
    place: `${it.listener} ${it.event.chat.id}`,
    action: "press",
    target: "",
    outcome: "refused",
    why,
  });
}

export function decidedText(decided: Decided, question: Question, key: string): string {
  switch (decided) {
    case "decided":
      return question.kind === "approval" && key === "deny"
        ? "Denied. You can say why in your next message."
        : question.kind === "approval"
          ? "Allowed."
          : "Thank you.";
    case "already-decided":
      return "This was already decided.";
    case "expired":
      return "This question has expired: nothing was run.";
    case "not-yours":
      return "Only the person who asked, or an owner, can answer this.";
    case "no-such-option":
      return "That is not one of the answers.";
  }
}

/** The next message of the starter answers the oldest question that wants text. */
export async function onAnswer(
  ports: TurnPorts,
  it: Event<InboundMessage> & { conversation: Conversation },
): Promise<void> {
  const { id, listener, caller, event, conversation } = it;
  const open = await ports.store.run(() => pendingQuestionsIn(conversation.id));
  const question = open.find(
    ({ kind, caller: starter }) => kind === "text" && starter === caller.id,
  );
  const place = `${listener} ${event.chat.id}`;
  const decided =
    question && (await ports.approvals.decide(caller, question, { key: event.text, place }));
  const text =
    decided === "decided" ? "" : "That question is closed. Please send your message again.";
  await respond(ports, { id, listener, event, text });
}

type CodeEvent = Pick<InboundMessage, "chat" | "message" | "sender">;

/** In a group it says nothing about right or wrong, and the code is burned. */
export async function onCode(
  ports: TurnPorts,
  it: { id: number; listener: string; event: CodeEvent; hmac: string; heard: boolean },
): Promise<void> {
  const { id, listener, event, hmac } = it;
  const at = ports.clock.now();
  const sender = { listener, ...event.sender };
  if (event.chat.kind === "group") {
    await ports.store.run(() => burnCode(hmac, sender, at));
    await ports
      .listener(listener)
      ?.remove?.(event.message)
      .catch(() => undefined);
    const text = it.heard
      ? "Codes count only in a direct chat with me. Whoever made this one should make another: everybody here could read it."
      : "";
    return respond(ports, { id, listener, event, text });
  }
  const redeeming = { hmac, sender, now: at, id: ports.token() };
  const redeemed = await ports.store.run(() => redeemCode(redeeming));
  const text =
    redeemed.is === "linked"
      ? `Welcome, ${redeemed.name}. You are ${redeemed.role === "owner" ? "an owner" : "in"} now. Tell me what to do, or send /help.`
      : "That code does not count: it may be mistyped, used or older than 15 minutes. Ask for a new one; after several tries I take none for a while.";
  await respond(ports, { id, listener, event, text });
}

export async function onChat(ports: TurnPorts, it: Event<ChatChange>): Promise<void> {
  const { id, listener, caller, event } = it;
  if (event.change === "migrated" && event.to)
    await migrate(ports, listener, { from: event.chat.id, to: event.to });
  if (event.change === "blocked" || event.change === "removed")
    await expireThere(ports, { listener, chat: event.chat.id });
  const added = event.change === "added" && event.chat.kind === "group";
  const direct =
    added && may(caller, "enable")
      ? await directChat(ports, listener, event.sender.account)
      : undefined;
  await ports.store.run(() => finishEntry(id, "ok"));
  if (!direct) return;
  const text = `I am in "${escapeInline(event.title ?? event.chat.id)}" now, and silent there until an owner sends /enable in it, addressed to me.`;
  const chat = { id: direct.chat, kind: "direct" as const };
  await respond(ports, { listener, event: { chat, message: { chat: direct.chat, id: "" } }, text });
}

async function directChat(ports: TurnPorts, listener: string, account: string) {
  return ports.listener(listener)?.openDirect?.(account);
}

/** Nobody is left there to answer: denied now rather than in an hour. */
export async function expireThere(
  { store, approvals }: Pick<TurnPorts, "store" | "approvals">,
  { listener, chat }: Address,
): Promise<void> {
  const open = await store.run(() => pendingQuestionsOnlyIn(listener, chat));
  for (const id of open) await approvals.expire(id, "unreachable");
}

/** The chat has a new id: what is enabled, said and still to be sent moves along. */
export async function migrate(
  ports: Pick<TurnPorts, "store" | "clock"> & { deliver: Pick<Deliver, "deliver"> },
  listener: string,
  { from, to }: { from: string; to: string },
): Promise<void> {
  const rows = await ports.store.run(function* () {
    yield* moveChat({ listener, from, to, at: ports.clock.now() });
    yield* moveConversations(listener, from, to);
    const open = yield* pendingQuestionsShownIn(listener, from);
    yield* moveCards(listener, from, to);
    return yield* moveOutbox(listener, { from, to }, open);
  });
  ports.deliver.deliver(rows);
}
