// The commands of the chat.
import { audit } from "../access/audit.ts";
import { may } from "../access/authorise.ts";
import { narrowestAllow } from "../approvals/options.ts";
import type { Caller, Markdown } from "../core/words.ts";
import { findNumber } from "../store/cards.ts";
import { setEnabled } from "../store/chats.ts";
import { ensureConversation, setNote, setSession } from "../store/conversations.ts";
import { lastReported } from "../store/inbox.ts";
import { findQuestion } from "../store/questions.ts";
import { addressOf } from "./admission.ts";
import { decidedText } from "./incoming.ts";
import { type Asked, approvals, status, tasks, whoami } from "./lists.ts";
import type { TurnPorts, Wake } from "./ports.ts";
import { respond } from "./respond.ts";
import { retryEntry } from "./retry.ts";
import type { StopEffect } from "./stop.ts";
import { menu } from "./words.ts";

export async function runCommand(ports: TurnPorts, wake: Wake, asked: Asked): Promise<void> {
  const text = await answerTo(ports, wake, asked);
  const { id, listener, event } = asked;
  await respond(ports, { id, listener, event, text });
}

async function answerTo(ports: TurnPorts, wake: Wake, asked: Asked): Promise<Markdown> {
  switch (asked.command.name) {
    case "new":
      return startAfresh(ports, asked);
    case "stop":
      return stopText(asked.stop);
    case "status":
      return status(ports, asked);
    case "tasks":
      return tasks(ports, asked);
    case "approvals":
      return approvals(ports, asked);
    case "whoami":
      return whoami(ports, asked);
    case "enable":
    case "disable":
      return enable(ports, asked);
    case "allow":
    case "deny":
      return decide(ports, asked);
    case "retry":
      return retry(ports, wake, asked);
    default:
      return help(ports, asked.caller);
  }
}

function help({ agent }: TurnPorts, caller: Caller): Markdown {
  const lines = menu.map(({ command, description }) => `- /${command} ${description}`);
  const asks = agent.asks
    ? "Before anything is changed or run I ask you, with buttons; `allow 3` and `deny 3 because …` work too."
    : "**This agent has not been seen to ask before it acts, so approvals may not apply to it.**";
  const groups = may(caller, "enable")
    ? "As an owner you open a group to me with /enable in it, and close it with /disable."
    : "";
  const hello = `Tell me what to do, in your own words. ${asks}`;
  return [hello, lines.join("\n"), groups].filter(Boolean).join("\n\n");
}

function* conversationFor({ clock, token }: TurnPorts, { listener, event, caller }: Asked) {
  const place = { address: addressOf(listener, event), kind: event.chat.kind, caller: caller.id };
  return yield* ensureConversation(place, token(), clock.now());
}

async function startAfresh(ports: TurnPorts, asked: Asked): Promise<Markdown> {
  await ports.store.run(function* () {
    const { id } = yield* conversationFor(ports, asked);
    yield* setSession(id, null);
    yield* setNote(id, null);
  });
  return "Your next message starts afresh.";
}

function stopText(stop: StopEffect | undefined): Markdown {
  const running = stop?.turns.length ?? 0;
  const waiting = stop?.waiting ?? 0;
  if (running + waiting === 0) return "There is nothing to stop.";
  const also = waiting > 0 ? ` ${waiting} waiting message${waiting === 1 ? "" : "s"} dropped.` : "";
  return running > 0 ? `⏹ Stopped.${also}` : `⏹${also}`;
}

async function enable(
  ports: TurnPorts,
  { caller, event, listener, command }: Asked,
): Promise<Markdown> {
  if (event.chat.kind === "direct") return "That is for groups: send it there, addressed to me.";
  if (!may(caller, "enable")) return "Only an owner can open or close a chat to me.";
  const on = command.name === "enable";
  const at = ports.clock.now();
  await ports.store.run(function* () {
    yield* setEnabled({ listener, chat: event.chat.id, enabled: on, title: "", at });
    const place = `${listener} ${event.chat.id}`;
    const row = { at, who: caller.id, name: caller.name, place, target: event.chat.id, why: "" };
    yield* audit({ ...row, action: "chat", outcome: on ? "enabled" : "disabled" });
  });
  return on
    ? "I answer here from now on, when I am addressed, and only people who are paired."
    : "I am silent here from now on.";
}

async function decide(
  ports: TurnPorts,
  { caller, event, listener, command }: Asked,
): Promise<Markdown> {
  const [, digits = "", reason] =
    /^(\d+)\s*(?:because\s+|:\s*)?([\s\S]*)$/i.exec(command.rest.trim()) ?? [];
  const number = Number(digits);
  const question = await ports.store.run(function* () {
    const card = yield* findNumber({ person: caller.id, number, listener, chat: event.chat });
    return card && (yield* findQuestion(card.question));
  });
  if (!question) return `There is no question ${number}. /approvals lists what waits.`;
  const key = command.name === "deny" ? "deny" : narrowestAllow(question.options);
  if (!key) return "That question is not a yes or no: answer it in its chat.";
  const place = `${listener} ${event.chat.id}`;
  const because = reason?.trim() ? { reason: reason.trim().slice(0, 1000) } : {};
  const decided = await ports.approvals.decide(caller, question, { key, place, ...because });
  return decided === "decided" && command.name === "deny"
    ? "Denied."
    : decidedText(decided, question, key);
}

async function retry(ports: TurnPorts, wake: Wake, asked: Asked): Promise<Markdown> {
  const entry = await ports.store.run(function* () {
    const { id } = yield* conversationFor(ports, asked);
    return yield* lastReported(id, asked.caller.id);
  });
  if (entry === undefined) return "There is nothing to retry.";
  const retried = await retryEntry(ports, asked.caller, entry);
  if (typeof retried === "string") return retried;
  wake(retried.conversation);
  return "";
}
