// What was read from the mailbox is kept: accepted first, then the cursor moves, then the mail is marked as seen.
import { setTimeout as sleep } from "node:timers/promises";
import type { Accept } from "../../src/core/channel.ts";
import type { InboundEvent, InboundMessage } from "../../src/core/events.ts";
import type { Log } from "../../src/core/log.ts";
import type { Cursor, Waiting } from "./cursor.ts";
import type { Health } from "./health.ts";
import type { Folder } from "./imap.ts";
import { backoff } from "./trouble.ts";

export type Outcome =
  | { readonly is: "event"; readonly event: InboundMessage }
  /** Nobody can say yet whom it is from. */
  | { readonly is: "later"; readonly why: string; readonly of?: string }
  | { readonly is: "gone" };

/** By UID, ascending. */
export type Outcomes = ReadonlyMap<number, Outcome>;

export interface Read {
  readonly next: number;
  readonly waiting: readonly Waiting[];
}

export interface Storing {
  /** Resolves once it is durable, however long that takes; rejects only when the listener stops. */
  store(outcomes: Outcomes, read: Read): Promise<void>;
  move(read: Read): Promise<void>;
  /** Marks what was taken. Rejects when the connection broke; the next one is asked again. */
  mark(folder: Folder): Promise<void>;
}

export interface StoringPorts {
  readonly cursor: Cursor;
  readonly health: Health;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly accept: Accept;
}

interface State extends StoringPorts {
  /** Taken and not marked yet. */
  toMark: readonly number[];
  uidValidity: string;
}

const mostToMark = 1000;

export function createStoring(ports: StoringPorts): Storing {
  const it: State = { ...ports, toMark: [], uidValidity: "" };
  const { cursor, health, accept } = ports;
  const move = ({ next, waiting }: Read) => untilDone(it, () => cursor.move(next, waiting));
  return {
    async store(outcomes, read) {
      const found = [...outcomes].flatMap(([uid, outcome]) =>
        outcome.is === "event" ? [{ uid, ...outcome }] : [],
      );
      const events: readonly InboundEvent[] = found.map(({ event }) => event);
      if (events.length > 0) {
        await untilDone(it, () => accept(events));
        health.event();
      }
      await move(read);
      // What nobody is answered for stays as it is, for whoever looks into the mailbox.
      const taken = found.filter(({ event }) => event.silent === undefined);
      it.toMark = [...it.toMark, ...taken.map(({ uid }) => uid)].slice(-mostToMark);
    },
    move,
    async mark(folder) {
      // Of another mailbox: the numbers mean other mails now.
      if (it.uidValidity !== folder.uidValidity) it.toMark = [];
      it.uidValidity = folder.uidValidity;
      const uids = it.toMark;
      if (uids.length === 0) return;
      await folder.markSeen(uids);
      it.toMark = it.toMark.filter((uid) => !uids.includes(uid));
    },
  };
}

/** Tried once also when the listener stops: what was accepted must not come again. */
async function untilDone(it: State, work: () => Promise<void>): Promise<void> {
  const { health, log, signal } = it;
  for (let failures = 0; ; failures += 1) {
    try {
      await work();
      health.unstored(undefined);
      return;
    } catch (error) {
      const why = `Mail cannot be stored: ${error instanceof Error ? error.message : String(error)}`;
      health.unstored(why);
      log.error({ why, failures }, "Mail was not taken, it is tried again");
      await sleep(backoff(failures), undefined, { signal });
    }
  }
}
