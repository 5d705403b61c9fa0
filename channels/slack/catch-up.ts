// After a gap, what was said meanwhile: asked for in the conversations and threads that are known.
import { setTimeout as sleep } from "node:timers/promises";
import type { WebClient } from "@slack/web-api";
import type { Log } from "../../src/core/log.ts";
import type { Cursor, Cursors } from "./cursors.ts";
import { codeOf, describe, mayPass, retryAfterOf, unauthorised } from "./errors.ts";
import { backoff } from "./intake.ts";
import { messageOf } from "./shape.ts";
import type { SlackMessage } from "./wire.ts";

export interface CatchUpPorts {
  readonly client: WebClient;
  readonly cursors: Cursors;
  readonly log: Log;
  /** Oldest first. Resolves once they are durable, or with false when they are not. */
  offer(chat: string, messages: readonly SlackMessage[]): Promise<boolean>;
}

/** As long as Telegram keeps what a bot has missed. */
const reach = 24 * 3_600_000;
const mostPlaces = 100;
const pageSize = 200;
const mostPages = 5;

/** Resolves when all that can be found was offered, or when it does not go on for now. */
export async function catchUp(ports: CatchUpPorts, signal: AbortSignal): Promise<void> {
  const { cursors } = ports;
  const since = ((Date.now() - reach) / 1000).toFixed(6);
  let places = 0;
  for (const place of cursors.all()) {
    if (signal.aborted) return;
    const wanted = !place.thread || place.ts > since;
    if (wanted) places += 1;
    if (!wanted || places > mostPlaces) cursors.closed(place);
    else if (!(await readOn(ports, { ...place, ts: later(place.ts, since) }, signal))) return;
  }
}

/** As texts: numbers would lose the last digits. */
function later(a: string, b: string): string {
  if (a > b) return a;
  return b;
}

async function readOn(ports: CatchUpPorts, place: Cursor, signal: AbortSignal): Promise<boolean> {
  const { cursors } = ports;
  try {
    const messages = await missed(ports, place, signal);
    if (signal.aborted) return false;
    // Later gaps are none of this one's.
    const close = (taken: boolean) => taken && !signal.aborted && cursors.closed(place);
    void ports.offer(place.chat, messages).then(close);
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    const code = codeOf(error) ?? "";
    if (over.has(code)) cursors.forget(place);
    // One kind of conversation may be closed to the app, and others not.
    else if (code === "missing_scope") cursors.closed(place);
    else ports.log.warn({ why: describe(error) }, "What was missed could not be asked for");
    return !unauthorised.has(code);
  }
}

const over: ReadonlySet<string> = new Set([
  "channel_not_found",
  "not_in_channel",
  "thread_not_found",
]);

async function missed(
  ports: CatchUpPorts,
  { chat, thread, ts }: Cursor,
  signal: AbortSignal,
): Promise<SlackMessage[]> {
  const { client } = ports;
  const found: SlackMessage[] = [];
  let cursor: string | undefined;
  let page = 0;
  do {
    const asked = { channel: chat, oldest: ts, limit: pageSize, ...(cursor ? { cursor } : {}) };
    const answer = await patiently(ports, signal, () =>
      thread === undefined
        ? client.conversations.history(asked)
        : client.conversations.replies({ ...asked, ts: thread }),
    );
    found.push(...(answer.messages ?? []).map(messageOf));
    cursor = answer.response_metadata?.next_cursor;
    page += 1;
  } while (cursor && page < mostPages && !signal.aborted);
  if (cursor)
    ports.log.warn({ read: found.length }, "More was said in a conversation than is read on");
  // The parent of a thread comes with every page of it.
  const fresh = found.filter((one) => typeof one.ts === "string" && one.ts > ts);
  return fresh.sort((a, b) => ((a.ts ?? "") < (b.ts ?? "") ? -1 : 1));
}

/** Slack says how long to wait, and what broke is tried again: nobody waits for this. */
async function patiently<T>(
  { log }: CatchUpPorts,
  signal: AbortSignal,
  call: () => Promise<T>,
): Promise<T> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await call();
    } catch (error) {
      const wait = retryAfterOf(error) ?? (mayPass(error) ? backoff(failures, slowly) : undefined);
      if (wait === undefined || signal.aborted) throw error;
      if (failures === 0) log.warn({ why: describe(error) }, "What was missed is asked for again");
      await sleep(wait, undefined, { signal });
    }
  }
}

const slowly = { longest: 60_000 };
