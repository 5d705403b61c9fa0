// Presses, answers to questions, and codes.

import { audit } from "../access/audit.ts";
import { burnCode, type Redeemed, redeemCode } from "../access/codes.ts";
import { identify } from "../access/identify.ts";
import type { Decided, Expired } from "../approvals/approvals.ts";
import { isSameMessage } from "../approvals/ask.ts";
import { typed } from "../core/command-text.ts";
import type { ButtonPress } from "../core/events.ts";
import type { Caller } from "../core/words.ts";
import { type ButtonRow, findButton, findCard } from "../store/cards.ts";
import { cancelCallerEntries, finishEntry } from "../store/inbox.ts";
import { findPart } from "../store/outbox.ts";
import type { Op } from "../store/query.ts";
import { findQuestion, type Question } from "../store/questions.ts";
import { findTurn } from "../store/turns.ts";
import type { Answered, CodeReply } from "./after.ts";
import { canWhisper } from "./aside.ts";
import type { TurnPorts, Wake } from "./ports.ts";
import { respond } from "./respond.ts";
import { retryEntry } from "./retry.ts";
import { stopCaller } from "./stop.ts";

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

async function pressed(
  ports: TurnPorts,
  wake: Wake,
  it: Event<ButtonPress>,
): Promise<string | undefined> {
  const found = await ports.store.run(() => lookUp(it));
  if (typeof found === "string") {
    await ports.store.run(() => refused(ports, it, found));
    return "This button is not for here, or no longer known.";
  }
  const { button, question, caller } = found;
  if (question) {
    const place = `${it.listener} ${it.event.chat.id}`;
    const key = button.option;
    const decided = await ports.approvals.decide(caller, question, { key, place });
    const isShown = decided === "decided" && key !== "deny";
    if (isShown && ports.listener(it.listener)?.noticesStay) return undefined;
    return decisionText(ports, decided, { question, key });
  }
  const retried = await retryEntry(ports, caller, button.inbox ?? 0);
  if (typeof retried === "string") return retried;
  wake(retried.conversation);
  return "Once more, then.";
}

interface Pressed {
  readonly button: ButtonRow;
  readonly question: Question | undefined;
  /** As they stand now: it may have waited behind what they did before. */
  readonly caller: Caller;
}

/** A button counts only in the chat, and on the message, where it was shown. */
function* lookUp({ listener, event }: Event<ButtonPress>): Op<Pressed | string> {
  const button = yield* findButton(event.data);
  if (!button) return "unknown button";
  if (button.listener !== listener || button.chat !== event.chat.id)
    return "pressed in another chat";
  const caller = yield* identify({ listener, ...event.sender });
  if (button.card === null) return { button, question: undefined, caller };
  const card = yield* findCard(button.card);
  const question = card && (yield* findQuestion(card.question));
  const row = card?.outbox ? yield* findPart(card.outbox) : undefined;
  if (!isSameMessage(row, event.message)) return "pressed on another message";
  return question ? { button, question, caller } : "unknown question";
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

/** `decidedText`, and what a restart had to do with it. */
export async function decisionText(
  { store }: Pick<TurnPorts, "store">,
  decided: Decided,
  { question, key }: { readonly question: Question; readonly key: string },
): Promise<string> {
  const text = decidedText(decided, question, key);
  if (decided !== "expired") return text;
  const { now, turn } = await store.run(function* () {
    return { now: yield* findQuestion(question.id), turn: yield* findTurn(question.turn) };
  });
  if (now?.outcome !== "restart") return text;
  const again =
    turn?.state === "running" ? " If it still matters, it is asked again in a new message." : "";
  return `${text} A restart ended it.${again}`;
}

interface CodeSaid {
  readonly id: number;
  readonly listener: string;
  readonly event: Answered;
  readonly hmac: string;
  readonly tell: CodeReply;
}

export async function onCode(ports: TurnPorts, it: CodeSaid): Promise<void> {
  const { id, listener, event, hmac } = it;
  if (event.chat.kind === "group") return burn(ports, it);
  const at = ports.clock.now();
  const sender = { listener, ...event.sender };
  // What was proved by us and not by a platform gives nobody an owner's power.
  const most = event.sender.proof ? { most: "authenticated" as const } : {};
  const redeeming = { hmac, sender, now: at, id: ports.token(), ...most };
  const { redeemed, ended } = await ports.store.run(() => redeem(ports, redeeming));
  const text =
    redeemed.is === "linked"
      ? `Welcome, ${redeemed.name}. You are ${redeemed.role === "owner" ? "an owner" : "in"} now. Tell me what to do, or send ${typed("help")}.`
      : it.tell === "nobody"
        ? ""
        : "That code does not count: it may be mistyped, used, replaced by a newer one, or older than 15 minutes. Ask for a new one; after several tries I take none for a while.";
  await respond(ports, { id, listener, event, text });
  if (ended) await endLeft(ports, ended);
}

interface Ended {
  readonly pairing: string;
  readonly expired: readonly Expired[];
}

/** A pairing that came by mail and whose account is somebody's now: nothing of it waits, is asked or goes on. */
function* redeem(
  ports: TurnPorts,
  redeeming: Parameters<typeof redeemCode>[0],
): Op<{ readonly redeemed: Redeemed; readonly ended?: Ended }> {
  const redeemed = yield* redeemCode(redeeming);
  if (redeemed.is !== "linked" || !redeemed.left) return { redeemed };
  const { id: pairing } = redeemed.left;
  yield* cancelCallerEntries(`p:${pairing}`);
  const { expired } = yield* stopCaller(ports.approvals, `p:${pairing}`);
  return { redeemed, ended: { pairing, expired } };
}

async function endLeft(ports: TurnPorts, { pairing, expired }: Ended): Promise<void> {
  for (const one of expired) ports.approvals.afterExpiry(one);
  const why = "your address was linked to another pairing meanwhile. Please send it again.";
  await ports.agent.end(`p-${pairing}`, why);
}

/** It says nothing about right or wrong. */
async function burn(ports: TurnPorts, { id, event, hmac, tell, ...it }: CodeSaid): Promise<void> {
  const sender = { listener: it.listener, ...event.sender };
  await ports.store.run(() => burnCode(hmac, sender, ports.clock.now()));
  const listener = ports.listener(it.listener);
  if (event.message.id) await listener?.remove?.(event.message).catch(() => undefined);
  const text =
    tell === "nobody"
      ? ""
      : "Codes count only in a direct chat with me: one that was shown to a group is void. Whoever made it should make another.";
  const aside = tell === "sender" || canWhisper(listener, event);
  await respond(ports, { id, listener: it.listener, event, text, aside });
}
