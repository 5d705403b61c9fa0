// The way out: rows of the outbox become messages, in order per chat, at the platform's pace, retried and never lost in silence.
import { setTimeout as sleep } from "node:timers/promises";
import PQueue from "p-queue";
import { type Listener, type Part, SendError } from "../core/channel.ts";
import type { Clock } from "../core/clock.ts";
import type { MessageRef } from "../core/events.ts";
import type { Log } from "../core/log.ts";
import type { Address, ListenerId } from "../core/words.ts";
import { beginSend, markSent, setOutboxState } from "../store/outbox.ts";
import { filesAlong, settleAlong } from "../store/outbox-along.ts";
import type { OutboxRow } from "../store/outbox-row.ts";
import type { Store } from "../store/store.ts";
import { attempt, type Delivery } from "./attempt.ts";

export interface DeliverPorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  listener(id: ListenerId): Listener | undefined;
  /** Whether an answer there is one message, all its files in it. Absent: nowhere. */
  isOneMessage?(id: ListenerId): boolean;
  /** A card as it stands now. */
  renderCard(row: OutboxRow): Promise<Part | undefined>;
  /** A chat is gone for us (blocked, removed): what waits for it there is over. */
  onGone(to: Address, why: string): void;
  /** A chat has a new id. */
  onMoved(to: Address, chat: string): Promise<void>;
  /** Whether the platform has a message could not be found out; it was sent again. */
  onAmbiguous(row: OutboxRow): void;
  /** `inDoubt`: the platform may have it after all. */
  onFailed(row: OutboxRow, why: string, inDoubt: boolean): void;
}

export interface Deliver {
  /** Takes rows that are committed. Those of one chat go out in the order of the calls. */
  deliver(rows: readonly OutboxRow[]): void;
  /** Nothing waits for this chat: a row may be written as `sending` in the commit that makes it. */
  isIdle(to: Address): boolean;
  /** An edit that may be lost: skipped when the chat is busy. */
  preview(to: Address, ref: MessageRef, part: Part): Promise<void>;
  /** Resolves with the message once the row is out, or undefined when it will not be. */
  sent(id: number): Promise<MessageRef | undefined>;
  stop(): Promise<void>;
}

export function createDeliver(ports: DeliverPorts): Deliver {
  const stopping = new AbortController();
  const chats = new Map<string, PQueue>();
  const listeners = new Map<ListenerId, PQueue>();
  const watchers = new Map<number, (ref: MessageRef | undefined) => void>();

  const chatQueue = (to: Address): PQueue => {
    const key = `${to.listener}\n${to.chat}`;
    const known = chats.get(key);
    if (known) return known;
    const pace = ports.listener(to.listener)?.pace?.(to);
    const queue = new PQueue({ concurrency: 1, ...(pace && interval(pace.chat)) });
    // A queue without pace has nothing to remember once it is idle; of the others, as many as may be busy at once.
    queue.addEventListener("idle", () => {
      if (!pace || chats.size > rememberedChats) chats.delete(key);
    });
    chats.set(key, queue);
    return queue;
  };
  const inTurn = <T>(to: Address, call: () => Promise<T>): Promise<T> => {
    const pace = ports.listener(to.listener)?.pace?.(to);
    if (!pace) return call();
    const known = listeners.get(to.listener);
    const all = known ?? new PQueue(interval(pace.all));
    if (!known) listeners.set(to.listener, all);
    return all.add(call);
  };
  const deliverOne = async (row: OutboxRow) => {
    const ready = await readyOf(ports, row);
    const delivery = ready && (await sendRow(ports, ready, { inTurn, signal: stopping.signal }));
    if (ready && delivery?.sent) settleSent(ports, ready, delivery.sent);
    watchers.get(row.id)?.(delivery?.sent);
    watchers.delete(row.id);
  };
  return {
    deliver(rows) {
      for (const row of rows)
        void chatQueue(row.to).add(() =>
          stopping.signal.aborted ? undefined : deliverOne(row).catch(logFailure(ports.log, row)),
        );
    },
    isIdle(to) {
      const queue = chats.get(`${to.listener}\n${to.chat}`);
      return queue === undefined || (queue.size === 0 && queue.pending === 0);
    },
    async preview(to, ref, part) {
      const queue = chatQueue(to);
      const listener = ports.listener(to.listener);
      if (!listener?.edit || queue.size > 0 || queue.pending > 0) return;
      const edit = () => inTurn(to, async () => listener.edit?.(ref, part));
      await new Promise<void>((over) => {
        void queue.add(() => previewOnce(ports.log, edit, { over, signal: stopping.signal }));
      });
    },
    sent: (id) => new Promise((resolve) => watchers.set(id, resolve)),
    async stop() {
      stopping.abort();
      await Promise.all([...chats.values()].map((queue) => queue.onIdle()));
    },
  };
}

/** A chat that wants no more for a while stays closed that long, also to what came meanwhile. */
async function previewOnce(
  log: Log,
  edit: () => Promise<void>,
  { over, signal }: { over: () => void; signal: AbortSignal },
): Promise<void> {
  const error: unknown = await edit().catch((failure: unknown) => failure);
  over();
  if (error === undefined) return;
  log.debug({ error }, "A preview was lost");
  const wait = error instanceof SendError ? error.detail.retryAfter : undefined;
  if (wait) await pause(wait, signal);
}

const rememberedChats = 1000;

function interval({ calls, per }: { calls: number; per: number }) {
  return { intervalCap: calls, interval: per, strict: true };
}

function logFailure(log: Log, row: OutboxRow) {
  return (error: unknown) => log.error({ outbox: row.id, error }, "Could not deliver");
}

/** Begun, with all that goes along; undefined when nothing is to be sent any more. */
async function readyOf(
  { store, isOneMessage }: DeliverPorts,
  row: OutboxRow,
): Promise<OutboxRow | undefined> {
  const begun = row.state === "sending";
  if (!isOneMessage?.(row.to.listener))
    return begun ? row : await store.run(() => beginSend(row.id));
  return store.run(function* () {
    const ready = begun ? row : yield* beginSend(row.id);
    return ready?.file ? { ...ready, along: yield* filesAlong(ready.id) } : ready;
  });
}

/** Not waited for: the message is out, and operations commit in order. */
function settleSent(
  { store, clock, log }: DeliverPorts,
  { id, along = [] }: OutboxRow,
  ref: MessageRef,
): void {
  const at = clock.now();
  store
    .runSoon(function* () {
      yield* markSent(id, ref, at);
      if (along.length > 0) yield* settleAlong(id, { state: "sent", sentAt: at });
    })
    .catch((error) => log.error({ error }, "Lost a ref"));
}

interface Sending {
  inTurn<T>(to: Address, call: () => Promise<T>): Promise<T>;
  readonly signal: AbortSignal;
}

const patience = 24 * 3_600_000;

/** Tries until it is out, refused for good, or too old. */
async function sendRow(
  ports: DeliverPorts,
  first: OutboxRow,
  { inTurn, signal }: Sending,
): Promise<{ sent?: MessageRef }> {
  let delivery: Delivery = { row: first, plain: false, resent: first.attempts > 1, failures: 0 };
  const delayed = delayedBy(ports.log);
  while (!signal.aborted) {
    const { row } = delivery;
    const listener = ports.listener(row.to.listener);
    if (!listener) return giveUp(ports, row, "the channel was removed");
    const part = row.kind === "card" ? await ports.renderCard(row) : partOf(row);
    if (!part) return giveUp(ports, row, "there is nothing to show any more");
    const outcome = await inTurn(row.to, () => attempt(listener, delivery, part));
    if ("sent" in outcome) return outcome;
    if ("gone" in outcome) ports.onGone(row.to, outcome.gone);
    if ("gone" in outcome) return giveUp(ports, row, outcome.gone);
    if ("failed" in outcome) return giveUp(ports, row, outcome.failed, outcome.inDoubt);
    if (outcome.ambiguous) ports.onAmbiguous(row);
    if (outcome.movedTo) await ports.onMoved(row.to, outcome.movedTo);
    if (ports.clock.now() - row.createdAt > patience)
      return giveUp(ports, row, `not delivered within a day: ${outcome.why}`);
    if (outcome.wait > 0) delayed(row, outcome.why);
    if (outcome.wait > 0) await pause(outcome.wait, signal);
    delivery = outcome.next;
  }
  return {};
}

/** Some servers word each refusal differently. */
const reasonsSaid = 5;

/** What waits for a better time is seen by nobody: each reason of a row is said once, at its first try. */
function delayedBy(log: Log): (row: OutboxRow, why: string) => void {
  const said = new Set<string>();
  return ({ id, to: { listener } }, why) => {
    if (said.has(why) || said.size >= reasonsSaid) return;
    said.add(why);
    log.warn({ outbox: id, listener, why }, "A message could not be sent yet, and is tried again");
  };
}

/** `inDoubt`: the platform may have it after all. */
async function giveUp(ports: DeliverPorts, row: OutboxRow, why: string, inDoubt = false) {
  const state = inDoubt ? "ambiguous" : "failed";
  await ports.store.run(function* () {
    yield* setOutboxState(row.id, state, why);
    if (row.along?.length) yield* settleAlong(row.id, { state, error: why });
  });
  ports.onFailed(row, why, inDoubt);
  return {};
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}

function partOf(row: OutboxRow): Part {
  return {
    ...(row.body === undefined ? {} : { body: row.body }),
    plain: row.plain,
    ...(row.buttons.length > 0 ? { buttons: row.buttons } : {}),
    ...(row.file ? { file: row.file } : {}),
    ...(row.along?.length ? { along: row.along } : {}),
    ...(row.replyTo ? { replyTo: row.replyTo } : {}),
  };
}
