// The commands of the chat.

import { may } from "../access/authorise.ts";
import { escapeInline } from "../approvals/card.ts";
import { typed } from "../core/command-text.ts";
import type { Markdown } from "../core/words.ts";
import { isShared, ownBeside, setNote, setSession } from "../store/conversations.ts";
import { lastReported } from "../store/inbox.ts";
import { repliesOf } from "../store/outbox.ts";
import { findTurn } from "../store/turns.ts";
import { answer, decide, isItsHome } from "./answers.ts";
import { conversationFor } from "./conversation.ts";
import { enable } from "./enable.ts";
import { type Asked, status, tasks, whoami } from "./lists.ts";
import { approvals } from "./open-questions.ts";
import { type Openly, openly, type Reply } from "./openly.ts";
import type { Moves, TurnPorts, Wake } from "./ports.ts";
import { respond } from "./respond.ts";
import { resumeHere } from "./resume-here.ts";
import { retryEntry } from "./retry.ts";
import { share, unshare } from "./share.ts";
import { menu } from "./words.ts";

export async function runCommand(ports: TurnPorts, moves: Moves, asked: Asked): Promise<void> {
  const answer = await answerTo(ports, moves, asked);
  const { id, listener, event } = asked;
  const said = typeof answer === "string" ? { text: answer, aside: true } : answered(asked, answer);
  await respond(ports, { id, listener, event, ...said });
}

/** What nobody else saw is told along with what came of it. */
function answered({ caller, event, command }: Asked, answer: Openly): Openly {
  if (!event.press || answer.text === "") return answer;
  const told = `**${escapeInline(caller.name)}**: ${typed(command.name)}`;
  return { ...answer, text: `${told}\n\n${answer.text}` };
}

async function answerTo(ports: TurnPorts, moves: Moves, asked: Asked): Promise<Reply> {
  switch (asked.command.name) {
    case "new":
      return startAfresh(ports, asked);
    case "stop":
      return stopText(ports, asked);
    case "status":
      return status(ports, asked);
    case "tasks":
      return tasks(ports, asked);
    case "approvals":
      return approvals(ports, asked);
    case "resume":
      return resumeHere(ports, asked);
    case "whoami":
      return whoami(ports, asked);
    case "enable":
    case "disable":
      return enable(ports, moves, asked);
    case "share":
      return share(ports, asked);
    case "unshare":
      return unshare(ports, asked, moves.stopped);
    case "allow":
    case "deny":
      return decide(ports, asked);
    case "answer":
      return answer(ports, asked);
    case "retry":
      return retry(ports, moves.wake, asked);
    default:
      return help(ports, asked);
  }
}

function help({ agent, channel }: TurnPorts, { caller, listener }: Asked): Markdown {
  const lines = menu.map(({ command, description }) => `- ${typed(command)} ${description}`);
  const asks = agent.asks
    ? channel(listener)?.decidesByWord
      ? "Before anything is changed or run I ask you: the message that asks gives the line to answer with, as in `allow 3 K7Q2`."
      : "Before anything is changed or run I ask you, with buttons; `allow 3` and `deny 3 because …` work too."
    : "**This agent has not been seen to ask before it acts, so approvals may not apply to it.**";
  const groups = may(caller, "enable")
    ? `As an owner you open a group to me with ${typed("enable")} in it, and close it with ${typed("disable")}. With ${typed("share")} all who are paired there continue one conversation, until ${typed("unshare")}.`
    : "";
  const hello = `Tell me what to do, in your own words. ${asks}`;
  return [hello, lines.join("\n"), groups].filter(Boolean).join("\n\n");
}

async function startAfresh(ports: TurnPorts, asked: Asked): Promise<Reply> {
  return ports.store.run(function* () {
    const conversation = yield* conversationFor(ports, asked);
    if (isShared(conversation) && !may(asked.caller, "enable"))
      return "This conversation is everybody's here: only an owner can start it afresh.";
    yield* setSession(conversation.id, null);
    yield* setNote(conversation.id, null);
    const whose = isShared(conversation) ? "The next" : "Your next";
    return openly(`${whose} message starts afresh.`);
  });
}

async function stopText(ports: TurnPorts, asked: Asked): Promise<Reply> {
  const { stop } = asked;
  const running = stop?.turns.length ?? 0;
  const waiting = stop?.waiting ?? 0;
  if (running + waiting === 0)
    return `There is nothing to stop here. ${typed("status")} shows what runs elsewhere, and \`${typed("stop")} …\` with its letters stops it.`;
  const also = waiting > 0 ? ` ${waiting} waiting message${waiting === 1 ? "" : "s"} dropped.` : "";
  if (running === 0 || (await isSaidByEnd(ports, asked))) return openly(also && `⏹${also}`);
  return openly(`⏹ Stopped.${also}`);
}

/** Where a task is one message, its end says here that it was stopped. What ended in a crash says nothing any more. */
async function isSaidByEnd(ports: TurnPorts, asked: Asked): Promise<boolean> {
  for (const id of asked.stop?.turns ?? []) {
    const turn = await ports.store.run(() => findTurn(id));
    if (!turn || !(await isItsHome(ports, asked, turn))) continue;
    if (turn.state !== "ended") return true;
    if ((await ports.store.run(() => repliesOf(id))).length > 0) return true;
  }
  return false;
}

async function retry(ports: TurnPorts, wake: Wake, asked: Asked): Promise<Markdown> {
  const entry = await ports.store.run(function* () {
    const here = yield* conversationFor(ports, asked);
    const own = yield* ownBeside(here, asked.caller);
    return (
      (yield* lastReported(here.id, asked.caller.id)) ??
      (own && (yield* lastReported(own.id, asked.caller.id)))
    );
  });
  if (entry === undefined) return "There is nothing to retry.";
  const retried = await retryEntry(ports, asked.caller, entry);
  if (typeof retried === "string") return retried;
  wake(retried.conversation);
  return "";
}
