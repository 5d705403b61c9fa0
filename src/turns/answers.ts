// Questions answered from anywhere: by the next message, by a reply to the message that asks, and by `answer 3 …`.

import { may } from "../access/authorise.ts";
import { narrowestAllow } from "../approvals/options.ts";
import { typed } from "../core/command-text.ts";
import type { InboundMessage } from "../core/events.ts";
import type { Caller, ConversationId, ListenerId } from "../core/words.ts";
import { pendingQuestionAt } from "../store/card-copies.ts";
import { findNumber } from "../store/cards.ts";
import { findConversation } from "../store/conversations.ts";
import type { Op } from "../store/query.ts";
import { findQuestion, pendingQuestionsIn, type Question } from "../store/questions.ts";
import { checkWord, numberIn, withoutWord } from "./by-word.ts";
import { decisionText } from "./incoming.ts";
import type { Asked } from "./lists.ts";
import type { Reply } from "./openly.ts";
import type { TurnPorts } from "./ports.ts";
import { respond } from "./respond.ts";

interface Said {
  readonly caller: Caller;
  readonly listener: ListenerId;
  readonly event: InboundMessage;
}

/** The open question that this replies to, of whomever, where it wants words. */
export function* questionRepliedTo({
  listener,
  event,
}: Omit<Said, "caller">): Op<Question | undefined> {
  const { quote, chat, text } = event;
  if (!quote?.ours || !quote.message || !text.trim()) return undefined;
  const shown = yield* pendingQuestionAt(listener, { chat: chat.id, id: quote.message.id });
  const question = shown === undefined ? undefined : yield* findQuestion(shown);
  return question?.kind === "text" ? question : undefined;
}

/** The oldest question of the starter that their next message answers. */
export function* questionWaiting(
  conversation: ConversationId,
  { id }: Pick<Caller, "id">,
): Op<Question | undefined> {
  const open = yield* pendingQuestionsIn(conversation);
  return open.find(({ kind, caller }) => kind === "text" && caller === id);
}

interface Answering extends Said {
  /** Of the inbox. */
  readonly id: number;
  /** Undefined: it was open before a restart. */
  readonly question?: string | undefined;
}

export async function onAnswer(ports: TurnPorts, it: Answering): Promise<void> {
  const { id, listener, caller, event } = it;
  const question =
    it.question === undefined
      ? undefined
      : await ports.store.run(() => findQuestion(it.question ?? ""));
  const place = `${listener} ${event.chat.id}`;
  const decided =
    question && (await ports.approvals.decide(caller, question, { key: event.text, place }));
  const text =
    decided === "decided" ? "" : "That question is closed. Please send your message again.";
  await respond(ports, { id, listener, event, text, aside: true });
}

/** "answer 3 questions about owls" is a task, unless there is a question 3. With a slash it is always meant so. */
export function* isAnswer({ caller, listener, event }: Said, rest: string): Op<boolean> {
  if (event.text.trim().startsWith("/")) return true;
  const number = Number.parseInt(rest, 10);
  const said = { person: caller.id, number, listener, chat: event.chat };
  return (yield* findNumber(said)).length > 0;
}

type Asking = Pick<Asked, "caller" | "event" | "listener">;

/** A sentence where it is none, or more than one: each person's questions have numbers of their own, and a chat shows those of several. */
async function numbered(
  { store }: TurnPorts,
  { caller, event, listener }: Asking,
  number: number,
): Promise<Question | string> {
  return store.run(function* () {
    const said = { person: caller.id, number, listener, chat: event.chat };
    const found: Question[] = [];
    for (const { question } of yield* findNumber(said)) {
      const one = yield* findQuestion(question);
      if (one) found.push(one);
    }
    const { quote, chat } = event;
    const about =
      quote?.ours && quote.message
        ? yield* pendingQuestionAt(listener, { chat: chat.id, id: quote.message.id })
        : undefined;
    const meant = found.find(({ id }) => id === about);
    const theirs = found.filter((one) => may(caller, "answer", { starter: one.caller }));
    if (!meant && theirs.length > 1) return severalAre(number);
    return meant ?? theirs[0] ?? found[0] ?? notThere(number);
  });
}

const notThere = (number: number) =>
  `There is no question ${number}. ${typed("approvals")} lists what waits.`;
const severalAre = (number: number) =>
  `More than one question here is ${number}, so I did nothing. Press the buttons of the one you mean, or reply to it with the same words where replies are shown.`;

/** Words for a question that wants some, or one of the choices by its number or its words. */
export async function answer(ports: TurnPorts, asked: Asked): Promise<Reply> {
  const { digits, tail } = numberIn(asked.command);
  if (digits === undefined)
    return `Say which: \`answer 3 …\`. ${typed("approvals")} lists what waits.`;
  const number = Number(digits);
  const question = await numbered(ports, asked, number);
  if (typeof question === "string") return question;
  if (question.kind === "approval" && may(asked.caller, "answer", { starter: question.caller }))
    return `That one is a yes or no: \`allow ${number}\` or \`deny ${number} because …\`.`;
  const home = await isItsHome(ports, asked, question);
  // There the next message answers it anyway.
  const said =
    question.kind === "text" && home
      ? { text: await withoutWord(ports, asked, tail) }
      : await checkWord(ports, asked, { question, number, text: tail });
  if ("problem" in said) return said.problem;
  if (!said.text.trim()) return `The answer goes behind the number: \`answer ${number} …\`.`;
  const key = (question.kind === "choice" ? keyOf(question, said.text) : said.text) ?? "";
  const place = placeOf(asked);
  const decided = await ports.approvals.decide(asked.caller, question, { key, place });
  if (decided === "no-such-option")
    return `That is not one of them. \`answer ${number} …\` takes the number or the words of one.`;
  return decided === "decided" && home ? "" : decisionText(ports, decided, { question, key });
}

function keyOf({ options }: Question, text: string): string | undefined {
  const said = text.trim().toLowerCase();
  const named = options.filter(({ label }) => label.trim().toLowerCase() === said);
  if (named.length === 1) return named[0]?.key;
  return /^\d{1,3}$/.test(said) ? options[Number(said) - 1]?.key : undefined;
}

/** `allow 3`, `deny 3 because …`. */
export async function decide(ports: TurnPorts, asked: Asked): Promise<Reply> {
  const { caller, command } = asked;
  const { digits = "", tail } = numberIn(asked.command);
  const number = Number(digits);
  const question = await numbered(ports, asked, number);
  if (typeof question === "string") return question;
  const key = command.name === "deny" ? "deny" : narrowestAllow(question.options);
  if (!key || question.kind === "text")
    return `That one is not a yes or no: \`answer ${number} …\` answers it.`;
  const said = await checkWord(ports, asked, { question, number, text: tail });
  if ("problem" in said) return said.problem;
  const place = placeOf(asked);
  const decided = await ports.approvals.decide(caller, question, {
    key,
    place,
    ...because(said.text),
  });
  if (decided === "decided" && (await isItsHome(ports, asked, question))) return "";
  return decided === "decided" && command.name === "deny"
    ? "Denied."
    : decisionText(ports, decided, { question, key });
}

function because(text: string): { readonly reason?: string } {
  const reason = text.replace(/^(?:because\s+|:\s*)/i, "").trim();
  return reason ? { reason: reason.slice(0, 1000) } : {};
}

/** Said in the conversation that asks, where a task is one message: its answer shows that the decision counted. */
export async function isItsHome(
  { store, channel }: TurnPorts,
  { listener, event: { chat } }: Pick<Asking, "listener" | "event">,
  { conversation }: Pick<Question, "conversation">,
): Promise<boolean> {
  if (channel(listener)?.oneMessage !== true) return false;
  const home = await store.run(() => findConversation(conversation));
  const { address } = home ?? {};
  return (
    address?.listener === listener && address.chat === chat.id && address.thread === chat.thread
  );
}

function placeOf({ listener, event }: Asking): string {
  return `${listener} ${event.chat.id}`;
}
