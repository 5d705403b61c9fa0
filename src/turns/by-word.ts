// A decision by text counts only with the word of its card where a channel says so: whose mail it is is proved, that they read ours is not.

import { audit } from "../access/audit.ts";
import { may } from "../access/authorise.ts";
import { splitWord } from "../approvals/word.ts";
import { typed } from "../core/command-text.ts";
import type { Markdown } from "../core/words.ts";
import { attemptsOf, saveAttempts } from "../store/attempts.ts";
import { cardsOf, findNumber } from "../store/cards.ts";
import type { Op } from "../store/query.ts";
import { findQuestion, type Question } from "../store/questions.ts";
import type { Asked } from "./lists.ts";
import type { TurnPorts } from "./ports.ts";
import type { Command } from "./words.ts";

/** Wrong words for one question by one person; from then on no word counts, or it could be guessed. */
const triesMost = 5;

interface Said {
  readonly question: Question;
  readonly number: number;
  /** What stands behind the number. */
  readonly text: string;
}

/** Without the word; or what is answered instead, when nothing is to be decided. */
export async function checkWord(
  ports: TurnPorts,
  asked: Asked,
  said: Said,
): Promise<{ readonly text: string } | { readonly problem: Markdown }> {
  const { question, text } = said;
  const { word, rest } = splitWord(text);
  const needed = ports.channel(asked.listener)?.decidesByWord === true;
  if (!needed && word === undefined) return { text };
  return ports.store.run(function* () {
    const own = (yield* cardsOf(question.id)).filter(({ person }) => person === asked.caller.id);
    const here = needed ? own.filter(({ listener }) => listener === asked.listener) : own;
    const right = here.some(({ id }) => ports.word(id) === word);
    // Who decides in vain is told why by the decision itself.
    const vain =
      question.state !== "pending" || !may(asked.caller, "answer", { starter: question.caller });
    if (!needed || vain) return { text: right ? rest : text };
    const problem = yield* wrong(ports, asked, { ...said, word, right, shown: here.length > 0 });
    return problem === undefined ? { text: rest } : { problem };
  });
}

interface Checked extends Said {
  readonly word: string | undefined;
  readonly right: boolean;
  /** It was asked here. */
  readonly shown: boolean;
}

function* wrong(ports: TurnPorts, asked: Asked, it: Checked): Op<Markdown | undefined> {
  const { question, number, word, right, shown } = it;
  const key = attemptsKey(question.id, asked);
  const failures = (yield* attemptsOf(key))?.failures ?? 0;
  if (shown && right && failures < triesMost) return undefined;
  if (!shown) {
    yield* noted(ports, asked, { question, why: "asked elsewhere, so it has no word here" });
    return `Nothing was decided: question ${number} was not asked here. Answer it where it was, or send ${typed("approvals")}: that gives the word for it.`;
  }
  if (failures >= triesMost) {
    yield* noted(ports, asked, { question, why: "too many wrong words" });
    return worthless(number);
  }
  if (word === undefined) {
    yield* noted(ports, asked, { question, why: "no word" });
    return missingWord(asked.command, number);
  }
  const at = ports.clock.now();
  yield* saveAttempts(key, { failures: failures + 1, blockedUntil: 0 }, at);
  yield* noted(ports, asked, { question, why: "wrong word" });
  return failures + 1 >= triesMost
    ? worthless(number)
    : `Nothing was decided: that is not the word of question ${number}. ${howTo(asked.command, number)}`;
}

/** A decision that counts: the word of an open question of theirs that was asked here. */
export function* isRightWord(
  ports: Pick<TurnPorts, "word">,
  { caller, listener, event, command }: Pick<Asked, "caller" | "listener" | "event" | "command">,
): Op<boolean> {
  const { digits, tail } = numberIn(command);
  const { word } = splitWord(tail);
  if (digits === undefined || word === undefined) return false;
  const said = { person: caller.id, number: Number(digits), listener, chat: event.chat };
  for (const { question: id } of yield* findNumber(said)) {
    if ((yield* findQuestion(id))?.state !== "pending") continue;
    const failures = (yield* attemptsOf(attemptsKey(id, { caller, listener })))?.failures ?? 0;
    for (const card of failures < triesMost ? yield* cardsOf(id) : [])
      if (card.person === caller.id && card.listener === listener && ports.word(card.id) === word)
        return true;
  }
  return false;
}

/** Where no word is needed, and it may stand there all the same. */
export async function withoutWord(
  ports: Pick<TurnPorts, "store" | "word">,
  asked: Asked,
  text: string,
): Promise<string> {
  const { word, rest } = splitWord(text);
  if (word === undefined) return text;
  return (await ports.store.run(() => isRightWord(ports, asked))) ? rest : text;
}

function attemptsKey(question: string, { caller, listener }: Pick<Asked, "caller" | "listener">) {
  return `word ${question} ${caller.id} ${listener}`;
}

/** The question that a command is about, and what stands behind its number. */
export function numberIn({ rest }: Pick<Command, "rest">): { digits?: string; tail: string } {
  const [, digits, tail = ""] = /^#?(\d{1,6})\b[.,:]?\s*([\s\S]*)$/.exec(rest.trim()) ?? [];
  return digits === undefined ? { tail } : { digits, tail };
}

export function missingWord(command: Pick<Command, "name">, number: number): Markdown {
  return `Nothing was decided: the word of question ${number} is missing. ${howTo(command, number)}`;
}

/** The word is somewhere in it. */
export function notFirst(command: Pick<Command, "name">, number: number): Markdown {
  return `Nothing was decided: what decides has to be the first line of what you write. ${howTo(command, number)}`;
}

export function stillOpen(command: Pick<Command, "name">, number: number): Markdown {
  return `Question ${number} is still open, and what you wrote now comes after it. ${howTo(command, number)}`;
}

function howTo({ name }: Pick<Command, "name">, number: number): Markdown {
  return `Begin with \`${name} ${number}\` and, behind it, the word of four characters from the message that asked. ${typed("approvals")} shows it again.`;
}

function worthless(number: number): Markdown {
  return `Nothing was decided: there were ${triesMost} wrong words for question ${number}, so no word counts for it here any more. Answer it on another channel, or let an owner decide.`;
}

function* noted(
  { clock }: TurnPorts,
  { caller, listener, event, command }: Asked,
  { question, why }: { readonly question: Question; readonly why: string },
): Op<void> {
  yield* audit({
    at: clock.now(),
    who: caller.id,
    name: caller.name,
    place: `${listener} ${event.chat.id}`,
    action: `question.${command.name === "deny" ? "deny" : "answer"}`,
    target: `${question.id} ${question.title}`,
    outcome: "refused",
    why,
  });
}
