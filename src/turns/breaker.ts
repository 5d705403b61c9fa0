// The loop breaker: a thread, or a person, that was answered too often within an hour is left alone, whoever writes there.
import { audit } from "../access/audit.ts";
import { takeHourly } from "../access/hints.ts";
import { code } from "../approvals/effect.ts";
import type { Caller } from "../core/words.ts";
import { countAnswers } from "../store/outbox-count.ts";
import type { Op } from "../store/query.ts";
import { openTurns } from "../store/turns.ts";
import { addressOf, type Incoming } from "./admission.ts";
import { questionWaiting } from "./answers.ts";
import { isRightWord } from "./by-word.ts";
import { conversationFor } from "./conversation.ts";
import { readerOf } from "./letter.ts";
import type { TurnPorts } from "./ports.ts";

const hour = 3_600_000;
/** Threads at their most that one person may have: a machine may begin a new one with each mail. */
const threadsMost = 6;
/** Alarms in an hour: the audit has the rest. */
const alarmsMost = 10;

type Ports = Pick<TurnPorts, "channel" | "clock" | "token" | "word" | "alarm">;

interface Came extends Incoming {
  readonly caller: Caller;
}

/** True: it ends here, without a word. What people are asked does not count as an answer. */
export function* tooMany(ports: Ports, came: Came): Op<boolean> {
  const { listener, event } = came;
  const most = ports.channel(listener)?.answersPerHour;
  const to = addressOf(listener, event);
  const now = ports.clock.now();
  if (most === undefined || to.thread === undefined) return false;
  const { thread, chat } = yield* countAnswers(to, now - hour);
  if (thread < most && chat < most * threadsMost) return false;
  if (yield* endsSomething(ports, came)) return false;
  const loop =
    thread < most
      ? { count: most * threadsMost, where: "to this address" }
      : { count: most, where: "in this thread" };
  const { account } = event.sender;
  yield* audit({
    at: now,
    who: `a:${listener}:${account}`,
    name: "",
    place: `${listener} ${event.chat.id}`,
    action: "message",
    target: "",
    outcome: "refused",
    why: `loop: ${loop.count} answers ${loop.where} within an hour`,
  });
  if (yield* mayAlarm(`${listener} ${account}`, now))
    void ports.alarm.tell(
      `⚠️ ${code(account)} on the channel ${code(listener)} was answered ${loop.count} times ${thread < most ? "" : "in one thread "}within an hour, which looks like a loop: I am silent there for a while.`,
    );
  return true;
}

/** What waits for this very message, and cannot wait for it twice: no loop is made of that. */
function* endsSomething(ports: Ports, { listener, event, caller }: Came): Op<boolean> {
  if (caller.pairing === null) return false;
  const command = readerOf(ports.channel(listener)).command(event);
  const { id } = yield* conversationFor(ports, { caller, listener, event });
  if (command?.name === "stop")
    return (yield* openTurns()).some(
      (turn) => turn.conversation === id && turn.caller === caller.id && turn.state === "running",
    );
  if (command) return yield* isRightWord(ports, { caller, listener, event, command });
  return (yield* questionWaiting(id, caller)) !== undefined;
}

function* mayAlarm(whom: string, now: number): Op<boolean> {
  if (!(yield* takeHourly(`loop ${whom}`, now))) return false;
  for (let n = 1; n <= alarmsMost; n += 1)
    if (yield* takeHourly(`loop alarm ${n}`, now)) return true;
  return false;
}
