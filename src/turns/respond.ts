// A short answer of the gateway itself: written with the end of its event in one transaction, then delivered.
import type { InboundMessage } from "../core/events.ts";
import type { ListenerId, Markdown } from "../core/words.ts";
import { finishEntry } from "../store/inbox.ts";
import type { InboxOutcome } from "../store/inbox-row.ts";
import { addPart } from "../store/outbox.ts";
import type { OutboxRow } from "../store/outbox-row.ts";
import type { Op } from "../store/query.ts";
import { addressOf } from "./admission.ts";
import type { TurnPorts } from "./ports.ts";

export interface Response {
  /** The inbox row it ends. */
  readonly id?: number;
  readonly listener: ListenerId;
  readonly event: Pick<InboundMessage, "chat" | "message">;
  readonly text: Markdown;
  readonly outcome?: InboxOutcome;
  /** Done in the same transaction. */
  readonly also?: () => Op<void>;
}

export async function respond(ports: TurnPorts, response: Response): Promise<void> {
  const { id, listener, event, text, outcome = "ok", also } = response;
  const to = addressOf(listener, event);
  const parts = text ? await ports.render(listener, text) : [];
  const quoted = event.chat.kind === "group" ? { replyTo: event.message } : {};
  const first = ports.deliver.isIdle(to) ? "sending" : "pending";
  const rows = await ports.store.run(function* () {
    if (also) yield* also();
    if (id !== undefined) yield* finishEntry(id, outcome);
    const written: OutboxRow[] = [];
    for (const part of parts) {
      const state = written.length === 0 ? first : "pending";
      const at = ports.clock.now();
      written.push(yield* addPart({ ...part, ...quoted, kind: "notice", state, to, at }));
    }
    return written;
  });
  ports.deliver.deliver(rows);
}
