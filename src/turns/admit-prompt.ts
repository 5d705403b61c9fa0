// A prompt at the front door: budget, queue bound, and whether its lane and a place are free right now.

import { may } from "../access/authorise.ts";
import { spend } from "../access/budgets.ts";
import { typed } from "../core/command-text.ts";
import type { Caller } from "../core/words.ts";
import { type Conversation, isShared, ownBeside } from "../store/conversations.ts";
import { countOpen } from "../store/inbox.ts";
import type { Op } from "../store/query.ts";
import type { Question } from "../store/questions.ts";
import { countOpenTurns } from "../store/turns.ts";
import { type Admitted, type Incoming, refuse, say } from "./admission.ts";
import type { After } from "./after.ts";
import { questionRepliedTo, questionWaiting } from "./answers.ts";
import { behindQuestion } from "./behind.ts";
import { begin, starterIn } from "./claim.ts";
import type { TurnPorts } from "./ports.ts";

type Prompt = Incoming & { readonly caller: Caller; readonly conversation: Conversation };

const queueMost = 20;

export function* admitPrompt(ports: TurnPorts, prompt: Prompt): Op<Admitted> {
  const { caller, conversation, event } = prompt;
  if (!event.text.trim() && event.files.length === 0)
    return say(caller, event, `I am here. Tell me what to do, or send ${typed("help")}.`);
  const open = yield* countOpen(conversation.id);
  const asked =
    (yield* questionRepliedTo(prompt)) ??
    (open > 0 ? yield* questionWaiting(conversation.id, caller) : undefined) ??
    (yield* questionBeside(prompt));
  if (asked) return yield* admitAnswer(ports, prompt, asked);
  const behind = open > 0 ? yield* behindQuestion(ports, prompt) : {};
  if (behind.refused !== undefined)
    return yield* refuse({ ...prompt, at: ports.clock.now(), why: "no word" }, behind.refused);
  if (open > queueMost)
    return yield* refuse(
      { ...prompt, at: ports.clock.now(), why: "too many wait" },
      `${queueMost} ${isShared(conversation) ? "" : "of your "}messages already wait, so I did not take this one. Wait for an answer, or ${typed("stop")}.`,
    );
  const poor =
    ports.meter.refusal(caller) ??
    (caller.role === "anonymous" ? yield* overBudget(ports, prompt) : undefined);
  if (poor) return yield* refuse({ ...prompt, at: ports.clock.now(), why: "budget" }, poor);
  const crowded = open === 0 && (yield* countOpenTurns()) >= ports.settings().concurrent;
  if (open > 0 || crowded || event.album !== undefined)
    return waiting(prompt, { ...behind, crowded });
  const ids = { task: ports.token(), turn: ports.token() };
  const starter = starterIn(conversation, caller);
  const work = yield* begin(ports, { ...ids, conversation, caller: starter, prompts: [event] });
  const admitted = entry(prompt, "prompt", { do: "run", work });
  return { ...admitted, state: "started", turn: ids.turn };
}

/** Of what they began there before it was shared: its card says that their next message answers it. */
function* questionBeside({ caller, conversation }: Prompt): Op<Question | undefined> {
  const own = yield* ownBeside(conversation, caller);
  return own && (yield* questionWaiting(own.id, caller));
}

function waiting(
  prompt: Prompt,
  { told, crowded }: { readonly told?: string; readonly crowded: boolean },
): Admitted {
  const { conversation, event } = prompt;
  const more = { crowded, ...(told === undefined ? {} : { told }) };
  return entry(prompt, "prompt", { do: "wait", conversation: conversation.id, event, ...more });
}

function entry(prompt: Prompt, kind: "prompt" | "answer", after: After): Admitted {
  const { caller, conversation, event } = prompt;
  return {
    kind,
    state: "accepted",
    caller: caller.id,
    role: starterIn(conversation, caller).role,
    conversation: conversation.id,
    album: event.album ?? null,
    body: event,
    after,
  };
}

/** Somebody's task that waits for words goes on with those of its starter, or of an owner. */
function* admitAnswer({ clock }: TurnPorts, prompt: Prompt, asked: Question): Op<Admitted> {
  const { caller, event } = prompt;
  if (may(caller, "continue", { starter: asked.caller }))
    return entry(prompt, "answer", { do: "answer", caller, event, question: asked.id });
  const refusal = { ...prompt, at: clock.now(), why: "somebody else was asked" };
  return yield* refuse(refusal, "Only the person who asked, or an owner, can answer this.");
}

function* overBudget(ports: TurnPorts, { listener, caller }: Prompt): Op<string | undefined> {
  const now = ports.clock.now();
  const { listenerTasksPerHour, listenerConcurrent, callerTasksPerHour } = ports.settings();
  const limits = { listenerTasksPerHour, listenerConcurrent, callerTasksPerHour };
  const spent = yield* spend({ listener, caller: caller.id, now, limits });
  if (spent === "ok") return undefined;
  const minutes = Math.max(1, Math.ceil((spent.retryAt - now) / 60_000));
  const when = `Please try again in ${minutes} minute${minutes === 1 ? "" : "s"}.`;
  return spent.refused === "caller"
    ? `You have used what I do for people I do not know. ${when}`
    : `I am busy with what other people asked. ${when}`;
}
