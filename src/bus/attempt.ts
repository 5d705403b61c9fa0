// One try to send or edit a row, and what its failure means for the next one.
import { type Listener, type Only, type Part, SendError } from "../core/channel.ts";
import type { MessageRef } from "../core/events.ts";
import type { OutboxRow } from "../store/outbox-row.ts";

export interface Delivery {
  readonly row: OutboxRow;
  /** The platform refused the formatting: plain text from here on. */
  readonly plain: boolean;
  /** It was sent again once without knowing whether the first one arrived; never a second time. */
  readonly resent: boolean;
  readonly failures: number;
}

export type Outcome =
  | { readonly sent: MessageRef }
  /** `inDoubt`: the platform may have it after all. */
  | { readonly failed: string; readonly inDoubt?: true }
  | { readonly gone: string }
  | {
      readonly next: Delivery;
      /** Ms until then. */
      readonly wait: number;
      readonly why: string;
      readonly ambiguous?: boolean;
      readonly movedTo?: string;
    };

export async function attempt(
  listener: Listener,
  delivery: Delivery,
  part: Part,
): Promise<Outcome> {
  const { row } = delivery;
  const { body: _refused, ...plain } = part;
  const shown = delivery.plain ? plain : part;
  try {
    if (row.only) return await whisper(listener, row.only, { delivery, shown });
    if (!row.ref) return { sent: await listener.send(row.to, shown, `o${row.id}`) };
    if (!listener.edit) return { sent: row.ref };
    await listener.edit(row.ref, shown);
    return { sent: row.ref };
  } catch (error) {
    if (error instanceof SendError) return judge(delivery, error);
    throw error;
  }
}

/** To one account of a group; where that does not go (any more), to their direct chat. */
async function whisper(
  listener: Listener,
  only: Only,
  { delivery, shown }: { delivery: Delivery; shown: Part },
): Promise<Outcome> {
  const { row } = delivery;
  try {
    if (!listener.whisper) throw new SendError("gone", "nothing can be shown to one person there");
    await listener.whisper(row.to, only, shown);
    return { sent: { chat: row.to.chat, id: "" } };
  } catch (error) {
    if (!(error instanceof SendError) || error.kind !== "gone") throw error;
    const to = await listener.openDirect?.(only.account).catch(() => undefined);
    if (!to) return { failed: error.message };
    const next = { ...delivery, row: { ...row, to, only: null, replyTo: null } };
    return { next, wait: 0, why: error.message };
  }
}

function judge(delivery: Delivery, error: SendError): Outcome {
  const { row, failures } = delivery;
  const why = error.message;
  const again = (wait: number, change: Partial<Delivery> = {}) => ({
    next: { ...delivery, failures: failures + 1, ...change },
    wait,
    why,
  });
  switch (error.kind) {
    case "rate-limited":
      return again(error.detail.retryAfter ?? 1000);
    case "not-sent":
      return again(backoff(failures));
    case "unauthorised":
      return again(60_000);
    case "unknown":
      if (row.ref) return failures < 5 ? again(backoff(failures)) : { failed: why };
      if (delivery.resent) return { failed: `it may have arrived: ${why}`, inDoubt: true };
      return { ...again(backoff(failures), { resent: true }), ambiguous: true };
    case "gone": {
      const { movedTo } = error.detail;
      if (!movedTo) return row.ref ? { failed: why } : { gone: why };
      // What it was an edit of, or an answer to, stays behind: there it is a new message.
      const there = { ...row, to: { ...row.to, chat: movedTo }, ref: null, replyTo: null };
      return { ...again(0, { row: there }), movedTo };
    }
    case "rejected":
      return error.detail.format && !delivery.plain ? again(0, { plain: true }) : { failed: why };
  }
}

/** 1 s doubling to 60 s. */
function backoff(failures: number): number {
  return Math.min(60_000, 1000 * 2 ** failures);
}
