// A question of the agent while it is open: answered once, or taken back by the agent, a cancel or the end of the turn.

import { deferred } from "./deferred.ts";

export interface Question<R> {
  readonly reply: Promise<R>;
  /** Aborted when an answer no longer counts. */
  readonly signal: AbortSignal;
  readonly answer: (reply: R) => void;
  readonly takeBack: () => void;
}

/** `none` is what the agent hears when nobody answers. */
export function openQuestion<R>(none: R, agentTookBack: AbortSignal): Question<R> {
  const { promise, resolve } = deferred<R>();
  const gone = new AbortController();
  let open = true;
  const settle = (reply: R): boolean => {
    if (!open) return false;
    open = false;
    agentTookBack.removeEventListener("abort", takeBack);
    resolve(reply);
    return true;
  };
  const takeBack = () => {
    if (settle(none)) gone.abort();
  };
  agentTookBack.addEventListener("abort", takeBack);
  if (agentTookBack.aborted) takeBack();
  return { reply: promise, signal: gone.signal, answer: settle, takeBack };
}
