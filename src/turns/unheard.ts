// Messages that are not listened to at all: nobody is to be answered, they were here before, or they go round in a loop.
import { audit } from "../access/audit.ts";
import type { InboundEvent } from "../core/events.ts";
import type { Caller, ListenerId } from "../core/words.ts";
import { isMarked, keepMarks } from "../store/marks.ts";
import type { Op } from "../store/query.ts";
import { marksKept } from "../store/retention.ts";
import { type Admitted, nothing } from "./admission.ts";
import { tooMany } from "./breaker.ts";
import type { TurnPorts } from "./ports.ts";

interface Came {
  readonly listener: ListenerId;
  readonly event: InboundEvent;
  /** For the audit. */
  readonly caller: Caller;
}

/** Undefined: it is listened to. Of the others the id is kept, so that they are not looked at again. */
export function* admitUnheard(ports: TurnPorts, came: Came): Op<Admitted | undefined> {
  const { listener, event, caller } = came;
  const now = ports.clock.now();
  if (event.kind === "message" && event.silent !== undefined)
    return yield* ignore(came, now, event.silent);
  const { marks = [] } = event;
  if (yield* isMarked({ listener, marks }, now - marksKept))
    return yield* ignore(came, now, "seen before (a replay or a second copy)");
  yield* keepMarks({ listener, marks }, now);
  if (event.kind === "message" && (yield* tooMany(ports, { listener, event, caller })))
    return { ...nothing(caller), outcome: "refused" };
  return undefined;
}

/** Nothing is said, and only why is kept. */
export function* ignore({ listener, event, caller }: Came, at: number, why: string): Op<Admitted> {
  const place = `${listener} ${event.chat.id}`;
  const name = caller.pairing === null ? "" : caller.name;
  const row = { at, who: caller.id, name, place, action: "message", target: "" };
  yield* audit({ ...row, outcome: "ignored", why });
  return nothing(caller);
}
