// After a gap, what was said meanwhile: asked for in the conversations and threads that are known.
import { setTimeout as sleep } from "node:timers/promises";
import type { WebClient } from "@slack/web-api";
import type { Log } from "../../src/core/log.ts";
import type { Cursor, Cursors } from "./cursors.ts";
import { codeOf, describe, retryAfterOf } from "./errors.ts";
import type { SlackMessage } from "./wire.ts";

export interface CatchUpPorts {
  readonly client: WebClient;
  readonly cursors: Cursors;
  readonly log: Log;
  /** Oldest first. */
  offer(chat: string, messages: readonly SlackMessage[]): void;
}

/** As long as Telegram keeps what a bot has missed. */
const reach = 24 * 3_600_000;
const mostPlaces = 100;
const pageSize = 200;
const mostPages = 5;

/** Resolves when all that can be found was offered, or when it does not go on for now. */
export async function catchUp(ports: CatchUpPorts, signal: AbortSignal): Promise<void> {
  const since = ((Date.now() - reach) / 1000).toFixed(6);
  const places = ports.cursors.all().filter(({ thread, ts }) => !thread || ts > since);
  for (const place of places.slice(0, mostPlaces)) {
    if (signal.aborted) return;
    const ts = later(place.ts, since);
    if (!(await readOn(ports, { ...place, ts }, signal))) return;
  }
}

/** As texts: numbers would lose the last digits. */
function later(a: string, b: string): string {
  if (a > b) return a;
  return b;
}

async function readOn(ports: CatchUpPorts, place: Cursor, signal: AbortSignal): Promise<boolean> {
  try {
    const messages = await missed(ports.client, place, signal);
    if (messages.length > 0 && !signal.aborted) ports.offer(place.chat, messages);
    return true;
  } catch (error) {
    const code = codeOf(error) ?? "";
    const over = ["channel_not_found", "not_in_channel", "thread_not_found"].includes(code);
    if (over) ports.cursors.forget(place);
    // One kind of conversation may be closed to the app, and others not.
    if (over || code === "missing_scope") return true;
    if (!signal.aborted)
      ports.log.warn({ why: describe(error) }, "What was missed could not be asked for");
    return false;
  }
}

async function missed(
  client: WebClient,
  { chat, thread, ts }: Cursor,
  signal: AbortSignal,
): Promise<SlackMessage[]> {
  const found: SlackMessage[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < mostPages && !signal.aborted; page += 1) {
    const asked = { channel: chat, oldest: ts, limit: pageSize, ...(cursor ? { cursor } : {}) };
    const answer = await patiently(signal, () =>
      thread === undefined
        ? client.conversations.history(asked)
        : client.conversations.replies({ ...asked, ts: thread }),
    );
    found.push(...((answer.messages ?? []) as unknown as SlackMessage[]));
    cursor = answer.response_metadata?.next_cursor;
    if (!cursor) break;
  }
  // The parent of a thread comes with every page of it.
  const fresh = found.filter((one) => typeof one.ts === "string" && one.ts > ts);
  return fresh.sort((a, b) => ((a.ts ?? "") < (b.ts ?? "") ? -1 : 1));
}

/** Slack says how long to wait; nobody waits for this. */
async function patiently<T>(signal: AbortSignal, call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      const wait = retryAfterOf(error);
      if (wait === undefined || signal.aborted) throw error;
      await sleep(wait, undefined, { signal });
    }
  }
}
