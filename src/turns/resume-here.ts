// /resume: one's conversations of every channel, and one of them continued in the direct chat where that is said.

import { audit } from "../access/audit.ts";
import { escapeInline } from "../approvals/card.ts";
import { typed } from "../core/command-text.ts";
import type { Caller, ConversationId, Markdown } from "../core/words.ts";
import { chatTitle } from "../store/chats.ts";
import {
  type Conversation,
  findListed,
  type Listed,
  listConversations,
  moveConversation,
  setConversationAside,
} from "../store/conversations.ts";
import { countOpen } from "../store/inbox.ts";
import { readNote, writeNote } from "../store/notes.ts";
import type { Op } from "../store/query.ts";
import { latestTaskIn } from "../store/tasks.ts";
import { openTurns } from "../store/turns.ts";
import { conversationFor } from "./conversation.ts";
import type { Asked } from "./lists.ts";
import type { Reply } from "./openly.ts";
import type { TurnPorts } from "./ports.ts";

const lookedAt = 200;
const most = 10;

interface Resumable {
  readonly conversation: Listed;
  /** The first words of its latest task. */
  readonly title: string;
}

export async function resumeHere(ports: TurnPorts, asked: Asked): Promise<Reply> {
  const { caller, event, command } = asked;
  if (event.chat.kind === "group")
    return `That is for a direct chat with me: send ${typed("resume")} there, and go on with any of your conversations.`;
  if (caller.pairing === null) return "That is for people I know.";
  const wanted = command.rest.trim().replace(/^#/, "");
  if (wanted === "") return ports.store.run(() => list(ports, asked));
  if (!/^\d{1,2}$/.test(wanted))
    return `Say which by its number: \`${typed("resume 2")}\`. ${typed("resume")} lists them.`;
  return ports.store.run(() => resume(ports, asked, Number(wanted)));
}

/** Those in which something was asked, but for the one that goes on here anyway; never what is shared. */
function* resumable({ id }: Caller, here: Conversation): Op<Resumable[]> {
  const found: Resumable[] = [];
  for (const conversation of yield* listConversations(lookedAt, id)) {
    if (conversation.id === here.id) continue;
    const task = yield* latestTaskIn(conversation.id);
    if (task) found.push({ conversation, title: task.title });
    if (found.length === most) break;
  }
  return found;
}

function* list(ports: TurnPorts, asked: Asked): Op<Markdown> {
  const here = yield* conversationFor(ports, asked);
  const found = yield* resumable(asked.caller, here);
  if (found.length === 0) return "You have no other conversation with me.";
  const lines: Markdown[] = [];
  for (const [index, one] of found.entries())
    lines.push(`${index + 1}. ${yield* lineOf(one, ports.clock.now())}`);
  yield* remember(asked, { listed: found.map(({ conversation }) => conversation.id) });
  return `${lines.join("\n")}\n\n\`${typed("resume 1")}\` goes on with that one here. What was said here is kept, and listed then.`;
}

function* lineOf({ conversation, title }: Resumable, now: number): Op<Markdown> {
  const { address, kind, lastAt, current } = conversation;
  const { listener, chat } = address;
  const name = kind === "group" ? (yield* chatTitle(listener, chat)) || "a group" : "direct chat";
  const where = `${escapeInline(listener)}, ${escapeInline(name)}${current ? "" : ", set aside"}`;
  return `${quoted(title)} · ${where} · ${ago(now - lastAt)}`;
}

function quoted(title: string): Markdown {
  return `"${escapeInline(title) || "a file"}"`;
}

function ago(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ago`;
  return `${Math.floor(hours / 24)} days ago`;
}

interface Remembered {
  /** The list that they were shown last. */
  readonly listed?: readonly ConversationId[];
  /** What was said to the command that moved one: it may come once more after a crash. */
  readonly done?: { readonly key: string; readonly text: Markdown };
}

function noteName({ caller }: Asked): string {
  return `resume ${caller.id}`;
}

function* remembered(asked: Asked): Op<Remembered> {
  return JSON.parse((yield* readNote(asked.listener, noteName(asked))) ?? "{}");
}

function* remember(asked: Asked, value: Remembered): Op<void> {
  yield* writeNote(asked.listener, noteName(asked), JSON.stringify(value));
}

/** By the numbers they were shown, whatever was said in between. */
function* chosen(asked: Asked, here: Conversation, number: number): Op<Resumable | undefined> {
  const { listed } = yield* remembered(asked);
  if (!listed) return (yield* resumable(asked.caller, here))[number - 1];
  const conversation = yield* findListed(listed[number - 1] ?? "");
  const task = conversation && (yield* latestTaskIn(conversation.id));
  return task && conversation.caller === asked.caller.id
    ? { conversation, title: task.title }
    : undefined;
}

/** The place here leads to it from now on; the next message in its old place begins another one. */
function* resume(ports: TurnPorts, asked: Asked, number: number): Op<Markdown> {
  const { listed, done } = yield* remembered(asked);
  const { key } = asked.event;
  if (done?.key === key) return done.text;
  const here = yield* conversationFor(ports, asked);
  const found = yield* chosen(asked, here, number);
  if (!found) return `There is no conversation ${number}. ${typed("resume")} lists them.`;
  if (found.conversation.id === here.id)
    return `${quoted(found.title)} goes on here already. ${typed("resume")} lists the others.`;
  const moved = yield* moveHere(ports, asked, { here, found });
  if (typeof moved === "string") return moved;
  yield* remember(asked, { ...(listed ? { listed } : {}), done: { key, text: moved.text } });
  return moved.text;
}

function* moveHere(
  ports: TurnPorts,
  asked: Asked,
  { here, found }: { readonly here: Conversation; readonly found: Resumable },
): Op<{ readonly text: Markdown } | string> {
  const { caller, listener, event } = asked;
  const { conversation, title } = found;
  if (yield* isBusy(conversation))
    return `${quoted(title)} is at work, or waits for an answer. Wait for its end, or ${typed("stop")} it in its own chat, then send ${typed("resume")} once more.`;
  if (yield* isBusy(here))
    return `I am at work for you here. Wait for its end, or ${typed("stop")} it, then send ${typed("resume")} once more.`;
  yield* setConversationAside(here);
  yield* moveConversation(conversation.id, {
    address: here.address,
    kind: "direct",
    caller: caller.id,
  });
  yield* note(ports, asked, conversation);
  const { address } = conversation;
  const from = `${address.listener === listener ? "its old chat" : escapeInline(address.listener)}`;
  const left =
    conversation.current && address.chat !== event.chat.id
      ? ` Your next message in ${from} begins another one.`
      : "";
  return {
    text: `We go on here with ${quoted(title)}.${left} What was said here before is in ${typed("resume")}.`,
  };
}

function* isBusy({ id }: Pick<Conversation, "id">): Op<boolean> {
  if ((yield* countOpen(id)) > 0) return true;
  return (yield* openTurns()).some(({ conversation }) => conversation === id);
}

function* note({ clock }: TurnPorts, { caller, listener, event }: Asked, from: Listed): Op<void> {
  yield* audit({
    at: clock.now(),
    who: caller.id,
    name: caller.name,
    place: `${listener} ${event.chat.id}`,
    action: "conversation.resume",
    target: from.id,
    outcome: "moved",
    why: `from ${from.address.listener} ${from.address.chat}`,
  });
}
