// Faults that a test injects into Slack's Web API and into what the app is sent.
import { type FaultScope, Faults } from "./telegram-faults.ts";

/** As an HTTP status: no answer at all, and nothing was done. */
export const DIES = 0;

/**
 * Methods are named as in the API (`chat.postMessage`). Besides: `upload`, `download` and `respond` (a response_url),
 * `envelope` is the sending of an event to the app (its parameters are the payload), `ack` is the app's acknowledgement of it,
 * `*` is every one of these.
 */
export class SlackFaults extends Faults {
  /** Slack says no: status 200 and `ok: false`. */
  error(method: string, error: string, scope?: FaultScope): void {
    this.add(method, { kind: "status", code: 200, description: error }, scope);
  }

  rateLimit(method: string, seconds: number, scope?: FaultScope): void {
    const parameters = { retry_after: seconds };
    this.add(method, { kind: "status", code: 429, description: "ratelimited", parameters }, scope);
  }

  /** The connection dies before anything is done; `drop` is the same after it was done. */
  dropBefore(method: string, scope?: FaultScope): void {
    this.add(method, { kind: "status", code: DIES, description: "" }, scope);
  }
}
