// What follows when something cannot be delivered: questions there expire, chats move, doubts are counted.
import { audit } from "../access/audit.ts";
import type { Approvals } from "../approvals/approvals.ts";
import type { Deliver, DeliverPorts } from "../bus/deliver.ts";
import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import { pendingQuestionsOnlyIn } from "../store/cards.ts";
import type { OutboxRow } from "../store/outbox-row.ts";
import type { Store } from "../store/store.ts";
import type { Alarm } from "./alarm.ts";
import { expireThere, migrate } from "./chat-change.ts";

interface GonePorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly deliver: Pick<Deliver, "deliver">;
  approvals(): Approvals;
  alarm(): Pick<Alarm, "undelivered">;
}

type Told = Pick<DeliverPorts, "onGone" | "onMoved" | "onAmbiguous" | "onFailed">;

export function tellGone(ports: GonePorts): Told {
  const { store, clock, log } = ports;
  const note = (row: OutboxRow, outcome: string, why: string) => {
    const { listener, chat } = row.to;
    log.warn({ outbox: row.id, listener, chat, outcome, why }, "A message did not go out cleanly");
    const place = `${listener} ${chat}`;
    const at = clock.now();
    const target = `outbox ${row.id}`;
    const entry = {
      at,
      who: "gateway",
      name: "gateway",
      place,
      action: "deliver",
      target,
      outcome,
      why,
    };
    store.run(() => audit(entry)).catch((error) => log.error({ error }, "An audit row was lost"));
  };
  return {
    onGone(to) {
      expireThere({ store, approvals: ports.approvals() }, to).catch((error) =>
        log.error({ error }, "Questions of a chat that is gone could not be ended"),
      );
    },
    onMoved: (to, chat) => migrate(ports, to.listener, { from: to.chat, to: chat }),
    onAmbiguous: (row) => note(row, "ambiguous", "it may have arrived, and is sent once more"),
    onFailed(row, why, inDoubt) {
      note(row, "failed", why);
      ports.alarm().undelivered(row, why);
      if (row.kind !== "card" || row.ref || inDoubt) return;
      expireUnseen(ports, row).catch((error) =>
        log.error({ error }, "A question that nobody sees could not be ended"),
      );
    },
  };
}

/** The card went nowhere else: denied now rather than when nobody has answered. */
async function expireUnseen(
  { store, approvals }: Pick<GonePorts, "store" | "approvals">,
  { question, to }: OutboxRow,
): Promise<void> {
  const unseen = await store.run(() => pendingQuestionsOnlyIn(to.listener, to.chat));
  if (question && unseen.includes(question)) await approvals().expire(question, "unreachable");
}
