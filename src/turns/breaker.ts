// The loop breaker: a thread that was answered too often within an hour is left alone, whoever writes in it.
import { audit } from "../access/audit.ts";
import { takeHourly } from "../access/hints.ts";
import { code } from "../approvals/effect.ts";
import { countAnswers } from "../store/outbox-count.ts";
import type { Op } from "../store/query.ts";
import { addressOf, type Incoming } from "./admission.ts";
import type { TurnPorts } from "./ports.ts";

const hour = 3_600_000;

/** True: it ends here, without a word. What people are asked does not count as an answer. */
export function* tooMany(
  ports: Pick<TurnPorts, "channel" | "clock" | "alarm">,
  { listener, event }: Incoming,
): Op<boolean> {
  const most = ports.channel(listener)?.answersPerHour;
  const to = addressOf(listener, event);
  const now = ports.clock.now();
  if (most === undefined || to.thread === undefined) return false;
  if ((yield* countAnswers(to, now - hour)) < most) return false;
  const { account } = event.sender;
  yield* audit({
    at: now,
    who: `a:${listener}:${account}`,
    name: "",
    place: `${listener} ${event.chat.id}`,
    action: "message",
    target: "",
    outcome: "refused",
    why: `loop: ${most} answers in this thread within an hour`,
  });
  if (yield* takeHourly(`loop ${listener} ${account} ${to.thread}`, now))
    void ports.alarm.tell(
      `⚠️ ${code(account)} on the channel ${code(listener)} was answered ${most} times in one thread within an hour, which looks like a loop: I am silent there for a while.`,
    );
  return true;
}
