// Asks for a host once for all who wait for it, for as long as somebody does.
import type { EgressReply, EgressRequest, OnEgress } from "../../core/egress.ts";
import type { Log } from "../../core/log.ts";
import type { SandboxScope } from "../../core/sandbox.ts";
import { createSeldom } from "../../core/seldom.ts";
import type { Target } from "../../net/tunnel.ts";
import { isWebPort } from "./hosts.ts";

export interface AskingOptions {
  readonly scope: SandboxScope;
  readonly onEgress: OnEgress | undefined;
  /** How long an answer is waited for. */
  readonly askMs: number;
  readonly log: Log;
}

/** One request or tunnel. */
export interface Visit {
  readonly target: Target;
  /** Aborts when whoever asked is gone, however that came. */
  readonly gone: AbortSignal;
  /** Called when it was let pass and is no longer allowed. */
  readonly cut: () => void;
}

export type Unanswered = "not-allowed" | "denied" | "unanswered";
export type Answer = Unanswered | { readonly until: AbortSignal };

interface Ask {
  readonly answer: Promise<Answer>;
  readonly stop: AbortController;
  waiting: number;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

function answerOf(reply: EgressReply): Answer {
  return reply === "not-asked" ? "not-allowed" : reply;
}

export function createAsking({ scope, onEgress, askMs, log }: AskingOptions) {
  const asks = new Map<string, Ask>();
  const seldom = createSeldom({ most: 1 });

  async function answered(
    request: EgressRequest,
    stop: AbortController,
    ask: OnEgress,
  ): Promise<Answer> {
    const timer = setTimeout(() => stop.abort(), askMs).unref();
    try {
      const said = await Promise.race([ask(request, stop.signal), aborted(stop.signal)]);
      return said === undefined || stop.signal.aborted ? "unanswered" : answerOf(said);
    } catch (error) {
      if (seldom("asking", ""))
        log.warn({ error: String(error), host: request.host }, "asking for a host failed");
      return "not-allowed";
    } finally {
      clearTimeout(timer);
    }
  }

  function askFor({ host, port }: Target, ask: OnEgress): Ask {
    // Whoever allows a host without a port means both of the web's.
    const key = isWebPort(port) ? host : `${host} ${port}`;
    const known = asks.get(key);
    if (known !== undefined) return known;
    const stop = new AbortController();
    const forget = () => {
      if (asks.get(key) === made) asks.delete(key);
    };
    const answer = answered({ scope, host, port }, stop, ask).finally(forget);
    const made: Ask = { answer, stop, waiting: 0 };
    stop.signal.addEventListener("abort", forget);
    asks.set(key, made);
    return made;
  }

  return async ({ target, gone }: Visit): Promise<Answer> => {
    if (onEgress === undefined) return "not-allowed";
    const ask = askFor(target, onEgress);
    ask.waiting += 1;
    const leave = () => {
      ask.waiting -= 1;
      if (ask.waiting === 0) ask.stop.abort();
    };
    gone.addEventListener("abort", leave, { once: true });
    try {
      return await Promise.race([ask.answer, aborted(gone).then(() => "unanswered" as const)]);
    } finally {
      gone.removeEventListener("abort", leave);
    }
  };
}
