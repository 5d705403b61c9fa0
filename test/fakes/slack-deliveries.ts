// What the app is to be told, until it has acknowledged it: Slack's retries, over sockets or by requests.
import { randomUUID } from "node:crypto";
import type { Params } from "./telegram-types.ts";

export type EnvelopeKind = "events_api" | "interactive" | "slash_commands";

/** One thing that the app is told, as often as it takes. */
export interface Delivery {
  readonly kind: EnvelopeKind;
  readonly payload: Params;
  readonly at: number;
  /** One for each attempt; an acknowledgement of any of them counts. */
  readonly envelopes: string[];
  attempt: number;
  reason: string;
  /** Waits for a socket, or for its next attempt. */
  state: "waiting" | "sent" | "acknowledged" | "lost";
  /** What the newest attempt went over. */
  socket?: unknown;
}

export interface Told {
  /** What came with the acknowledgement. */
  acknowledged?(answer: Params): void;
  /** Slack gave up. */
  lost?(): void;
}

/** Gives what the envelope went over, or undefined when nobody is there. */
export type Transport = (delivery: Delivery, envelope: string) => unknown;

export interface DeliveryTimes {
  /** How long an acknowledgement may take. */
  readonly ackMs: number;
  /** How long after each failure the event is sent again. */
  readonly retryMs: readonly number[];
  /** Events of which no attempt is kept in mind once they are settled, for long runs. */
  readonly record: boolean;
}

interface Open {
  readonly delivery: Delivery;
  readonly told: Told;
  timer?: NodeJS.Timeout;
}

export class Deliveries {
  /** All of them, oldest first; empty when nothing is recorded. */
  readonly all: Delivery[] = [];
  transport: Transport = () => undefined;
  /** What a retry says of an attempt that was not acknowledged in time. */
  tooLate = "timeout";
  readonly #open = new Set<Open>();
  readonly #byEnvelope = new Map<string, Open>();
  readonly #times: DeliveryTimes;
  readonly #changed: () => void;

  constructor(times: DeliveryTimes, changed: () => void) {
    this.#times = times;
    this.#changed = changed;
  }

  /** Told, or waiting to be, and not acknowledged. */
  get unconfirmed(): number {
    return this.#open.size;
  }

  push(kind: EnvelopeKind, payload: Params, told: Told = {}): Delivery {
    const delivery: Delivery = {
      ...{ kind, payload, at: Date.now(), envelopes: [], attempt: 0, reason: "", state: "waiting" },
    };
    if (this.#times.record) this.all.push(delivery);
    const open = { delivery, told };
    this.#open.add(open);
    this.#attempt(open);
    return delivery;
  }

  /** False when there is nothing of that name to acknowledge. */
  acknowledge(envelope: string, answer: Params = {}): boolean {
    const open = this.#byEnvelope.get(envelope);
    if (!open) return false;
    this.#settle(open, "acknowledged");
    open.told.acknowledged?.(answer);
    this.#changed();
    return true;
  }

  /** The attempt did not work. */
  failed(envelope: string, reason: string, { again = true } = {}): void {
    const open = this.#byEnvelope.get(envelope);
    if (open?.delivery.state === "sent" && open.delivery.envelopes.at(-1) === envelope)
      if (again) this.#failed(open, reason);
      else this.#lose(open);
  }

  /** A socket has closed: what it carried is sent over another one at once. */
  closed(socket: unknown): void {
    for (const open of [...this.#open])
      if (open.delivery.state === "sent" && open.delivery.socket === socket)
        this.#failed(open, this.tooLate, 0);
  }

  /** Whatever is not acknowledged is sent again now: a socket has opened, or the minutes have passed. */
  again({ sent = true } = {}): void {
    for (const open of [...this.#open]) {
      const { delivery } = open;
      if (delivery.state === "sent" && !sent) continue;
      clearTimeout(open.timer);
      delivery.attempt += delivery.state === "sent" || delivery.attempt === 0 ? 1 : 0;
      delivery.reason ||= this.tooLate;
      this.#attempt(open);
    }
  }

  /** Nothing more is sent or lost. */
  close(): void {
    for (const open of this.#open) clearTimeout(open.timer);
    this.#open.clear();
    this.#byEnvelope.clear();
  }

  #attempt(open: Open): void {
    const { delivery } = open;
    const envelope = randomUUID();
    delivery.envelopes.push(envelope);
    this.#byEnvelope.set(envelope, open);
    delivery.state = "sent";
    delivery.socket = this.transport(delivery, envelope);
    clearTimeout(open.timer);
    if (delivery.socket !== undefined) {
      open.timer = setTimeout(() => this.#failed(open, this.tooLate), this.#times.ackMs);
      return;
    }
    delivery.state = "waiting";
    if (delivery.kind !== "events_api") this.#lose(open);
    // Nobody is there: the retries pass meanwhile.
    else open.timer = setTimeout(() => this.#lose(open), this.#window());
  }

  #window(): number {
    return this.#times.retryMs.reduce((sum, ms) => sum + ms, this.#times.ackMs);
  }

  #failed(open: Open, reason: string, soon?: number): void {
    const { delivery } = open;
    const wait = this.#times.retryMs[delivery.attempt];
    clearTimeout(open.timer);
    if (delivery.kind !== "events_api" || wait === undefined) {
      this.#lose(open);
      return;
    }
    delivery.attempt += 1;
    delivery.reason = reason;
    delivery.state = "waiting";
    open.timer = setTimeout(() => this.#attempt(open), soon ?? wait);
    this.#changed();
  }

  #lose(open: Open): void {
    this.#settle(open, "lost");
    open.told.lost?.();
    this.#changed();
  }

  #settle(open: Open, state: "acknowledged" | "lost"): void {
    clearTimeout(open.timer);
    open.delivery.state = state;
    this.#open.delete(open);
    for (const envelope of open.delivery.envelopes) this.#byEnvelope.delete(envelope);
  }
}
