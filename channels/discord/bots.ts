// Two bots that answer each other never stop by themselves: after a few exchanges without a person the loop is cut.
import type { InboundMessage } from "../../src/core/events.ts";
import type { Log } from "../../src/core/log.ts";

const exchanges = 5;
const mostChats = 1000;

/** True when the message goes on. Ask it for every message, people's as well. */
export type LoopGuard = (event: InboundMessage, fromBot: boolean) => boolean;

export function createLoopGuard(log: Log): LoopGuard {
  const counts = new Map<string, number>();
  return ({ chat, addressed }, fromBot) => {
    const room = chat.thread ?? chat.id;
    if (!fromBot) {
      counts.delete(room);
      return true;
    }
    if (!addressed) return true;
    const count = (counts.get(room) ?? 0) + 1;
    counts.delete(room);
    counts.set(room, count);
    if (counts.size > mostChats) counts.delete(counts.keys().next().value ?? "");
    if (count === exchanges + 1)
      log.warn(
        { chat: room },
        "Two bots talk with each other: no bot is heard here until a person writes",
      );
    return count <= exchanges;
  };
}
