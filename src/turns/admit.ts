// Decides in the accepting transaction what of an event is kept and what becomes of it.

import { audit } from "../access/audit.ts";
import { may } from "../access/authorise.ts";
import { takeHint } from "../access/hints.ts";
import { identify } from "../access/identify.ts";
import { letIn } from "../access/mail.ts";
import { typed } from "../core/command-text.ts";
import type { ChatChange, HomeOpened, InboundEvent, InboundMessage } from "../core/events.ts";
import type { Caller, ListenerId } from "../core/words.ts";
import { cardsOf } from "../store/cards.ts";
import { isEnabled } from "../store/chats.ts";
import type { Conversation } from "../store/conversations.ts";
import { findByKey } from "../store/inbox.ts";
import type { Op } from "../store/query.ts";
import { pendingQuestionsIn } from "../store/questions.ts";
import { type Admitted, type Incoming, nothing, refuse, say } from "./admission.ts";
import { admitPrompt } from "./admit-prompt.ts";
import type { After, CodeReply } from "./after.ts";
import { isAnswer } from "./answers.ts";
import { move } from "./chat-change.ts";
import { conversationFor } from "./conversation.ts";
import { readerOf } from "./letter.ts";
import type { TurnPorts } from "./ports.ts";
import { stopFor } from "./stop.ts";
import { admitUnheard, ignore } from "./unheard.ts";
import { bareAnswer, type Command } from "./words.ts";

export function admitter(
  ports: TurnPorts,
): (listener: ListenerId) => (event: InboundEvent) => Op<Admitted> {
  return (listener) =>
    function* (event) {
      const before = yield* identify({ listener, ...event.sender });
      const unheard = yield* admitUnheard(ports, { listener, event, caller: before });
      if (unheard) return unheard;
      const code = event.kind === "message" ? reader(ports, listener).code(event.text) : null;
      if (event.kind === "message" && code)
        return yield* admitCode(ports.hmac(code), { listener, event, now: ports.clock.now() });
      const caller = yield* arriving(ports, before, { listener, event });
      if (event.kind === "press")
        return keep("press", caller, event, { do: "press", caller, event });
      if (event.kind === "chat") return yield* admitChange(ports, caller, { listener, event });
      if (event.kind === "home") return glance(caller, event);
      const admitted = yield* admitMessage(ports, caller, { listener, event });
      yield* noteProof(ports, caller, { listener, event, admitted });
      return admitted;
    };
}

function reader({ channel }: Pick<TurnPorts, "channel">, listener: ListenerId) {
  return readerOf(channel(listener));
}

/** Whoever is nobody yet may be somebody by what was proved of them. */
function* arriving(
  ports: TurnPorts,
  caller: Caller,
  { listener, event }: { readonly listener: ListenerId; readonly event: InboundEvent },
): Op<Caller> {
  const { sender, kind } = event;
  if (caller.pairing !== null || kind !== "message" || !sender.proof) return caller;
  const { allowEmail: entries } = ports.settings();
  yield* letIn({ listener, sender, entries, now: ports.clock.now(), id: ports.token() });
  return yield* identify({ listener, ...sender });
}

/** By what it was taken for theirs, for everything that may have an effect. */
function* noteProof(
  { clock }: TurnPorts,
  caller: Caller,
  { listener, event, admitted }: Incoming & { readonly admitted: Admitted },
): Op<void> {
  const { proof } = event.sender;
  if (!proof || admitted.kind === "none") return;
  yield* audit({
    at: clock.now(),
    who: caller.id,
    name: caller.pairing === null ? "" : caller.name,
    place: `${listener} ${event.chat.id}`,
    action: "message",
    target: "",
    outcome: "authenticated",
    why: proof.reason,
  });
}

function* admitChange(
  ports: TurnPorts,
  caller: Caller,
  { listener, event }: { readonly listener: ListenerId; readonly event: ChatChange },
): Op<Admitted> {
  const { chat, change, to, title } = event;
  const moved =
    change === "migrated" && to ? yield* move(ports, listener, { from: chat.id, to, title }) : [];
  return keep("chat", caller, event, { do: "chat", caller, event, moved });
}

/** Of a code only its HMAC is kept, and whom to answer. */
function* admitCode(
  hmac: string,
  { listener, event: whole, now }: Incoming & { readonly now: number },
): Op<Admitted> {
  const { chat, message, sender, press } = whole;
  const event = { chat, message, sender, ...(press ? { press } : {}) };
  const body = { hmac, event, tell: yield* whomToTell(listener, event, now) };
  const after: After = { do: "code", ...body };
  return { kind: "code", state: "accepted", caller: null, role: null, body, after };
}

/** In a group once a day is enough: a flood of codes must not use up what the platform lets us say there. */
function* whomToTell(
  listener: ListenerId,
  { chat, sender }: Pick<InboundMessage, "chat" | "sender">,
  now: number,
): Op<CodeReply> {
  if (chat.kind === "direct" && !sender.proof) return "sender";
  const known = (yield* identify({ listener, ...sender })).pairing !== null;
  // Anybody can write a mail: whoever only tries is answered once a day.
  if (chat.kind === "direct")
    return known || (yield* takeHint({ listener, ...sender }, now, "code")) ? "sender" : "nobody";
  if (!known && !(yield* isEnabled(listener, chat.id))) return "nobody";
  if (!(yield* takeHint({ listener, ...sender }, now, "code"))) return "nobody";
  return known ? "sender" : "group";
}

const opening: ReadonlySet<string> = new Set(["enable", "share"]);

function* admitMessage(ports: TurnPorts, caller: Caller, incoming: Incoming): Op<Admitted> {
  const { event, listener } = incoming;
  const command = event.edited ? undefined : reader(ports, listener).command(event);
  const { approvals } = ports;
  if (event.chat.kind === "group") {
    if (!event.addressed || caller.role === "anonymous") return nothing(caller, event);
    // Whoever may not open it is told so each time, alone.
    const opens = opening.has(command?.name ?? "");
    if (!opens && !(yield* isEnabled(listener, event.chat.id)))
      return yield* admitClosed(ports, caller, incoming);
  } else if (caller.role === "anonymous" && ports.settings().public !== "anyone")
    return yield* admitStranger(ports, caller, incoming);
  if (event.edited) return yield* admitEdit(caller, incoming, event.edited.key);
  if (event.unreadable && !event.text && event.files.length === 0)
    return say(caller, event, unreadableText(event.unreadable));
  // Whoever chose it from a menu, or mistyped it, did not mean a task.
  if (event.press && !command && event.text.startsWith("/"))
    return say(caller, event, `I know no such command. ${typed("help")} lists them.`);
  const conversation = yield* conversationFor(ports, { caller, ...incoming });
  const it = { listener, event, conversation };
  const words = command
    ? yield* meant(caller, incoming, command)
    : yield* bareDecision(ports, caller, it);
  if (words) return yield* admitCommand(approvals, { caller, conversation, event, command: words });
  return yield* admitPrompt(ports, { caller, conversation, ...incoming });
}

/** What says itself what to do (`a mail of 32 MB: at most …`) needs no other advice. */
function unreadableText(what: string): string {
  const advice = what.includes(": ") ? "" : " Please send text or a file.";
  return `I cannot read ${what}.${advice}`;
}

function* meant(caller: Caller, incoming: Incoming, command: Command): Op<Command | undefined> {
  if (command.name !== "answer") return command;
  return (yield* isAnswer({ caller, ...incoming }, command.rest)) ? command : undefined;
}

/** A bare yes or no counts only where there are no buttons and one question is open. */
function* bareDecision(
  ports: TurnPorts,
  caller: Caller,
  it: Incoming & { conversation: Conversation },
): Op<Command | undefined> {
  const name = bareAnswer(it.event.text);
  const channel = ports.channel(it.listener);
  if (!name || channel?.limits.buttons !== 0 || channel.decidesByWord) return undefined;
  const open = yield* pendingQuestionsIn(it.conversation.id);
  const [only] = open;
  if (!only || open.length > 1 || only.kind !== "approval") return undefined;
  const card = (yield* cardsOf(only.id)).find(({ person }) => person === caller.id);
  return card && { name, rest: String(card.number) };
}

function* admitCommand(
  approvals: TurnPorts["approvals"],
  it: { caller: Caller; conversation: Conversation; event: InboundMessage; command: Command },
): Op<Admitted> {
  const { caller, conversation, event, command } = it;
  // In this very commit, so that "do X" and "/stop" in one batch do not run X.
  const stop =
    command.name === "stop"
      ? { stop: yield* stopFor(approvals, caller, { conversation, command }) }
      : {};
  const after: After = { do: "command", caller, event, command, ...stop };
  return { ...keep("command", caller, event, after), conversation: conversation.id };
}

/** Nobody opened this group: silence in it, and one hint a day to the person who is known, alone; a command that nobody else saw is always answered. */
function* admitClosed(
  { clock }: TurnPorts,
  caller: Caller,
  { listener, event }: Incoming,
): Op<Admitted> {
  const at = clock.now();
  const hint =
    event.press !== undefined ||
    (!event.edited && (yield* takeHint({ listener, ...event.sender }, at, `in ${event.chat.id}`)));
  if (!hint) return nothing(caller, event);
  const how = may(caller, "enable")
    ? `To open it, send me ${typed("enable")} there.`
    : `Ask an owner to send me ${typed("enable")} there.`;
  const text = `This chat is not open to me, so I say nothing in it. ${how}`;
  const refused = yield* refuse({ listener, event, caller, at, why: "chat not open" }, text);
  return { ...refused, body: null };
}

/** An unknown sender: the id only; one hint a day, where the platform vouches for who they are. */
function* admitStranger(
  { clock }: TurnPorts,
  caller: Caller,
  { listener, event }: Incoming,
): Op<Admitted> {
  const at = clock.now();
  // Mail is answered to those it is for, and to nobody else: not even with a hint.
  if (event.sender.proof) return yield* ignore({ listener, event, caller }, at, "not on the list");
  if (!(yield* takeHint({ listener, ...event.sender }, at))) return nothing(caller, event);
  const text =
    "I do not know you yet. Ask the person who runs me for a code, then send me `join` and the code.";
  const refused = yield* refuse({ listener, event, caller, at, why: "not paired" }, text);
  return { ...refused, body: null };
}

function* admitEdit(caller: Caller, { listener, event }: Incoming, key: string): Op<Admitted> {
  const before = yield* findByKey(listener, key);
  const changed = before?.event.kind === "message" && before.event.text !== event.text;
  if (!changed) return nothing(caller, event);
  return say(
    caller,
    event,
    "I saw that you changed a message. I work from the one I got first: send the change as a new message.",
  );
}

/** Nothing of it is kept: whoever looks again is shown it again. */
function glance(caller: Caller, event: HomeOpened): Admitted {
  return { ...nothing(caller), outcome: "ok", after: { do: "home", caller, event } };
}

function keep(kind: Admitted["kind"], caller: Caller, event: InboundEvent, after: After): Admitted {
  return { kind, state: "accepted", caller: caller.id, role: caller.role, body: event, after };
}
