// HTTP mode: every event is a signed request to the app, and an answer of 2xx within three seconds acknowledges it.
import { createHmac } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Deliveries, Delivery } from "./slack-deliveries.ts";
import type { SlackFaults } from "./slack-faults.ts";
import type { Params } from "./telegram-types.ts";

export interface PushOptions {
  readonly signingSecret: string;
  readonly deliveries: Deliveries;
  readonly faults: SlackFaults;
  readonly now: () => number;
  readonly ackMs: number;
}

export interface SignedRequest {
  readonly headers: Record<string, string>;
  readonly body: string;
}

export function signatureOf(secret: string, timestamp: string, body: string): string {
  return `v0=${createHmac("sha256", secret).update(`v0:${timestamp}:${body}`).digest("hex")}`;
}

/** A request as Slack signs it; `at` in ms since 1970. */
export function signed(
  body: string,
  { secret, at, type }: { secret: string; at: number; type?: string },
): SignedRequest {
  const timestamp = String(Math.floor(at / 1_000));
  return {
    body,
    headers: {
      "content-type": type ?? "application/json",
      "user-agent": "Slackbot 1.0 (+https://api.slack.com/robots)",
      "x-slack-request-timestamp": timestamp,
      "x-slack-signature": signatureOf(secret, timestamp, body),
    },
  };
}

const form = "application/x-www-form-urlencoded";

/** Events are JSON, presses a form with JSON in it, commands a form. */
export function bodyOf({ kind, payload }: Pick<Delivery, "kind" | "payload">) {
  if (kind === "events_api") return { body: JSON.stringify(payload), type: "application/json" };
  const fields = kind === "interactive" ? { payload: JSON.stringify(payload) } : payload;
  return { body: new URLSearchParams(fields as Record<string, string>).toString(), type: form };
}

export class Push {
  url: string | undefined;
  readonly #options: PushOptions;
  readonly #running = new Set<AbortController>();

  constructor(options: PushOptions) {
    this.#options = options;
  }

  /** Always works at once: whether anybody is there shows later. */
  send(delivery: Delivery, envelope: string): string {
    void this.#post(delivery, envelope);
    return envelope;
  }

  /** Slack tries the address before it uses it. */
  async verify(url: string): Promise<boolean> {
    const { signingSecret: secret, now } = this.#options;
    const challenge = crypto.randomUUID();
    const body = JSON.stringify({ token: "verification", challenge, type: "url_verification" });
    const response = await fetch(url, {
      method: "POST",
      redirect: "manual",
      ...signed(body, { secret, at: now() }),
    }).catch(() => undefined);
    const text = (await response?.text()) ?? "";
    if (!response?.ok || !text.includes(challenge)) return false;
    this.url = url;
    return true;
  }

  close(): void {
    for (const running of this.#running) running.abort();
  }

  async #post(delivery: Delivery, envelope: string): Promise<void> {
    const { faults, deliveries, ackMs } = this.#options;
    const call = { method: "envelope", params: delivery.payload, at: Date.now() };
    await faults.hold(call, "before");
    const fault = faults.take(call);
    if (fault?.kind === "hang") return;
    if (fault?.kind === "slow") await sleep(fault.ms);
    if (fault?.kind === "status") return deliveries.failed(envelope, "connection_failed");
    const running = new AbortController();
    this.#running.add(running);
    const late = setTimeout(() => running.abort(), ackMs);
    try {
      const response = await this.#fetch(delivery, running.signal);
      await this.#answered(envelope, response);
    } catch {
      // Whoever waits for the acknowledgement knows that it is too late.
      if (!running.signal.aborted) deliveries.failed(envelope, "connection_failed");
    } finally {
      clearTimeout(late);
      this.#running.delete(running);
    }
  }

  #fetch(delivery: Delivery, signal: AbortSignal): Promise<Response> {
    const { signingSecret: secret, now } = this.#options;
    const { body, type } = bodyOf(delivery);
    const request = signed(body, { secret, at: now(), type });
    const headers = {
      ...request.headers,
      ...(delivery.attempt > 0 && {
        "x-slack-retry-num": String(delivery.attempt),
        "x-slack-retry-reason": delivery.reason,
      }),
    };
    const url = this.url ?? "";
    return fetch(url, { method: "POST", redirect: "manual", body: request.body, headers, signal });
  }

  async #answered(envelope: string, response: Response): Promise<void> {
    const { faults, deliveries } = this.#options;
    const text = await response.text();
    const call = { method: "ack", params: { status: response.status, text }, at: Date.now() };
    await faults.hold(call, "before");
    const fault = faults.take(call);
    if (fault?.kind === "hang") return;
    if (!response.ok || fault?.kind === "status") {
      const again = response.headers.get("x-slack-no-retry") !== "1";
      deliveries.failed(envelope, "http_error", { again });
      return;
    }
    deliveries.acknowledge(envelope, answerOf(text));
  }
}

function answerOf(text: string): Params {
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text) as Params;
  } catch {
    return { text };
  }
}
