// A short answer of the gateway itself: written with the end of its event in one transaction, then delivered.
import type { Part } from "../core/channel.ts";
import type { ListenerId, Markdown } from "../core/words.ts";
import { finishEntry } from "../store/inbox.ts";
import type { InboxOutcome } from "../store/inbox-row.ts";
import { addPart } from "../store/outbox.ts";
import type { OutboxRow } from "../store/outbox-row.ts";
import type { Op } from "../store/query.ts";
import { addressOf } from "./admission.ts";
import type { Answered } from "./after.ts";
import { asideFor, closePress, quoting, type Spot } from "./aside.ts";
import type { TurnPorts } from "./ports.ts";

export interface Response {
  /** The inbox row it ends. */
  readonly id?: number;
  readonly listener: ListenerId;
  readonly event: Answered;
  readonly text: Markdown;
  /** In a group: for the sender alone. */
  readonly aside?: boolean;
  readonly outcome?: InboxOutcome;
  /** Done in the same transaction. */
  readonly also?: () => Op<void>;
}

export async function respond(ports: TurnPorts, response: Response): Promise<void> {
  const { id, listener, event, text, outcome = "ok", also } = response;
  const spot = text ? await spotOf(ports, response) : undefined;
  const parts = spot ? await ports.render(listener, textIn(spot, text)) : [];
  const rows = await ports.store.run(function* () {
    if (also) yield* also();
    if (id !== undefined) yield* finishEntry(id, outcome);
    return spot ? yield* write(ports, { spot, parts, event }) : [];
  });
  ports.deliver.deliver(rows);
  if (!spot?.only || parts.length === 0) closePress(ports, listener, event.press);
}

async function spotOf(ports: TurnPorts, { listener, event, aside }: Response) {
  return aside ? await asideFor(ports, listener, event) : { to: addressOf(listener, event) };
}

function textIn({ opening }: Spot, text: Markdown): Markdown {
  return opening ? `${opening}\n\n${text}` : text;
}

function* write(
  { deliver, clock, channel }: TurnPorts,
  it: { readonly spot: Spot; readonly parts: readonly Part[]; readonly event: Answered },
): Op<OutboxRow[]> {
  const { to, only } = it.spot;
  // What is answered lies in that chat alone.
  const place =
    to.chat === it.event.chat.id
      ? quoting(channel(to.listener), it.event.chat, it.event.message)
      : {};
  const common = { kind: "notice", to, ...place, ...(only ? { only } : {}) } as const;
  const first = deliver.isIdle(to) ? "sending" : "pending";
  const written: OutboxRow[] = [];
  for (const part of it.parts) {
    const state = written.length === 0 ? first : "pending";
    written.push(yield* addPart({ ...part, ...common, state, at: clock.now() }));
  }
  return written;
}
